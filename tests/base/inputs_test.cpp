#include "base/inputs.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <functional>

#include "base/error.h"
#include "base/file.h"
#include "support.h"

namespace minpair {
namespace {

using testing::TemporaryFolder;

// Contents of the same size within one tick of the clock: the inode or the change time tells.
TEST(Inputs, EveryWayToChangeAFileIsNoticed) {
  TemporaryFolder folder;
  const std::filesystem::path file = folder / "weights", other = folder / "other";
  const std::vector<std::function<void()>> changes = {
      [&] { write_file(file, "abd"); },                       // renamed into place
      [&] { std::filesystem::resize_file(file, 1); },         // cut off
      [&] { std::ofstream(file, std::ios::app) << "more"; },  // grown
      [&] { std::filesystem::remove(file); },                 // gone
      [&] {                                                   // same size, old time
        auto before = std::filesystem::last_write_time(file);
        ::usleep(20'000);
        std::ofstream(file) << "xyz";
        std::filesystem::last_write_time(file, before);
      }};
  for (size_t i = 0; i < changes.size(); ++i) {
    write_file(file, "abc");
    write_file(other, "abc");
    RecordedInputs recorded;
    MappedFile mapped(file);
    EXPECT_EQ(read_file(other), "abc");
    EXPECT_EQ(recorded.files().size(), 2u);
    EXPECT_NO_THROW(check_unchanged(recorded.files()));
    changes[i]();
    try {
      check_unchanged(recorded.files());
      ADD_FAILURE() << "change " << i;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find("weights"), std::string::npos) << e.what();
    }
  }
}

TEST(Inputs, AreRecordedOnceAndByThoseWhoListen) {
  TemporaryFolder folder;
  write_file(folder / "a", "a");
  write_file(folder / "b", "b");
  RecordedInputs outer;
  read_file(folder / "a");
  {
    RecordedInputs inner;
    read_file(folder / "b");
    read_file(folder / "b");
    EXPECT_EQ(inner.files().size(), 1u);
  }
  EXPECT_EQ(outer.files().size(), 2u);
  read_file("/dev/null");
  EXPECT_EQ(outer.files().size(), 2u);
}

// What a signal prints and how it ends the process.
TEST(Inputs, AFileThatBecomesShorterIsNamed) {
  TemporaryFolder folder;
  const std::filesystem::path file = folder / "weights.bin";
  write_file(file, std::string(1 << 20, 'w'));
  const auto read_the_end = [&] {
    explain_bus_errors();
    MappedFile first(file), second(file);
    { MappedFile gone(file); }
    std::filesystem::resize_file(file, 100);
    ::_exit(second.bytes()[1 << 19]);
  };
  EXPECT_EXIT(read_the_end(), ::testing::ExitedWithCode(1), "weights.bin: the file became shorter");
}

}  // namespace
}  // namespace minpair

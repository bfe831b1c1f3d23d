#include "base/folder.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/file.h"
#include "support.h"

namespace minpair::inline base {

namespace fs = std::filesystem;

using Paths = std::vector<fs::path>;

TEST(Folder, EntriesAreInTheOrderOfTheirNames) {
  testing::TemporaryFolder folder;
  for (const char* name : {"c", "a", ".b", "ä"}) write_file(folder / name, "");
  fs::create_directory(folder / "b");
  write_file(folder / "b/inner", "");
  EXPECT_EQ(entries_of(folder.path()),
            (Paths{folder / ".b", folder / "a", folder / "b", folder / "c", folder / "ä"}));
  EXPECT_EQ(entries_if_any(folder.path()), entries_of(folder.path()));
}

TEST(Folder, LinksToFoldersAreNotFollowed) {
  testing::TemporaryFolder folder;
  fs::create_directories(folder / "x/y");
  write_file(folder / "x/y/z", "");
  fs::create_directory_symlink(folder.path(), folder / "x/around");
  const Paths all{folder / "x", folder / "x/around", folder / "x/y", folder / "x/y/z"};
  EXPECT_EQ(entries_below(folder.path()), all);
  EXPECT_EQ(entries_below_if_any(folder.path()), all);
}

TEST(Folder, OneThatIsNotThereIsNamedOrEmpty) {
  testing::TemporaryFolder folder;
  write_file(folder / "file", "");
  for (const char* name : {"nowhere", "file"}) {
    for (auto* read : {entries_of, entries_below}) try {
        read(folder / name);
        ADD_FAILURE() << name;
      } catch (const Error& e) {
        EXPECT_EQ(e.where().file, (folder / name).string());
        EXPECT_EQ(e.exit_status(), 1);
      }
    EXPECT_TRUE(entries_if_any(folder / name).empty());
    EXPECT_TRUE(entries_below_if_any(folder / name).empty());
  }
}

}  // namespace minpair::inline base

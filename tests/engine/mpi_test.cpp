// The program under mpirun. Skipped where there is none.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/file.h"
#include "support.h"

namespace minpair::engine {
namespace {

using ::testing::HasSubstr;
using testing::run_command;
using testing::TemporaryFolder;

class Mpi : public ::testing::Test {
 protected:
  void SetUp() override {
    if (run_command("mpirun --version").status != 0)
      GTEST_SKIP() << "mpirun is not installed (Debian: openmpi-bin)";
    if (!fs::exists(testing::minpair_program().parent_path() / "minpair-mpi.so"))
      GTEST_SKIP() << "built without MPI (Debian: libopenmpi-dev)";
    std::ofstream suite(folder / "suite.jsonl");
    for (int i = 0; i < 400; ++i)
      suite << "{\"id\":\"" << i << "\",\"test\":\"t\",\"sentences\":[{\"text\":\"wort" << 7 + i % 5
            << " wort" << 7 + i / 5 % 9 << " wort" << 7 + i / 45
            << " wort11 wort12\",\"grammatical\":true},{\"text\":\"wort" << 7 + i % 5 << " wort"
            << 7 + i / 5 % 9 << " wort" << 7 + i / 45
            << " wort13 wort12\",\"grammatical\":false}]}\n";
  }

  std::string command(const std::string& file, const std::string& more = "") {
    return testing::minpair_program().string() + " run -q --batch 32 -s " +
           (folder / "suite.jsonl").string() + " -m " +
           (testing::source_dir() / "tests/model/golden/bert").string() + " -m " +
           (testing::source_dir() / "tests/model/golden/distilbert").string() +
           " --method ce,pll --threads 1 -o " + (folder / file).string() + " " + more;
  }

  // The first process and the others, each on a core of its own where there are enough. Open MPI's
  // plug-ins never free some memory: under AddressSanitizer, leaks are not looked for.
  static std::string mpirun(int processes) {
    return "env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
           "ASAN_OPTIONS=detect_leaks=0 timeout 120 mpirun "
           "--oversubscribe --bind-to none -n " +
           std::to_string(processes) + " ";
  }

  TemporaryFolder folder;
};

TEST_F(Mpi, SeveralProcessesWriteTheSameBytes) {
  testing::Ran one = run_command(command("one.db"));
  ASSERT_EQ(one.status, 0) << one.err;
  for (int processes : {2, 3}) {
    std::string file = std::to_string(processes) + ".db";
    testing::Ran ran = run_command(mpirun(processes) + command(file));
    ASSERT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(ran.out, one.out);
    EXPECT_TRUE(read_file(folder / file) == read_file(folder / "one.db")) << processes;
  }
}

TEST_F(Mpi, AnErrorIsSaidOnce) {
  testing::Ran ran = run_command(mpirun(3) + command("r.db", "-m no-such-model"));
  EXPECT_NE(ran.status, 0);
  size_t first = ran.err.find("minpair: ");
  ASSERT_NE(first, std::string::npos) << ran.err;
  EXPECT_EQ(ran.err.find("minpair: ", first + 1), std::string::npos) << ran.err;
}

// Long enough to be killed in the middle.
std::string long_run(const fs::path& suite, const std::string& file) {
  return testing::minpair_program().string() + " run -s " + suite.string() +
         " -m de-mini --method pll --limit 100 --batch 256 --threads 1 -o " + file;
}

TEST_F(Mpi, AProcessThatDiesEndsTheRunAndLosesNothing) {
  // On a busy machine a second is too little between mpirun's polite signal and the other one.
  std::string in_folder =
      "cd " + folder.path().string() + "; export OMPI_MCA_odls_base_sigkill_timeout=5; ";
  std::string one = long_run(folder / "suite.jsonl", "one.db");
  std::string several = long_run(folder / "suite.jsonl", "r.db");
  ASSERT_EQ(run_command(in_folder + one).status, 0);
  // Every process says its number; when answers are stored, the second one dies.
  testing::Ran killed = run_command(
      in_folder + mpirun(3) + "sh -c 'echo $$ > pid$OMPI_COMM_WORLD_RANK; exec " + several +
      "' & for i in $(seq 1000); do [ \"$(cat r.db-*.answers 2>/dev/null | wc -c)\" -gt 3000 ] && "
      "break; sleep 0.02; done; kill -9 $(cat pid1); wait $!");
  EXPECT_NE(killed.status, 0);
  EXPECT_THAT(killed.err, HasSubstr("because another of its processes died"));
  EXPECT_THAT(killed.err, HasSubstr("the same command continues from there"));
  testing::Ran resumed = run_command(in_folder + mpirun(2) + several);
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_THAT(resumed.err, HasSubstr("queries were answered before the interruption"));
  EXPECT_TRUE(read_file(folder / "r.db") == read_file(folder / "one.db"));
}

}  // namespace
}  // namespace minpair::engine

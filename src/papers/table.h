#pragma once
// The files that authors release, as tables of texts.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace minpair::papers {

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  std::vector<uint64_t> lines;  // of the rows; 0: nobody knows
};

struct Reading {
  // csv, tsv, tsv-plain (quotes are text), lines, jsonl, json, items; empty: by the file's name.
  std::string format;
  std::vector<std::string> names = {};  // of columns, for files without a header
};
// One file, or a folder where the format is `items`; .xz and .gz are unpacked.
Table read_table(const std::filesystem::path& path, const Reading& reading);

struct Found {
  std::filesystem::path path;
  std::string star;  // what the first * stands for
};
// "scores/*/a_*.csv": all that fit, in order of their names.
std::vector<Found> files_of(const std::string& name, const std::filesystem::path& folder);
// The same without .xz or .gz.
std::filesystem::path unpacked_name(const std::filesystem::path& path);

}  // namespace minpair::papers

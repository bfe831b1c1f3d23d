// Published tables that are lists but for the names of their columns: one line each.

#include <algorithm>

#include "suite/formats/formats.h"
#include "suite/formats/list.h"
#include "suite/formats/support.h"

namespace minpair::suite {
namespace {

struct PublishedList {
  const char* name;
  const char* description;
  const char* extension;
  char separator;
  const char* language;
  std::vector<std::string> signature;  // columns that only this one has
  const char* columns;                 // what they are
};

const std::vector<PublishedList>& published_lists() {
  static const std::vector<PublishedList> all = {
      {"qfrblimp",
       "QFrBLiMP, Beauchemin et al. 2026: TSV with annotators",
       ".tsv",
       '\t',
       "fr",
       {"sentence_a", "sentence_b", "category", "subcat"},
       "good=sentence_a,bad=sentence_b,test=category,item=id"},
      {"qfrblimp-predictions",
       "QFrBLiMP's choices of one model",
       ".tsv",
       '\t',
       "fr",
       {"sentence_good", "sentence_bad", "category", "subcat"},
       "good=sentence_good,bad=sentence_bad,test=category,item=id"},
      {"aann",
       "AANN, Misra & Mahowald 2024: CSV, a construction and four that are not, after a prefix",
       ".csv",
       ',',
       "en",
       {"construction", "order_swap", "no_article", "no_modifier", "no_numeral"},
       "context=prefix,good=construction,bad=order_swap,bad=no_article,bad=no_modifier,"
       "bad=no_numeral,item=idx,feature=sentence"}};
  return all;
}

bool has_columns_of(const PublishedList& list, const FileHead& head) {
  if (head.lines.empty()) return false;
  std::vector<std::string> header = split_row(head.lines[0], list.separator, true);
  return std::all_of(list.signature.begin(), list.signature.end(), [&](const std::string& name) {
    return std::find(header.begin(), header.end(), name) != header.end();
  });
}

Format format_of(const PublishedList& list) {
  return {list.name,
          list.description,
          "only read",
          {list.extension},
          [&list](const FileHead& head) { return has_columns_of(list, head); },
          [&list](const fs::path& path, ReadOptions options) {
            if (options.language.empty()) options.language = list.language;
            return read_files(
                files_under(path, {list.extension}), options,
                [&list](const fs::path& file) { return read_list(file, list.columns, true); });
          },
          nullptr};
}

}  // namespace

std::vector<Format> published_list_formats() {
  std::vector<Format> formats;
  for (const PublishedList& list : published_lists()) formats.push_back(format_of(list));
  return formats;
}

}  // namespace minpair::suite

// A row is a pair (or a set: bad_1, bad_2), or one sentence, and then the item's number says which
// belong together and another column, or a star, which of them are grammatical.

#include "suite/formats/list.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/natural.h"
#include "base/rows.h"
#include "suite/cells.h"
#include "suite/formats/list_rows.h"

namespace minpair::suite {
namespace {

constexpr uint64_t kLargestLongList = uint64_t{1} << 29;
constexpr const char* kTitle = "above the names of the columns";
constexpr const char* kRepeated = "the names of the columns again";

// Names for items: TEST/ITEM/CONDITION, else numbers. Conditions of one item share its words, so
// they are a cluster.
class Ids {
 public:
  void name(Item& item, std::string_view number, const Where& where) {
    if (number.empty()) {
      item.id = number_id(item.test, ++numbers_[item.test]);
      return;
    }
    item.id = fmt::format("{}/{}", item.test, number);
    if (!item.condition.empty()) {
      if (item.cluster.empty()) item.cluster = item.id;
      item.id += "/" + item.condition;
    }
    if (!seen_.insert(item.id).second)
      throw bad_input(fmt::format("item '{}' is there already{}", number,
                                  item.condition.empty() ? "" : " with this condition"))
          .at(where)
          .hint("give each pair a number of its own, or a condition");
  }

 private:
  std::map<std::string, uint64_t> numbers_;
  std::set<std::string> seen_;
};

void set_places(Item& item, const ListRows& rows) {
  item.test = rows.test();
  item.condition = trim(rows.value(Role::condition));
  item.language = trim(rows.value(Role::language));
  item.cluster = trim(rows.value(Role::cluster));
}

// What both kinds of lists are.
class ListItems : public FileItemStream {
 public:
  explicit ListItems(ListRows rows) : rows_(std::move(rows)) {}
  std::string columns() override { return rows_.described(); }

 protected:
  // Behind the last row.
  void account() {
    if (rows_.count == 0)
      throw bad_input("there is no row below the names of the columns").at(rows_.where());
    for (size_t i = 0; i < rows_.titles; ++i) skip(kTitle);
    for (size_t i = 0; i < rows_.repeated; ++i) skip(kRepeated);
    rows_.titles = rows_.repeated = 0;
  }

  ListRows rows_;
  Ids ids_;
};

// --- a pair a row ---

class WideItems : public ListItems {
 public:
  using ListItems::ListItems;

  bool next(Item& item) override {
    if (!rows_.next()) {
      account();
      return false;
    }
    clear_item(item);
    set_places(item, rows_);
    item.sentences.clear();
    for (Role role : {Role::good, Role::bad}) add_sentences(item, role);
    check_pair(item);
    align_loci(item.sentences);
    const std::string_view context = trim(rows_.value(Role::context));
    for (Sentence& s : item.sentences) s.context = context;
    for (size_t i = 0; i < rows_.fields.size(); ++i)
      if (rows_.roles[i] == Role::feature && !rows_.header[i].empty() &&
          !trim(rows_.fields[i]).empty())
        add_feature(item, rows_.header[i], trim(rows_.fields[i]));
    ids_.name(item, trim(rows_.value(Role::item)), rows_.where());
    return true;
  }

  Where where() const override { return rows_.where(); }

 private:
  // The first column of a role must have a sentence; further ones may be empty.
  void add_sentences(Item& item, Role role) {
    for (size_t i = rows_.column(role); i < rows_.fields.size(); ++i) {
      if (rows_.roles[i] != role) continue;
      if (i > rows_.column(role) && trim(rows_.fields[i]).empty()) continue;
      item.sentences.push_back(
          {{rows_.sentence_at(i, role == Role::good)}, {}, role == Role::good});
    }
  }

  // What was published is read as it is.
  void check_pair(const Item& item) {
    if (rows_.published) return;
    const size_t column = rows_.column(Role::bad);
    const std::string& good = item.sentences.front().text;
    for (const Sentence& s : item.sentences)
      if (!s.grammatical && s.text == good)
        throw rows_.at(column, "the good and the bad sentence are the same");
    const auto bad = std::find_if(item.sentences.begin(), item.sentences.end(),
                                  [](const Sentence& s) { return !s.grammatical; });
    const bool lone = words(good).size() == 1 && words(bad->text).size() == 1 &&
                      !ends_sentence(good) && !ends_sentence(bad->text);
    some_lone_ = some_lone_ || (lone && rows_.count == 1);
    if (are_strangers(good, bad->text) || (lone && !some_lone_ && !alike(good, bad->text)))
      throw rows_.at(column, fmt::format("'{}' and '{}' have no word in common", good, bad->text))
          .hint("a pair is one sentence in two versions: is the row shifted?");
  }

  bool some_lone_ = false;  // a list of words begins with one
};

// --- a sentence a row ---

struct LongRow {
  uint64_t line = 0;
  std::string test, item, condition;
  std::string text;
  bool good = false;
  Row fields;
  std::string mark = {};  // before the text
};

class LongItems : public ListItems {
 public:
  explicit LongItems(ListRows rows) : ListItems(std::move(rows)) {
    uint64_t bytes = 0;
    while (rows_.next()) {
      bytes += 64;
      for (const std::string& f : rows_.fields) bytes += f.size() + 32;
      if (bytes > kLargestLongList)
        throw bad_input("this list is too large for one sentence per row")
            .at(rows_.where())
            .hint("a list with a good and a bad sentence in each row may have any size");
      add_row();
    }
    account();
    judge();
    if (!group(true)) group(false);
  }

  bool next(Item& item) override {
    if (at_ == groups_.size()) return false;
    const std::vector<size_t>& group = groups_[at_++];
    fill(item, group);
    line_ = all_[group[0]].line;
    ids_.name(item, all_[group[0]].item, where());
    return true;
  }

  Where where() const override { return {rows_.where().file, line_, 0, {}}; }

 private:
  Error at(const LongRow& row, size_t column, const std::string& what) const {
    return bad_input(what).at(rows_.where().file, row.line, column + 1);
  }

  void add_row() {
    LongRow row{rows_.where().line,
                rows_.test(),
                std::string(trim(rows_.value(Role::item))),
                std::string(trim(rows_.value(Role::condition))),
                rows_.value(Role::sentence),
                false,
                rows_.fields};
    row.mark = judgment_before(row.text);
    if (!row.mark.empty()) row.text = trim(trim(row.text).substr(row.mark.size()));
    rows_.check_sentence(row.text, rows_.column(Role::sentence));
    // Without numbers, two rows after each other are a pair; each must have both sides.
    if (!rows_.has(Role::item)) row.item = std::to_string(all_.size() / 2 + 1);
    if (row.item.empty())
      throw rows_.at(rows_.column(Role::item), "which item does this sentence belong to?")
          .hint("write the item's number in each of its rows, or merge the cells");
    all_.push_back(std::move(row));
  }

  // Which sentences are grammatical: a column says so, or stars, or the conditions' names.
  void judge() {
    const bool stars =
        std::any_of(all_.begin(), all_.end(), [](const LongRow& row) { return !row.mark.empty(); });
    const size_t none = rows_.roles.size();
    judgment_ = rows_.has(Role::judgment) ? rows_.column(Role::judgment)
                : stars                   ? none
                                          : rows_.column(Role::condition);
    if (judgment_ == none && !stars)
      throw bad_input("no column says which sentences are grammatical")
          .at(rows_.where().file)
          .hint(
              "add one: 'grammatical' with 1 and 0; or put a star before the others; or say which\n"
              "  columns are pairs: minpair convert LIST OUT.jsonl --columns good=Satz,bad=Falsch");
    for (LongRow& row : all_) {
      const bool starred = !row.mark.empty();
      row.good = judgment_ < none ? judgment(row) == 1 : !starred;
      if (starred && row.good)
        throw at(row, judgment_,
                 fmt::format("'{}' before the sentence says that it is not grammatical, and this "
                             "column says the opposite",
                             row.mark));
      if (judgment_ == none && starred && row.mark.find('*') == row.mark.npos)
        throw at(row, rows_.column(Role::sentence),
                 fmt::format("'{}' says neither grammatical nor ungrammatical", row.mark))
            .hint("write a star before what is ungrammatical");
      if (judgment_ == rows_.column(Role::condition)) row.condition.clear();
    }
  }

  int judgment(const LongRow& row) const {
    const std::string& text = row.fields[judgment_];
    int said = judgment_of(text);
    if (said < 0)
      throw at(row, judgment_, fmt::format("'{}' says neither grammatical nor ungrammatical", text))
          .hint(rows_.roles[judgment_] == Role::judgment
                    ? "write 1 or 0, yes or no, grammatical or ungrammatical"
                    : "add a column 'grammatical' with 1 and 0");
    return said;
  }

  // False when some group lacks a side, and another way of grouping is left to try.
  bool group(bool by_condition) {
    by_condition_ = by_condition;
    groups_.clear();
    std::map<std::string, size_t> places;
    for (size_t i = 0; i < all_.size(); ++i) {
      std::string key = all_[i].test + '\0' + all_[i].item;
      if (by_condition) key += '\0' + all_[i].condition;
      auto [place, is_new] = places.try_emplace(std::move(key), groups_.size());
      if (is_new) groups_.emplace_back();
      groups_[place->second].push_back(i);
    }
    for (std::vector<size_t>& g : groups_) {
      std::stable_partition(g.begin(), g.end(), [&](size_t i) { return all_[i].good; });
      const bool has_good = all_[g.front()].good, has_bad = !all_[g.back()].good;
      if (has_good && has_bad) continue;
      if (by_condition) return false;
      const LongRow& row = all_[g[0]];
      throw at(row, rows_.column(Role::item),
               fmt::format("item '{}' has no {} sentence", row.item,
                           has_good ? "ungrammatical" : "grammatical"))
          .hint(
              "rows that belong together have one number; --columns item=NAME says in which "
              "column it is");
    }
    return true;
  }

  void fill(Item& item, const std::vector<size_t>& group) {
    clear_item(item);
    const LongRow& first = all_[group[0]];
    item.test = first.test;
    if (by_condition_) item.condition = first.condition;
    item.sentences.clear();
    for (size_t i : group) item.sentences.push_back({{all_[i].text}, {}, all_[i].good});
    align_loci(item.sentences);
    for (size_t c = 0; c < rows_.roles.size(); ++c) fill_column(item, group, c);
  }

  // What all sentences of an item share is the item's; the rest is kept for each of them.
  void fill_column(Item& item, const std::vector<size_t>& group, size_t c) {
    const Role role = rows_.roles[c];
    const auto value = [&](size_t i) { return trim(all_[group[i]].fields[c]); };
    bool same = true;
    for (size_t i = 1; i < group.size(); ++i) same = same && value(i) == value(0);
    if (role == Role::context)
      for (size_t i = 0; i < group.size(); ++i) item.sentences[i].context = value(i);
    if (role == Role::language && same) item.language = value(0);
    if (role == Role::cluster && same) item.cluster = value(0);
    const bool kept = role == Role::feature ||
                      (!same && (role == Role::cluster || role == Role::language)) ||
                      (role == Role::condition && !by_condition_);
    if (!kept || c == judgment_ || rows_.header[c].empty()) return;
    if (same && role == Role::condition) item.condition = value(0);
    if (same && role == Role::feature && !value(0).empty())
      add_feature(item, rows_.header[c], value(0));
    for (size_t i = 0; !same && i < group.size(); ++i)
      if (!value(i).empty()) add_feature(item, rows_.header[c] + "_" + side(item, i), value(i));
  }

  static std::string side(const Item& item, size_t sentence) {
    if (!is_pair(item)) return std::to_string(sentence + 1);
    return item.sentences[sentence].grammatical ? "good" : "bad";
  }

  std::vector<LongRow> all_;
  std::vector<std::vector<size_t>> groups_;
  size_t judgment_ = 0;
  bool by_condition_ = true;
  size_t at_ = 0;
  uint64_t line_ = 0;
};

std::unique_ptr<ItemStream> open_list(ListRows rows) {
  if (makes_pairs(rows.roles)) return std::make_unique<WideItems>(std::move(rows));
  return std::make_unique<LongItems>(std::move(rows));
}

// --- spreadsheets ---

// Every sheet that is a list, one after the other; where there are several, a sheet is a test.
class SheetItems : public FileItemStream {
 public:
  SheetItems(const fs::path& file, const std::string& columns) {
    std::vector<Sheet> sheets = read_spreadsheet(file);
    std::erase_if(sheets, [](const Sheet& s) { return s.rows.empty(); });
    if (sheets.empty()) throw bad_input("there is nothing in it").at(file.string());
    const bool several = sheets.size() > 1;
    for (Sheet& sheet : sheets) {
      if (several && !is_list_sheet(sheet, columns)) {
        skip(fmt::format("the sheet '{}' names no columns for sentences", sheet.name));
        continue;
      }
      std::string name = file.string(), test = several ? sheet.name : file.stem().string();
      if (several) name += fmt::format(", sheet '{}'", sheet.name);
      streams_.push_back(open_list({sheet_table(std::move(sheet), name, test), columns, false}));
    }
    if (streams_.empty())
      throw bad_input("no sheet of it names columns for sentences")
          .at(file.string())
          .hint(kHowToName);
  }

  bool next(Item& item) override {
    for (; at_ < streams_.size(); ++at_) {
      if (streams_[at_]->next(item)) return true;
      for (const auto& [reason, n] : streams_[at_]->skipped())
        for (uint64_t i = 0; i < n; ++i) skip(reason);
    }
    return false;
  }

  Where where() const override { return streams_[std::min(at_, streams_.size() - 1)]->where(); }
  std::string columns() override { return streams_[0]->columns(); }

 private:
  static bool is_list_sheet(const Sheet& sheet, const std::string& columns) {
    if (!columns.empty()) return true;  // and where there is no such column, that is an error
    std::vector<std::vector<std::string>> first;
    for (size_t i = 0; i < std::min(sheet.rows.size(), kMostTitles); ++i)
      first.push_back(sheet.rows[i].cells);
    return header_among(first, columns) < first.size();
  }

  std::vector<std::unique_ptr<ItemStream>> streams_;
  size_t at_ = 0;
};

}  // namespace

bool is_spreadsheet(const fs::path& file) {
  const std::string extension = lower(file.extension().string());
  return extension == ".xlsx" || extension == ".ods" || extension == ".xlsm" || extension == ".xls";
}

bool is_list(const FileHead& head) {
  if (is_spreadsheet(head.path)) return true;
  const std::string extension = lower(head.path.extension().string());
  const bool table = extension == ".csv" || extension == ".tsv";
  std::vector<std::vector<std::string>> first;
  for (const std::string& line : head.lines)
    if (!line.starts_with("sep=") && first.size() < (table ? kMostTitles : 1))
      first.push_back(split_row(line, separator_of(line), true));
  return header_among(first, "") < first.size();
}

std::unique_ptr<ItemStream> read_list(const fs::path& file, const std::string& columns,
                                      bool published) {
  if (is_spreadsheet(file)) return std::make_unique<SheetItems>(file, columns);
  ListRows rows(text_table(file, separator_of_file(file, columns), true), columns, false);
  rows.published = published;
  return open_list(std::move(rows));
}

std::unique_ptr<ItemStream> read_two_columns(const fs::path& file) {
  return open_list({text_table(file, '\t', false), "", true});
}

}  // namespace minpair::suite

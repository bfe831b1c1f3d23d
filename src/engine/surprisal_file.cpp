// Surprisal of the words of a file: plain text, or a column of a table; one row per word.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <numbers>
#include <variant>

#include "base/counts.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/rows.h"
#include "engine/job.h"
#include "engine/surprisal.h"
#include "suite/json_rows.h"
#include "suite/json_text.h"

namespace minpair::engine {
namespace {

namespace fs = std::filesystem;
using Kept = std::vector<suite::Field>;  // the other columns of a row

// --- reading ---

class Texts {
 public:
  virtual ~Texts() = default;
  virtual bool next(std::string& text, Kept& kept) = 0;
};

class Lines : public Texts {
 public:
  explicit Lines(const fs::path& file) : lines_(file) {}
  bool next(std::string& text, Kept&) override {
    std::string_view line;
    if (!lines_.next(line)) return false;
    if (!valid_utf8(line))
      throw bad_input("this line is not UTF-8").at(lines_.name(), lines_.line_number());
    text = line;
    return true;
  }

 private:
  LineReader lines_;
};

Error no_column(const std::string& column, const std::vector<std::string>& known,
                const std::string& file) {
  std::string guess = closest(column, known);
  return bad_input(fmt::format("there is no column '{}'", column))
      .at(file, 1)
      .hint(guess.empty() ? fmt::format("there are {}", join(known, ", "))
                          : fmt::format("did you mean '{}'?", guess));
}

class TableTexts : public Texts {
 public:
  TableTexts(const fs::path& file, char separator, const std::string& column)
      : rows_(file, separator, separator == ',') {
    if (!rows_.next(names_)) throw bad_input("the table is empty").at(rows_.name());
    column_ = size_t(std::find(names_.begin(), names_.end(), column) - names_.begin());
    if (column_ == names_.size()) throw no_column(column, names_, rows_.name());
  }
  bool next(std::string& text, Kept& kept) override {
    if (!rows_.next(fields_)) return false;
    if (fields_.size() != names_.size())
      throw bad_input(fmt::format("{} where the first line has {}",
                                  counted(fields_.size(), "column"), names_.size()))
          .at(rows_.name(), rows_.line());
    kept.clear();
    for (size_t i = 0; i < fields_.size(); ++i)
      if (!valid_utf8(fields_[i]))
        throw bad_input("this row is not UTF-8").at(rows_.name(), rows_.line());
      else if (i == column_)
        text = fields_[i];
      else
        kept.push_back({names_[i], fields_[i]});
    return true;
  }

 private:
  RowReader rows_;
  std::vector<std::string> names_, fields_;
  size_t column_;
};

class JsonTexts : public Texts {
 public:
  JsonTexts(const fs::path& file, std::string column) : rows_(file), column_(std::move(column)) {}
  bool next(std::string& text, Kept& kept) override {
    if (!rows_.next(kept)) return false;
    auto found = std::find_if(kept.begin(), kept.end(),
                              [&](const suite::Field& f) { return f.name == column_ && !f.json; });
    if (found == kept.end())
      throw bad_input(fmt::format("there is no text \"{}\"", column_))
          .at(rows_.name(), rows_.line());
    text = found->text;
    kept.erase(found);
    return true;
  }

 private:
  suite::JsonRowReader rows_;
  std::string column_;
};

std::unique_ptr<Texts> open_texts(const fs::path& in, const std::string& column) {
  std::string ending = in.extension().string();
  bool table = ending == ".csv" || ending == ".tsv" || ending == ".jsonl";
  if (table && column.empty())
    throw wrong_call(fmt::format("which column of '{}' has the texts?", in.string()))
        .hint("name it with --column");
  if (column.empty()) return std::make_unique<Lines>(in);
  if (ending == ".jsonl") return std::make_unique<JsonTexts>(in, column);
  return std::make_unique<TableTexts>(in, ending == ".tsv" ? '\t' : ',', column);
}

// --- writing ---

// Rows as CSV, TSV or JSON Lines.
class RowFormat {
 public:
  RowFormat(const std::string& format, const SurprisalFile& how)
      : json_(format == "jsonl"), separator_(format == "tsv" ? '\t' : ','), how_(how) {
    own_ = {"text", "position", "word", "pieces", "surprisal", "corrected"};
    if (how.options.entropy) own_.push_back("entropy");
    if (how.options.rank) own_.push_back("rank");
    own_.insert(own_.end(), {"length", "unknown"});
  }

  bool quotes() const { return !json_ && separator_ == ','; }
  // A column of the table that is called as one of ours.
  std::string kept_name(const std::string& name) const {
    bool taken = std::find(own_.begin(), own_.end(), name) != own_.end();
    return taken ? name + "_in" : name;
  }

  std::string head(const Kept& kept) {
    for (const suite::Field& f : kept) columns_.push_back(kept_name(f.name));
    if (json_) return {};
    std::vector<std::string> names = columns_;
    names.insert(names.end(), own_.begin(), own_.end());
    return row(names);
  }

  void append(std::string& to, const Kept& kept, const WordSurprisal& w) const {
    if (json_) return append_json(to, kept, w);
    std::vector<std::string> fields(columns_.size());
    for (const suite::Field& f : kept) {
      auto at = std::find(columns_.begin(), columns_.end(), kept_name(f.name));
      if (at != columns_.end()) fields[size_t(at - columns_.begin())] = f.text;
    }
    for (const Value& value : values_of(w))
      fields.push_back(std::visit([](const auto& v) { return table_text(v); }, value));
    to += row(std::move(fields));
  }

 private:
  using Value = std::variant<uint64_t, double, bool, std::string_view>;

  // In the order of `own_`.
  std::vector<Value> values_of(const WordSurprisal& w) const {
    const double unit = how_.bits ? std::numbers::ln2 : 1;
    std::vector<Value> values = {w.text,
                                 uint64_t{w.position},
                                 std::string_view(w.word),
                                 uint64_t{w.pieces},
                                 w.surprisal / unit,
                                 w.corrected / unit};
    if (how_.options.entropy) values.emplace_back(w.entropy / unit);
    if (how_.options.rank) values.push_back(w.rank ? Value(uint64_t{w.rank}) : Value(std::nan("")));
    values.emplace_back(uint64_t{count_characters(w.word)});
    values.emplace_back(w.unknown);
    return values;
  }

  static std::string table_text(std::string_view text) { return std::string(text); }
  static std::string table_text(bool flag) { return flag ? "1" : "0"; }
  static std::string table_text(uint64_t n) { return std::to_string(n); }
  static std::string table_text(double x) { return std::isnan(x) ? "" : fmt::format("{}", x); }

  static void write(suite::JsonWriter& json, std::string_view text) { json.text(text); }
  static void write(suite::JsonWriter& json, bool flag) { json.boolean(flag); }
  static void write(suite::JsonWriter& json, uint64_t n) { json.whole(n); }
  static void write(suite::JsonWriter& json, double x) { json.number(x); }

  void append_json(std::string& to, const Kept& kept, const WordSurprisal& w) const {
    suite::JsonWriter json(to);
    json.open('{');
    for (const suite::Field& f : kept) {
      json.key(kept_name(f.name));
      f.json ? json.json(f.text) : json.text(f.text);
    }
    const std::vector<Value> values = values_of(w);
    for (size_t i = 0; i < values.size(); ++i) {
      json.key(own_[i]);
      std::visit([&](const auto& v) { write(json, v); }, values[i]);
    }
    json.close('}');
    to += '\n';
  }

  std::string row(std::vector<std::string> fields) const {
    // A table without quotes has no place for a separator.
    if (!quotes())
      for (std::string& field : fields)
        for (char& c : field)
          if (c == separator_ || c == '\n' || c == '\r') c = ' ';
    std::string text;
    append_row(text, fields, separator_, quotes());
    return text;
  }

  bool json_;
  char separator_;
  SurprisalFile how_;
  std::vector<std::string> own_, columns_;
};

std::string format_of(const fs::path& out, const std::string& asked) {
  if (!asked.empty()) return asked;
  std::string ending = out.extension().string();
  return ending == ".tsv" ? "tsv" : ending == ".jsonl" ? "jsonl" : "csv";
}

// All that was asked for, whatever the texts are.
std::string asked_for(const query::Model& model, const fs::path& in, const SurprisalFile& how) {
  const query::ModelInfo& info = model.info();
  const SurprisalOptions& o = how.options;
  return fmt::format("{}\n{}\n{}\n{} {}\n{}\n{}\n{} {} {} {} {}", info.fingerprint,
                     model.tokenizer().fingerprint(), info.precision, info.start, info.end,
                     in.string(), how.column, o.overlap, o.by_line, o.entropy, o.rank, o.method);
}

Hash128 content_of(const fs::path& file) {
  Fingerprint content;
  LineReader lines(file);
  for (std::string_view line; lines.next(line);) content.add(line);
  return hash128(content.text());
}

// A file beside which a journal can lie, made from one that can be read again.
bool can_resume(const fs::path& in, const fs::path& out) {
  std::error_code ignored;
  return fs::is_regular_file(in, ignored) && out != "-" &&
         (!fs::exists(out, ignored) || fs::is_regular_file(out, ignored));
}

}  // namespace

SurprisalDone surprisal_of_file(query::Model& model, const fs::path& in, const fs::path& out,
                                const SurprisalFile& how,
                                const std::function<void(uint64_t words)>& tick) {
  RowFormat rows(format_of(out, how.format), how);
  std::unique_ptr<Texts> texts = open_texts(in, how.column);
  AtomicFile file(out);
  std::unique_ptr<JournaledModel> journaled;
  if (can_resume(in, out)) {
    const std::string asked = asked_for(model, in, how);
    journaled = std::make_unique<JournaledModel>(
        model, journal_file(out, asked), JobKey{content_of(in), hash128(asked), in.string()});
  }
  SurprisalDone done;
  SurprisalOptions options = how.options;
  options.by_line |= !how.column.empty();
  std::deque<std::pair<uint64_t, Kept>> under_way;  // texts whose words are not all written
  std::string line;
  query::Model& asked = journaled ? *journaled : model;
  Surprisal words(asked, options, [&](const WordSurprisal& w) {
    while (under_way.front().first < w.text) under_way.pop_front();
    line.clear();
    rows.append(line, under_way.front().second, w);
    file.write(line);
    done.unknown += w.unknown;
    done.unscored += std::isnan(w.surprisal);
  });
  std::string text;
  for (Kept kept; texts->next(text, kept);) {
    if (done.texts++ == 0) file.write(rows.head(kept));
    under_way.emplace_back(done.texts, kept);
    words.add(text);
    if (tick) tick(words.words());
  }
  if (done.texts == 0) throw bad_input("there are no texts").at(in.string());
  words.finish();
  file.commit();
  if (journaled) {
    done.resumed = journaled->answered();
    journaled->remove();
  }
  done.words = words.words();
  return done;
}

}  // namespace minpair::engine

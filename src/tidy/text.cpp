#include <fmt/compile.h>
#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "base/error.h"
#include "base/file.h"
#include "base/outgoing.h"
#include "suite/json_text.h"
#include "tidy/tidy.h"

namespace minpair::tidy {
namespace {

void append_vector(std::string& to, const Column& c, size_t row, uint32_t width) {
  for (uint32_t i = 0; i < width; ++i) {
    if (i > 0) to += ' ';
    fmt::format_to(std::back_inserter(to), FMT_COMPILE("{}"), c.values[row * width + i]);
  }
}

// Of a value that is there, and no text.
void append_cell(std::string& to, const Field& field, const Column& c, size_t row) {
  auto out = std::back_inserter(to);
  if (field.type == Type::integer) fmt::format_to(out, FMT_COMPILE("{}"), c.integers[row]);
  if (field.type == Type::number) fmt::format_to(out, FMT_COMPILE("{}"), c.numbers[row]);
  if (field.type == Type::truth) to += c.truth(row) ? "true" : "false";
  if (field.type == Type::vector) append_vector(to, c, row, field.width);
}

void write_json_cell(suite::JsonWriter& json, const Field& field, const Column& c, size_t row) {
  if (!c.has(row))
    json.json("null");
  else if (field.type == Type::text)
    json.text(c.text(row));
  else if (field.type == Type::truth)
    json.boolean(c.truth(row));
  else if (field.type == Type::integer)
    json.integer(c.integers[row]);
  else if (field.type == Type::vector) {
    json.open('[');
    for (uint32_t i = 0; i < field.width; ++i) json.number(c.values[row * field.width + i]);
    json.close(']');
  } else
    json.number(c.numbers[row]);
}

void append_json_row(std::string& to, const Frame& frame, size_t row) {
  suite::JsonWriter json(to);
  json.open('{');
  for (size_t i = 0; i < frame.fields().size(); ++i) {
    json.key(frame.fields()[i].name);
    write_json_cell(json, frame.fields()[i], frame.columns()[i], row);
  }
  json.close('}');
  to += '\n';
}

char separator_of(Format format) { return format == Format::tsv ? '\t' : ','; }

void append_text_cell(std::string& to, std::string_view text, Format format, Texts texts) {
  if (texts == Texts::exact) return append_field(to, text, separator_of(format));
  append_outgoing(to, text, format == Format::tsv ? Medium::tsv : Medium::csv);
}

std::string header(const std::vector<Field>& fields, Format format) {
  std::string line;
  if (format == Format::jsonl) return line;
  for (const Field& field : fields) {
    if (!line.empty()) line += separator_of(format);
    append_text_cell(line, field.name, format, Texts::safe);
  }
  return line + "\n";
}

}  // namespace

Format find_format(const std::string& name) {
  if (name == "csv") return Format::csv;
  if (name == "tsv") return Format::tsv;
  if (name == "jsonl") return Format::jsonl;
  throw wrong_call(fmt::format("there is no format '{}'", name)).hint("csv, tsv, jsonl");
}

Format format_for(const std::filesystem::path& file) {
  const std::string end = file.extension().string();
  if (end == ".tsv") return Format::tsv;
  if (end == ".jsonl") return Format::jsonl;
  if (end == ".csv" || end == ".txt" || end.empty()) return Format::csv;
  throw wrong_call(fmt::format("rows are not written as '{}'", end))
      .at(file.string())
      .hint("a name that ends in .csv, .tsv or .jsonl");
}

void append_text(std::string& to, const Frame& frame, Format format, Texts texts) {
  char separator = separator_of(format);
  for (size_t row = 0; row < frame.rows(); ++row) {
    if (format == Format::jsonl) {
      append_json_row(to, frame, row);
      continue;
    }
    for (size_t i = 0; i < frame.fields().size(); ++i) {
      if (i > 0) to += separator;
      const Field& field = frame.fields()[i];
      const Column& column = frame.columns()[i];
      if (!column.has(row)) continue;
      if (field.type == Type::text)
        append_text_cell(to, column.text(row), format, texts);
      else
        append_cell(to, field, column, row);
    }
    to += '\n';
  }
}

std::string text_of(Rows& rows, Format format, Texts texts) {
  std::string text = header(rows.fields(), format);
  for (Frame frame; rows.next(frame);) append_text(text, frame, format, texts);
  return text;
}

void write_rows(Rows& rows, Format format, const std::filesystem::path& file, Texts texts) {
  AtomicFile out(file);
  out.write(header(rows.fields(), format));
  std::string text;
  for (Frame frame; rows.next(frame);) {
    text.clear();
    append_text(text, frame, format, texts);
    out.write(text);
  }
  out.commit();
}

}  // namespace minpair::tidy

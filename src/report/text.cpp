// Tables for a terminal.

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "report/layout.h"

namespace minpair::report {
namespace {

constexpr const char *kBold = "\033[1m", *kUnderline = "\033[4m", *kDim = "\033[2m",
                     *kPlain = "\033[0m";

std::string pad_left(const std::string& text, size_t width) {
  size_t w = display_width(text);
  return std::string(width > w ? width - w : 0, ' ') + text;
}

std::string pad_right(const std::string& text, size_t width) {
  size_t w = display_width(text);
  return text + std::string(width > w ? width - w : 0, ' ');
}

std::string shorten(const std::string& text, size_t width) {
  if (display_width(text) <= width) return text;
  return text.substr(0, byte_of_character(text, width > 1 ? width - 1 : 0)) + "…";
}

std::string trim_end(std::string line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line + "\n";
}

class Drawing {
 public:
  Drawing(const Table& table, const TextStyle& style)
      : table_(table), style_(style), layout_(lay_out(table)) {
    measure();
  }

  std::string draw() {
    std::string out = styled(kBold, table_.title) + "\n";
    for (size_t from = 0; from < layout_.columns.size();) {
      size_t to = block_end(from);
      if (from > 0) out += "\n";
      draw_block(out, from, to);
      from = to;
    }
    for (const std::string& line : remarks()) out += wrapped("", line, style_.width, 2);
    return out;
  }

 private:
  std::string styled(const char* how, const std::string& text) const {
    return style_.color ? how + text + kPlain : text;
  }

  void measure() {
    for (size_t r = 0; r < table_.rows.size(); ++r) {
      const std::vector<std::string>& titles = table_.rows[r].titles;
      label_widths_.resize(std::max(label_widths_.size(), titles.size()), 0);
      for (size_t i = 0; i < titles.size(); ++i)
        label_widths_[i] = std::max(label_widths_[i], display_width(titles[i]));
    }
    if (!label_widths_.empty()) label_widths_[0] = std::max<size_t>(label_widths_[0], 3);
    if (!label_widths_.empty() && layout_.with_total)
      label_widths_[0] = std::max(label_widths_[0], display_width(table_.total.titles[0]));
    // Labels may take half of the window.
    size_t most =
        std::max<size_t>(style_.width / 2, 20) / std::max<size_t>(label_widths_.size(), 1);
    for (size_t& w : label_widths_) w = std::min(w, most);
    for (const LayoutColumn& c : layout_.columns) {
      size_t w = 0;
      for (const std::string& h : c.head) w = std::max(w, std::min<size_t>(display_width(h), 24));
      size_t mark = mark_width(c);
      for (const std::string& t : c.texts) w = std::max(w, display_width(t) + mark);
      widths_.push_back(w);
    }
  }

  // Where there is no bold and no underlining, marks stand behind the numbers.
  size_t mark_width(const LayoutColumn& c) const {
    if (c.counts || style_.color) return 0;
    size_t most = 0;
    auto look = [&](const Row& row) {
      most = std::max<size_t>(most, size_t{row.cells[c.cell].best} + row.cells[c.cell].low);
    };
    for (const Row& row : table_.rows) look(row);
    look(table_.total);
    return most;
  }

  size_t labels_width() const {
    size_t w = 0;
    for (size_t l : label_widths_) w += l + 2;
    return w;
  }

  // As many columns as fit; counts stay with the numbers they belong to where possible.
  size_t block_end(size_t from) const {
    size_t width = labels_width(), to = from;
    while (to < widths_.size() && (to == from || width + widths_[to] <= style_.width)) {
      width += widths_[to] + 2;
      ++to;
    }
    if (to < widths_.size() && layout_.columns[to].counts && to - from > 1) --to;
    return to;
  }

  std::string blank_labels() const { return std::string(labels_width(), ' '); }

  void draw_heads(std::string& out, size_t from, size_t to) const {
    size_t lines = 0;
    for (size_t c = from; c < to; ++c) lines = std::max(lines, layout_.columns[c].head.size());
    for (size_t l = 0; l < lines; ++l) {
      std::string line = blank_labels();
      for (size_t c = from; c < to; ++c) {
        const std::vector<std::string>& head = layout_.columns[c].head;
        size_t missing = lines - head.size();
        std::string text = l < missing ? "" : head[l - missing];
        line += pad_left(shorten(text, 24), widths_[c]) + "  ";
      }
      out += trim_end(line);
    }
    size_t width = labels_width();
    for (size_t c = from; c < to; ++c) width += widths_[c] + 2;
    std::string rule;
    for (size_t i = 2; i < width; ++i) rule += "─";
    out += styled(kDim, rule) + "\n";
  }

  std::string cell(const LayoutColumn& column, const Row& row, size_t r, size_t width) const {
    const std::string& text = column.texts[r];
    if (column.counts || text.empty()) return pad_left(text, width);
    const Cell& c = row.cells[column.cell];
    if (size_t most = mark_width(column)) {
      std::string mark = std::string(c.best ? "*" : "") + (c.low ? "↓" : "");
      return pad_left(text + pad_right(mark, most), width);
    }
    std::string shown = c.low ? styled(kUnderline, text) : text;
    if (c.best) shown = styled(kBold, shown);
    return std::string(width - display_width(text), ' ') + shown;
  }

  void draw_row(std::string& out, const std::vector<std::string>& labels, const Row& row, size_t r,
                size_t from, size_t to) const {
    std::string line;
    for (size_t i = 0; i < label_widths_.size(); ++i)
      line += pad_right(i < labels.size() ? shorten(labels[i], label_widths_[i]) : "",
                        label_widths_[i]) +
              "  ";
    for (size_t c = from; c < to; ++c) line += cell(layout_.columns[c], row, r, widths_[c]) + "  ";
    out += trim_end(line);
  }

  void draw_block(std::string& out, size_t from, size_t to) const {
    draw_heads(out, from, to);
    for (size_t r = 0; r < table_.rows.size(); ++r) {
      const std::string& section = table_.rows[r].section;
      if (!section.empty() && (r == 0 || table_.rows[r - 1].section != section))
        out += styled(kDim, section) + "\n";
      draw_row(out, row_labels(table_, r), table_.rows[r], r, from, to);
    }
    if (layout_.with_total)
      draw_row(out, table_.total.titles, table_.total, table_.rows.size(), from, to);
  }

  std::vector<std::string> remarks() const {
    std::vector<std::string> lines;
    std::string marks_text;
    if (has_best(table_))
      marks_text += std::string(style_.color ? "bold" : "*") +
                    ": best of its row, and what is not below it beyond chance (p < 0.05)";
    if (has_low(table_))
      marks_text += std::string(marks_text.empty() ? "" : "; ") +
                    (style_.color ? "underlined" : "↓") + ": among the five lowest of its column";
    if (!marks_text.empty()) lines.push_back(marks_text);
    lines.push_back(join(table_.policies, "; "));
    for (const std::string& a : table_.account) lines.push_back(a);
    for (const std::string& n : table_.notes) lines.push_back("note: " + n);
    for (const std::string& m : table_.made) lines.push_back("made with: " + m);
    return lines;
  }

  const Table& table_;
  const TextStyle& style_;
  Layout layout_;
  std::vector<size_t> label_widths_, widths_;
};

}  // namespace

std::string text_tables(const std::vector<Table>& tables, const TextStyle& style) {
  std::string out;
  for (const Table& table : tables) {
    if (!out.empty()) out += "\n";
    out += Drawing(table, style).draw();
  }
  return out;
}

std::string wrapped(std::string line, std::string_view text, size_t width, size_t indent) {
  std::string out;
  bool first = true;
  for (std::string_view word : words(text)) {
    if (!first && display_width(line) + 1 + count_characters(word) > width) {
      out += line + "\n";
      line.assign(indent, ' ');
    } else if (!first) {
      line += " ";
    }
    line += word;
    first = false;
  }
  return out + line + "\n";
}

size_t window_width() {
  if (const char* columns = std::getenv("COLUMNS"))
    if (int n = std::atoi(columns); n >= 20) return size_t(n);
  struct winsize size;
  if (::ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20) return size.ws_col;
  return 100;
}

}  // namespace minpair::report

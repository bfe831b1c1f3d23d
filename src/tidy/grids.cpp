#include <algorithm>
#include <cmath>

#include "tidy/tidy.h"

namespace minpair::tidy {
namespace {

using report::GridColumn;

Type type_of(GridColumn::Kind kind) {
  return kind == GridColumn::Kind::text    ? Type::text
         : kind == GridColumn::Kind::count ? Type::integer
                                           : Type::number;
}

// A column of two grids has the type that holds the values of both.
Type common(Type a, Type b) {
  if (a == b) return a;
  return a == Type::text || b == Type::text ? Type::text : Type::number;
}

size_t column_of(const report::Grid& grid, const std::string& key) {
  size_t c = 0;
  while (c < grid.columns.size() && grid.columns[c].key != key) ++c;
  return c;
}

void add_value(Frame& frame, Type type, const report::GridValue& value) {
  const double* number = std::get_if<double>(&value);
  if (std::holds_alternative<std::monostate>(value) || (number && std::isnan(*number)))
    frame.nothing();
  else if (type == Type::text)
    frame.text(report::exact_text(value));
  else if (!number)
    frame.nothing();
  else if (type == Type::integer)
    frame.integer(int64_t(*number));
  else
    frame.number(*number);
}

}  // namespace

std::shared_ptr<Rows> rows_of(const std::vector<report::Grid>& grids) {
  std::vector<Field> fields = {{"kind"}, {"table"}};
  const auto own = ptrdiff_t(fields.size());
  std::vector<std::string> notes;
  for (const report::Grid& g : grids) {
    notes.insert(notes.end(), g.notes.begin(), g.notes.end());
    for (const GridColumn& c : g.columns) {
      auto known = std::find_if(fields.begin() + own, fields.end(),
                                [&](const Field& f) { return f.name == c.key; });
      if (known == fields.end())
        fields.push_back({c.key, type_of(c.kind), c.title});
      else
        known->type = common(known->type, type_of(c.kind));
    }
  }
  Frame frame(fields);
  for (const report::Grid& g : grids)
    for (const auto& row : g.rows) {
      frame.text(g.key).text_or_nothing(g.title);
      for (auto f = fields.begin() + own; f != fields.end(); ++f) {
        const size_t c = column_of(g, f->name);
        add_value(frame, f->type, c < row.size() ? row[c] : report::GridValue{});
      }
    }
  return std::make_shared<FrameRows>(std::move(frame), std::move(notes));
}

}  // namespace minpair::tidy

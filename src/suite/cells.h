#pragma once
// What can stand in a cell of a table, or in a field, that is no text: missing values, errors of
// spreadsheets, numbers, dates, judgments.

#include <string>
#include <string_view>

namespace minpair::suite {

// NA, NaN, #N/A, null, ...
bool is_missing(std::string_view text);
// Why no sentence, from whatever source, can be this: it is empty, stands for a missing value, or
// is an error or a formula of a spreadsheet. Empty: it can.
std::string why_no_sentence(std::string_view text);
// The same for a cell that somebody typed: it can also be a number, a date or a judgment, begin with
// a judgment, or be decoded wrongly.
std::string why_no_typed_sentence(std::string_view cell);
// Why a test, a condition, an item or a cluster cannot be called this.
std::string why_no_label(std::string_view cell);
// BCP 47: de, pt-BR.
bool is_language(std::string_view code);

// The judgment in front of a sentence: *, ?, ??, #, %. Empty: there is none.
std::string_view judgment_before(std::string_view text);

}  // namespace minpair::suite

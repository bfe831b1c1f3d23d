#pragma once
// Reads and answers as bytes: in sorted records, in the journal, between processes.

#include <string>
#include <string_view>
#include <vector>

#include "model/model.h"

namespace minpair {

void append_reads(std::string& to, const std::vector<Read>& reads);
void take_reads(std::string_view& from, std::vector<Read>& reads);

// An answer's shape is not written: `answer` comes in the shape that is expected.
void append_answer(std::string& to, const Answer& answer);
void take_answer(std::string_view& from, Answer& answer);

}  // namespace minpair

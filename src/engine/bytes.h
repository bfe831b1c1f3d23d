#pragma once
// Reads and answers as bytes: in sorted records, in the journal, between processes.

#include <string>
#include <string_view>
#include <vector>

#include "model/model.h"

namespace minpair::engine {

void append_reads(std::string& to, const std::vector<query::Read>& reads);
void take_reads(std::string_view& from, std::vector<query::Read>& reads);

// An answer's shape is not written: `answer` comes in the shape that is expected.
void append_answer(std::string& to, const query::Answer& answer);
void take_answer(std::string_view& from, query::Answer& answer);

}  // namespace minpair::engine

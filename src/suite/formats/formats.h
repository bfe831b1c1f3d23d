#pragma once
// Every format's entry in the table. Private to this folder.

#include "suite/formats/format.h"

namespace minpair::suite {

Format suite_format();
Format gevalm_format();
Format clams_format();
Format clams_bert_format();
Format marvin_linzen_format();
Format gulordava_format();
Format linzen_format();
Format bert_syntax_format();
Format bert_syntax_results_format();
Format does_bert_agree_format();
Format tsv_format();
Format syntaxgym_format();
Format lakretz_format();
Format lakretz_tasks_format();
Format zorro_format();
Format bhs_format();
Format feature_circuits_format();
Format comps_format();
Format causalgym_format();
Format climp_format();
Format ewok_format();
Format pairs_format();
std::vector<Format> published_list_formats();
std::vector<Format> blimp_formats();  // BLiMP and its relatives

std::unique_ptr<ItemStream> read_suite_file(const std::filesystem::path& file);

bool has_keys(const FileHead& head, std::initializer_list<std::string_view> keys);
// All lines that were looked at have this many fields.
bool has_columns(const FileHead& head, size_t columns);

}  // namespace minpair::suite

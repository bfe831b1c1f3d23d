#pragma once
// Private to the room: what a hub says about a model, which may be anything.

#include "hub/fetch.h"

namespace minpair::hub {

using Headers = std::map<std::string, std::string>;  // names in lower case

// One line of the head of an answer; a status line begins it anew.
void add_header(std::string_view line, Headers& headers);

struct Repository {
  std::string commit;
  std::map<std::string, uint64_t> files;  // and their sizes
};

// The list of files; `url` is for messages. What could lead out of the cache is not listed.
Repository repository_of(std::string_view body, const std::string& url);
// The hash and the size that the head of an answer names.
Content content_of(const Headers& headers, const std::string& url);
// The files that minpair needs of a model: its weights in one format, configuration, tokenizer.
std::vector<std::string> needed(const std::string& model,
                                const std::map<std::string, uint64_t>& files);

}  // namespace minpair::hub

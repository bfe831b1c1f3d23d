#pragma once
// The Hugging Face hub and its usual cache on disk, shared with every other program that uses it:
//
//   <cache>/models--ORG--NAME/blobs/<hash>            what was fetched, named by its hash
//                            /snapshots/<commit>/...  links to the blobs, by file name
//                            /refs/<revision>         which commit a branch or tag was

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace minpair::hub {

struct Settings {
  std::string endpoint = "https://huggingface.co";
  std::filesystem::path cache;
  std::string token;  // sent to the endpoint only
  bool offline = false;
  int retry_milliseconds = 500;  // before the first retry; doubles
};

// HF_ENDPOINT; HF_HUB_CACHE, HF_HOME/hub or ~/.cache/huggingface/hub; HF_TOKEN, or the file that a
// login leaves (HF_TOKEN_PATH, HF_HOME/token); HF_HUB_OFFLINE.
Settings settings();

struct PullOptions {
  std::string revision = "main";   // a branch, a tag or a commit
  std::vector<std::string> files;  // exactly these; empty: what minpair needs
  bool dry_run = false;            // only ask what would be fetched
  bool quiet = false;
  // Is told what config.json says before anything else is fetched, and may throw. Not where files
  // are named.
  std::function<void(const std::string& config)> look = {};
};

struct Pulled {
  std::filesystem::path folder;  // the snapshot
  std::string commit;
  std::vector<std::string> files;
  std::vector<uint64_t> sizes;  // of each
  uint64_t bytes = 0;           // of all files
  uint64_t fetched = 0;         // over the network, this time
};

// Fetches configuration, tokenizer and the weights in one format (safetensors, else PyTorch).
// Continues where an earlier call was cut off. Every file is checked against the hash that the hub
// names before it gets its name; the revision is only recorded when all files are there.
Pulled pull(const std::string& model, const PullOptions& options = {},
            const Settings& settings = hub::settings());

// The snapshot folder of a model ("ORG/NAME", or "ORG/NAME@REVISION") in the cache; empty when it
// is not there. Asks nobody.
std::filesystem::path locate(const std::string& model, const Settings& settings = hub::settings());

struct Known {
  std::string name;
  std::filesystem::path folder;
  uint64_t bytes = 0;
  std::string
      kind;  // "BertForMaskedLM", or what else its config.json says; "GGUF"; "" when unknown
};

// Every model of which the cache has weights, by name; revisions beside main as NAME@REVISION.
std::vector<Known> cached_models(const Settings& settings = hub::settings());
// Those that ship with minpair, by name.
std::vector<Known> shipped_models();
// The same of one folder.
Known describe(const std::string& name, const std::filesystem::path& folder);

// Is it written like a model's name on the hub: NAME or ORG/NAME?
bool is_model_name(const std::string& name);

}  // namespace minpair::hub

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/progress.h"
#include "hub/fetch.h"

namespace minpair::hub {

namespace {

struct Repository {
  std::string commit;
  std::map<std::string, uint64_t> files;  // and their sizes
};

bool is_shard(const std::string& name, std::string_view stem, std::string_view extension) {
  return name.starts_with(std::string(stem) + "-") && name.find("-of-") != name.npos &&
         name.ends_with(extension);
}

// One format of weights, the better one; only at the top of the repository.
std::vector<std::string> weights(const std::map<std::string, uint64_t>& files) {
  const std::pair<std::string, std::string> formats[] = {{"model", ".safetensors"},
                                                         {"pytorch_model", ".bin"}};
  for (const auto& [stem, extension] : formats) {
    if (files.contains(stem + extension)) return {stem + extension};
    std::string index = stem + extension + ".index.json";
    if (!files.contains(index)) continue;
    std::vector<std::string> all{index};
    for (const auto& [name, bytes] : files)
      if (is_shard(name, stem, extension)) all.push_back(name);
    if (all.size() > 1) return all;
  }
  return {};
}

std::vector<std::string> needed(const std::string& model,
                                const std::map<std::string, uint64_t>& files) {
  std::vector<std::string> chosen = weights(files);
  if (chosen.empty()) {
    std::string others;
    for (const auto& [name, bytes] : files)
      if (name.ends_with(".gguf") || name.ends_with(".h5") || name.ends_with(".msgpack") ||
          name.ends_with(".onnx") || name.ends_with(".safetensors") || name.ends_with(".pt"))
        others += (others.empty() ? "" : ", ") + name;
    throw bad_input(fmt::format("{} has neither model.safetensors nor pytorch_model.bin", model))
        .hint(others.empty() ? "it may be no model at all"
                             : fmt::format("it has {}; --file NAME fetches one of them", others));
  }
  static const char* const small[] = {"config.json",
                                      "tokenizer.json",
                                      "tokenizer_config.json",
                                      "special_tokens_map.json",
                                      "added_tokens.json",
                                      "vocab.txt",
                                      "vocab.json",
                                      "merges.txt",
                                      "generation_config.json"};
  for (const char* name : small)
    if (files.contains(name)) chosen.push_back(name);
  for (const auto& [name, bytes] : files)
    if (name.ends_with(".model") && name.find('/') == name.npos) chosen.push_back(name);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

class Puller {
 public:
  Puller(const std::string& model, const PullOptions& options, const Settings& settings)
      : model_(model), options_(options), settings_(settings), fetcher_(settings) {}

  Pulled run() {
    Repository repository = ask();
    Pulled result;
    result.commit = repository.commit;
    result.files = options_.files.empty() ? needed(model_, repository.files) : options_.files;
    for (const std::string& file : result.files)
      if (!repository.files.contains(file))
        throw bad_input(fmt::format("{} has no file '{}'", model_, file));
    for (const std::string& file : result.files) {
      result.sizes.push_back(repository.files.at(file));
      result.bytes += result.sizes.back();
    }
    folder_ = repository_folder(model_, settings_);
    result.folder = folder_ / "snapshots" / repository.commit;
    if (options_.dry_run) return result;
    fs::create_directories(folder_ / "blobs");
    Progress progress(model_, result.bytes, options_.quiet);
    progress_ = &progress;
    for (const std::string& file : result.files) {
      fetch(repository.commit, file, result.folder / file);
      done_ += repository.files.at(file);
    }
    if (!is_commit(options_.revision)) {
      fs::path ref = folder_ / "refs" / options_.revision;
      fs::create_directories(ref.parent_path());
      write_file(ref, repository.commit);
    }
    result.fetched = fetcher_.fetched();
    return result;
  }

 private:
  Repository ask() {
    std::string url = fmt::format("{}/api/models/{}/revision/{}?blobs=true", settings_.endpoint,
                                  model_, escaped(options_.revision));
    Response r = fetcher_.persist([&] { return fetcher_.connection().get(url, 64 << 20); },
                                  [] { return false; });
    auto json = nlohmann::json::parse(r.body, nullptr, false);
    Repository repository;
    try {
      repository.commit = json.at("sha").get<std::string>();
      for (const auto& file : json.at("siblings")) {
        auto size = file.find("size");
        bool known = size != file.end() && size->is_number_unsigned();
        repository.files[file.at("rfilename").get<std::string>()] =
            known ? size->template get<uint64_t>() : 0;
      }
    } catch (const nlohmann::json::exception&) {
      throw bad_input(fmt::format("{} does not answer as a Hugging Face hub", url))
          .hint("is HF_ENDPOINT right?");
    }
    if (!is_commit(repository.commit))
      throw bad_input(fmt::format("{} names '{}', which is no commit", url, repository.commit));
    // What could lead out of the cache is not even listed.
    std::erase_if(repository.files, [](const auto& f) { return !is_safe_path(f.first); });
    return repository;
  }

  Content content(const std::string& url) {
    Response r =
        fetcher_.persist([&] { return fetcher_.connection().head(url); }, [] { return false; });
    bool linked = r.headers.contains("x-linked-etag");
    std::string tag = r.headers[linked ? "x-linked-etag" : "etag"];
    if (tag.starts_with("W/")) tag.erase(0, 2);
    std::erase(tag, '"');
    if ((tag.size() != 40 && tag.size() != 64) ||
        tag.find_first_not_of("0123456789abcdef") != tag.npos)
      throw bad_input(fmt::format("{} names no hash that the file could be checked by", url))
          .hint("is HF_ENDPOINT a Hugging Face hub?");
    std::string length =
        r.headers[r.headers.contains("x-linked-size") ? "x-linked-size" : "content-length"];
    Content c{tag, 0};
    if (length.empty() || length.find_first_not_of("0123456789") != length.npos)
      throw bad_input(fmt::format("{} does not say how long the file is", url));
    c.bytes = std::strtoull(length.c_str(), nullptr, 10);
    return c;
  }

  void fetch(const std::string& commit, const std::string& file, const fs::path& link) {
    std::string url =
        fmt::format("{}/{}/resolve/{}/{}", settings_.endpoint, model_, commit, escaped(file));
    std::error_code ignored;
    if (fs::is_regular_file(link, ignored)) return;  // a link is only made when all was right
    Content wanted = content(url);
    fs::path blob = folder_ / "blobs" / wanted.hash;
    Lock lock(settings_.cache / ".locks" / folder_.filename() / (wanted.hash + ".lock"));
    if (!fs::exists(blob))
      fetcher_.fetch(url, wanted, blob, "the hub names",
                     [&](uint64_t now) { progress_->set(done_ + now, file); });
    if (!fs::is_regular_file(blob))
      throw cannot("this is in the way of what is fetched").at(blob.string()).hint("move it away");
    fs::create_directories(link.parent_path());
    fs::remove(link, ignored);
    fs::create_symlink(fs::relative(blob, link.parent_path()), link);
  }

  const std::string& model_;
  const PullOptions& options_;
  const Settings& settings_;
  Fetcher fetcher_;
  fs::path folder_;
  Progress* progress_ = nullptr;
  uint64_t done_ = 0;
};

}  // namespace

Pulled pull(const std::string& model, const PullOptions& options, const Settings& settings) {
  if (!is_model_name(model))
    throw wrong_call(fmt::format("'{}' is not the name of a model on the hub", model))
        .hint("names look like ORG/NAME, as 'dbmdz/bert-base-german-cased'");
  if (!is_safe_path(options.revision))
    throw wrong_call(fmt::format("'{}' is not a revision", options.revision));
  if (settings.offline)
    throw cannot("HF_HUB_OFFLINE is set: nothing is fetched")
        .hint("unset it, or copy the model into a folder by hand and use -m FOLDER");
  try {
    return Puller(model, options, settings).run();
  } catch (const fs::filesystem_error& e) {
    throw cannot(e.code().message()).at(e.path1().string());
  }
}

}  // namespace minpair::hub

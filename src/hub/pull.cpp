#include <fmt/format.h>

#include "base/file.h"
#include "base/progress.h"
#include "hub/answers.h"
#include "hub/fetch.h"

namespace minpair::hub {

namespace {

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
    if (options_.look && options_.files.empty() && repository.files.contains("config.json"))
      options_.look(text(repository.commit, "config.json"));
    folder_ = repository_folder(model_, settings_);
    result.folder = folder_ / "snapshots" / repository.commit;
    if (options_.dry_run) return result;
    fs::create_directories(folder_ / "blobs");
    Progress progress(model_, result.bytes, options_.quiet);
    for (const std::string& file : result.files) {
      fetch(repository.commit, file, result.folder / file, progress);
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
  std::string get(const std::string& url) {
    return fetcher_
        .persist([&] { return fetcher_.connection().get(url, 16 << 20); }, [] { return false; })
        .body;
  }

  Repository ask() {
    std::string url = fmt::format("{}/api/models/{}/revision/{}?blobs=true", settings_.endpoint,
                                  model_, escaped(options_.revision));
    return repository_of(get(url), url);
  }

  std::string address(const std::string& commit, const std::string& file) const {
    return fmt::format("{}/{}/resolve/{}/{}", settings_.endpoint, model_, commit, escaped(file));
  }

  // What a small file says, which is not kept.
  std::string text(const std::string& commit, const std::string& file) {
    return get(address(commit, file));
  }

  Content content(const std::string& url) {
    return content_of(
        fetcher_.persist([&] { return fetcher_.connection().head(url); }, [] { return false; })
            .headers,
        url);
  }

  void fetch(const std::string& commit, const std::string& file, const fs::path& link,
             Progress& progress) {
    std::string url = address(commit, file);
    std::error_code ignored;
    if (fs::is_regular_file(link, ignored)) return;  // a link is only made when all was right
    Content wanted = content(url);
    fs::path blob = folder_ / "blobs" / wanted.hash;
    Lock lock(settings_.cache / ".locks" / folder_.filename() / (wanted.hash + ".lock"));
    if (!fs::exists(blob))
      fetcher_.fetch(url, wanted, blob, "the hub names",
                     [&](uint64_t now) { progress.set(done_ + now, file); });
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

// Effects in a results file: asked once, the same bytes however often it is killed, read back as
// they were.

#include "introspect/sweep_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "engine/made_up.h"
#include "introspect/contrast.h"
#include "introspect/made_up.h"
#include "support.h"

namespace minpair::introspect {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::HasSubstr;

// Counts what it is asked, and is killed after so many questions.
struct Counting : query::Model {
  Counting(query::Model& m, size_t most) : model(m), left(most) {}
  const query::ModelInfo& info() const override { return model.info(); }
  const tokenizer::Tokenizer& tokenizer() const override { return model.tokenizer(); }
  query::AskSet asks() const override { return model.asks(); }
  query::SiteSet sites() const override { return model.sites(); }
  std::vector<query::Answer> answer(std::span<const query::Query> queries) override {
    if (queries.size() > left) throw cannot("killed");
    left -= queries.size(), asked += queries.size();
    return model.answer(queries);
  }
  query::Model& model;
  size_t left, asked = 0;
};

// A small batch, so that a killed one leaves something behind.
struct SmallBatches : Counting {
  SmallBatches(query::Model& m, size_t most) : Counting(m, most), own(m.info()) {
    own.batch_tokens = 40;
  }
  const query::ModelInfo& info() const override { return own; }
  query::ModelInfo own;
};

class Sweeps : public ::testing::Test {
 protected:
  Sweeps() : items_(agreement("wort")) {
    model_ = model::load_model((source_dir() / "tests/model/golden/bert").string(), {.threads = 2});
  }
  std::filesystem::path file(const std::string& name) const { return folder_ / name; }
  SweepRequest request(store::Store& store, engine::Selection selection = {},
                       engine::Shard shard = {}) {
    const engine::SuiteSource source = source_of(items_);
    return {store, {source, source, source}, selection, shard};
  }
  PatchReadings patch(const std::string& name, query::Model& model,
                      engine::Selection selection = {}, engine::Shard shard = {},
                      const PatchOptions& options = {}) {
    store::Store store(file(name), store::Store::Mode::write);
    return cached_patches(model, request(store, selection, shard), options);
  }
  std::string bytes(const std::string& name) const { return read_file(file(name), 1 << 26); }
  size_t journals() const {
    size_t n = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
      n += entry.path().extension() == ".answers";
    return n;
  }

  TemporaryFolder folder_;
  std::vector<suite::Item> items_;
  std::unique_ptr<query::Model> model_;
};

std::string text_of(const report::Grid& grid) { return report::render_grids({grid}, "csv"); }

TEST_F(Sweeps, EveryKindComesBackAsItWasRead) {
  store::Store store(file("a.db"), store::Store::Mode::write);
  const engine::SuiteSource source = source_of(items_);
  EXPECT_EQ(text_of(lens_table(cached_lens(*model_, request(store)), By::condition)),
            text_of(lens_table(read_lens(*model_, source, {}), By::condition)));
  EXPECT_EQ(text_of(word_table(cached_erasure(*model_, request(store), "subject"), By::test)),
            text_of(word_table(read_erasure(*model_, source, {}, "subject"), By::test)));
  for (How how : {How::interchange, How::mean}) {
    const PatchOptions options{.site = query::Site::head, .how = how};
    const PatchReadings cached = cached_patches(*model_, request(store), options);
    const PatchReadings read = read_patches(*model_, source, source, {}, options);
    EXPECT_EQ(text_of(patch_table(cached, By::all, 5)), text_of(patch_table(read, By::all, 5)));
    EXPECT_EQ(cached.readings[3].where, read.readings[3].where);
    EXPECT_EQ(cached.readings[3].where[0], (Span{0, items_[3].sentences[1].text.find(' ')}));
    EXPECT_EQ(cached.readings[3].counterpart, read.readings[3].counterpart);
  }
  for (const AblateOptions& options :
       {AblateOptions{.site = query::Site::head},
        AblateOptions{.site = query::Site::head, .together = {{1, 0}, {2, 1}}}})
    EXPECT_EQ(text_of(ablate_table(cached_ablations(*model_, request(store), options), By::all, 5)),
              text_of(ablate_table(read_ablations(*model_, source, {}, options), By::all, 5)));
  EXPECT_EQ(effect_tables(store, {}).size(), 6u);
  EXPECT_EQ(store::sweeps(store).size(), 6u);
  EXPECT_THROW(effect_tables(store, {.models = {"none"}}), Error);
}

TEST_F(Sweeps, DirectEffectsToo) {
  model_ = model::load_model((source_dir() / "tests/model/golden/gpt2").string(), {.threads = 2});
  store::Store store(file("a.db"), store::Store::Mode::write);
  EXPECT_EQ(text_of(direct_table(cached_direct(*model_, request(store)), By::all)),
            text_of(direct_table(read_direct(*model_, source_of(items_), {}), By::all)));
  EXPECT_EQ(text_of(word_table(cached_alti(*model_, request(store), "subject"), By::all)),
            text_of(word_table(read_alti(*model_, source_of(items_), {}), By::all)));
  cached_erasure(*model_, request(store), "subject");
  EXPECT_EQ(store::sweeps(store).size(), 3u);
  EXPECT_EQ(effect_tables(store, {})[1].key, "alti");
}

TEST_F(Sweeps, StoredEffectsAreNotComputedAgain) {
  Counting first(*model_, SIZE_MAX), again(*model_, SIZE_MAX), more(*model_, SIZE_MAX);
  patch("a.db", first, {.limit = 10});
  const std::string before = bytes("a.db");
  patch("a.db", again, {.limit = 10});
  EXPECT_EQ(again.asked, 0u);
  EXPECT_EQ(bytes("a.db"), before);
  EXPECT_EQ(patch("a.db", more).readings.size(), items_.size());
  EXPECT_LT(more.asked, 2 * first.asked);
  EXPECT_GT(more.asked, 0u);
}

TEST_F(Sweeps, KilledOrNotTheSameBytes) {
  patch("whole.db", *model_);
  SmallBatches killed(*model_, 100), rest(*model_, SIZE_MAX), all(*model_, SIZE_MAX);
  EXPECT_THROW(patch("a.db", killed), Error);
  EXPECT_GT(killed.asked, 20u);
  EXPECT_EQ(journals(), 1u);
  patch("a.db", rest);
  EXPECT_EQ(bytes("a.db"), bytes("whole.db"));
  EXPECT_EQ(journals(), 0u);
  patch("b.db", all);
  EXPECT_EQ(killed.asked + rest.asked, all.asked);
}

TEST_F(Sweeps, ShardsAreAPartOfTheItems) {
  std::multiset<std::string> ids;
  for (uint32_t n = 1; n <= 3; ++n)
    for (const suite::Item& item : patch(fmt::format("{}.db", n), *model_, {}, {n, 3}).items.items)
      ids.insert(item.id);
  EXPECT_EQ(ids.size(), items_.size());
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), items_.size());
  EXPECT_THROW(patch("4.db", *model_, {}, {1, 2}, {.how = How::mean}), Error);
}

// As a shard of a run: job arrays go through, whatever the size of the suite.
TEST_F(Sweeps, AShardMayHaveNoItems) {
  items_.resize(1);
  store::Store store(file("a.db"), store::Store::Mode::write);
  const LensReadings read = cached_lens(*model_, request(store, {}, {1, 2}));
  EXPECT_TRUE(read.readings.empty());
  EXPECT_TRUE(lens_table(read, By::test).rows.empty());
  ASSERT_EQ(store::sweeps(store).size(), 1u);
  EXPECT_EQ(store::sweep_shards(store, 1).at(0).number, 1u);
}

TEST_F(Sweeps, EqualQueriesAreAskedOnceAndKeepTheirBits) {
  Counting once(*model_, SIZE_MAX), twice(*model_, SIZE_MAX);
  const AblateOptions options{.site = query::Site::head};
  const AblateReadings single = read_ablations(once, source_of(items_), {}, options);
  const size_t n = items_.size();
  for (size_t i = 0; i < n; ++i) items_.push_back(items_[i]);
  const AblateReadings doubled = read_ablations(twice, source_of(items_), {}, options);
  EXPECT_EQ(twice.asked, once.asked);
  ASSERT_EQ(doubled.readings.size(), 2 * n);
  for (size_t i = 0; i < 2 * n; ++i) {
    const AblateReadings::Item &one = doubled.readings[i], &same = single.readings[i % n];
    ASSERT_EQ(one.without.size(), same.without.size());
    EXPECT_EQ(one.margin, same.margin);
    EXPECT_EQ(std::memcmp(one.without.data(), same.without.data(), one.without.size() * 8), 0);
  }
  // As the model itself answers, one query at a time.
  query::Query query = margin_question(contrast_of(items_[3], *model_));
  EXPECT_EQ(single.readings[3].margin, margin_of(model_->answer({&query, 1})[0]));
  query.changes = {{{query::Site::head, 1, 0, query::kEverywhere}, query::Zero{}}};
  EXPECT_EQ(single.readings[3].without[0], margin_of(model_->answer({&query, 1})[0]));
}

TEST_F(Sweeps, ChangedInputOfAnInterruptedSweepIsAnError) {
  SmallBatches killed(*model_, 100);
  EXPECT_THROW(patch("a.db", killed), Error);
  items_[0].sentences[0].text += " wort7", items_[0].sentences[1].text += " wort7";
  try {
    patch("a.db", *model_);
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.message(), HasSubstr("the suite 'suite' changed"));
  }
}

TEST_F(Sweeps, AMeanBelongsToItsItems) {
  patch("a.db", *model_, {}, {}, {.how = How::mean});
  Counting some(*model_, SIZE_MAX);
  patch("a.db", some, {.limit = 12}, {}, {.how = How::mean});
  EXPECT_GT(some.asked, 0u);
}

// Once undefined behaviour: numbers from a file as places in a text.
TEST_F(Sweeps, PlacesOutsideOfTheSentenceAreAnErrorThatNamesTheFile) {
  store::Store good(file("a.db"), store::Store::Mode::write);
  cached_erasure(*model_, request(good, {.limit = 1}), "subject");
  const store::SweepRecord sweep = store::sweeps(good).at(0);
  store::Effects effects;
  store::each_effects(good, sweep.id,
                      [&](uint64_t, std::string_view, const store::Effects& e) { effects = e; });
  int number = 0;
  for (const double place : {std::nan(""), -1.0, 0.5, 1e300, 1e6}) {
    const std::string name = fmt::format("{}.db", number++);
    store::Store bad(file(name), store::Store::Mode::write);
    effects.values.at(2) = place;
    store::Store::Transaction transaction(bad);
    const int64_t suite = bad.add_suite(sweep.suite);
    bad.add_item(suite, 0, items_[0]);
    store::add_effects(
        bad, store::add_sweep(bad, suite, bad.add_model(sweep.model), sweep.name, {}), 0, effects);
    transaction.commit();
    try {
      effect_tables(bad, {});
      ADD_FAILURE() << place;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(name), std::string::npos) << e.what();
      EXPECT_NE(e.message().find("not in the sentence"), std::string::npos) << e.what();
    }
  }
}

TEST_F(Sweeps, StoredReasonsAreKeys) {
  items_[0].cloze = true;
  store::Store store(file("a.db"), store::Store::Mode::write);
  cached_lens(*model_, request(store, {.limit = 1}));
  store::each_effects(store, 1, [](uint64_t, std::string_view, const store::Effects& e) {
    EXPECT_EQ(e.excluded, "cloze");
  });
}

TEST_F(Sweeps, RowsHaveTheSameColumnsForAll) {
  store::Store store(file("a.db"), store::Store::Mode::write);
  cached_lens(*model_, request(store, {.limit = 2}));
  cached_erasure(*model_, request(store, {.limit = 2}), "subject");
  cached_patches(*model_, request(store, {.limit = 2}), {.roles = {"subject"}, .layers = {0, 1}});
  const tidy::Frame rows = effect_rows(store, {});
  // Three layers, three words (the last stands after the locus), two layers patched.
  EXPECT_EQ(rows.rows(), 2u * (3 + 3 + 2));
  const auto& column = [&](const std::string& name) -> const tidy::Column& {
    for (size_t c = 0; c < rows.fields().size(); ++c)
      if (rows.fields()[c].name == name) return rows.columns()[c];
    throw std::out_of_range(name);
  };
  const size_t last = rows.rows() - 1;
  EXPECT_EQ(column("at").text(last), "subject");
  EXPECT_EQ(column("layer").integers[last], 1);
  EXPECT_DOUBLE_EQ(column("margin").numbers[last] - column("value").numbers[last],
                   column("effect").numbers[last]);
}

}  // namespace
}  // namespace minpair::introspect

// Effects in a results file: asked once, the same bytes however often it is killed, read back as
// they were.

#include "introspect/kept.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/file.h"
#include "engine/made_up.h"
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

class Kept : public ::testing::Test {
 protected:
  Kept() : items_(agreement("wort")) {
    model_ = model::load_model((source_dir() / "tests/model/golden/bert").string(), {.threads = 2});
  }
  std::filesystem::path file(const std::string& name) const { return folder_ / name; }
  Keeping keeping(store::Store& store, engine::Selection selection = {}, engine::Shard shard = {}) {
    const engine::SuiteSource source = source_of(items_);
    return {store, {source, source, source}, selection, shard};
  }
  PatchReadings patch(const std::string& name, query::Model& model,
                      engine::Selection selection = {}, engine::Shard shard = {},
                      const PatchOptions& options = {}) {
    store::Store store(file(name), store::Store::Mode::write);
    return keep_patches(model, keeping(store, selection, shard), options);
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

TEST_F(Kept, EveryKindComesBackAsItWasRead) {
  store::Store store(file("a.db"), store::Store::Mode::write);
  const engine::SuiteSource source = source_of(items_);
  EXPECT_EQ(text_of(lens_table(keep_lens(*model_, keeping(store)), By::condition)),
            text_of(lens_table(read_lens(*model_, source, {}), By::condition)));
  EXPECT_EQ(text_of(word_table(keep_erasure(*model_, keeping(store), "subject"), By::test)),
            text_of(word_table(read_erasure(*model_, source, {}, "subject"), By::test)));
  for (How how : {How::interchange, How::mean}) {
    const PatchOptions options{.site = query::Site::head, .how = how};
    const PatchReadings kept = keep_patches(*model_, keeping(store), options);
    const PatchReadings read = read_patches(*model_, source, source, {}, options);
    EXPECT_EQ(text_of(patch_table(kept, By::all, 5)), text_of(patch_table(read, By::all, 5)));
    EXPECT_EQ(kept.readings[3].where, read.readings[3].where);
    EXPECT_EQ(kept.readings[3].where[0], (Span{0, items_[3].sentences[1].text.find(' ')}));
    EXPECT_EQ(kept.readings[3].counterpart, read.readings[3].counterpart);
  }
  for (const AblateOptions& options :
       {AblateOptions{.site = query::Site::head},
        AblateOptions{.site = query::Site::head, .together = {{1, 0}, {2, 1}}}})
    EXPECT_EQ(text_of(ablate_table(keep_ablations(*model_, keeping(store), options), By::all, 5)),
              text_of(ablate_table(read_ablations(*model_, source, {}, options), By::all, 5)));
  EXPECT_EQ(effect_tables(store, {}).size(), 6u);
  EXPECT_EQ(store::sweeps(store).size(), 6u);
  EXPECT_THROW(effect_tables(store, {.models = {"none"}}), Error);
}

TEST_F(Kept, DirectEffectsToo) {
  model_ = model::load_model((source_dir() / "tests/model/golden/gpt2").string(), {.threads = 2});
  store::Store store(file("a.db"), store::Store::Mode::write);
  EXPECT_EQ(text_of(direct_table(keep_direct(*model_, keeping(store)), By::all)),
            text_of(direct_table(read_direct(*model_, source_of(items_), {}), By::all)));
  EXPECT_EQ(text_of(word_table(keep_alti(*model_, keeping(store), "subject"), By::all)),
            text_of(word_table(read_alti(*model_, source_of(items_), {}), By::all)));
  keep_erasure(*model_, keeping(store), "subject");
  EXPECT_EQ(store::sweeps(store).size(), 3u);
  EXPECT_EQ(effect_tables(store, {})[1].key, "alti");
}

TEST_F(Kept, WhatIsThereIsNotAskedAgain) {
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

TEST_F(Kept, KilledOrNotTheSameBytes) {
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

TEST_F(Kept, ShardsAreAPartOfTheItems) {
  const PatchReadings one = patch("1.db", *model_, {}, {1, 3}),
                      two = patch("2.db", *model_, {}, {2, 3});
  EXPECT_EQ(one.readings.size(), items_.size() / 3);
  EXPECT_EQ(two.items.items[0].id, items_[items_.size() / 3].id);
  EXPECT_THROW(patch("3.db", *model_, {}, {1, 2}, {.how = How::mean}), Error);
}

TEST_F(Kept, AMeanBelongsToItsItems) {
  patch("a.db", *model_, {}, {}, {.how = How::mean});
  Counting some(*model_, SIZE_MAX);
  patch("a.db", some, {.limit = 12}, {}, {.how = How::mean});
  EXPECT_GT(some.asked, 0u);
}

// Once undefined behaviour: numbers from a file as places in a text.
TEST_F(Kept, PlacesOutsideOfTheSentenceAreAnErrorThatNamesTheFile) {
  store::Store good(file("a.db"), store::Store::Mode::write);
  keep_erasure(*model_, keeping(good, {.limit = 1}), "subject");
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
    store::add_effects(bad, store::add_sweep(bad, suite, bad.add_model(sweep.model), sweep.name, {}),
                       0, effects);
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

TEST_F(Kept, StoredReasonsAreKeys) {
  items_[0].cloze = true;
  store::Store store(file("a.db"), store::Store::Mode::write);
  keep_lens(*model_, keeping(store, {.limit = 1}));
  store::each_effects(store, 1, [](uint64_t, std::string_view, const store::Effects& e) {
    EXPECT_EQ(e.excluded, "cloze");
  });
}

TEST_F(Kept, RowsHaveTheSameColumnsForAll) {
  store::Store store(file("a.db"), store::Store::Mode::write);
  keep_lens(*model_, keeping(store, {.limit = 2}));
  keep_erasure(*model_, keeping(store, {.limit = 2}), "subject");
  keep_patches(*model_, keeping(store, {.limit = 2}), {.roles = {"subject"}, .layers = {0, 1}});
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

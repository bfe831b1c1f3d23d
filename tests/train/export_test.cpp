#include "train/export.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "base/file.h"
#include "model/model.h"
#include "support.h"

using namespace minpair;
using namespace minpair::train;
using minpair::testing::TemporaryFolder;

namespace {

std::vector<std::string> toy_vocab(size_t size) {
  std::vector<std::string> vocab{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
  for (size_t i = vocab.size(); i < size; ++i) vocab.push_back("w" + std::to_string(i));
  return vocab;
}

std::vector<tokenizer::TokenId> all_words(size_t size) {
  std::vector<tokenizer::TokenId> ids(size);
  for (size_t i = 0; i < size; ++i) ids[i] = static_cast<tokenizer::TokenId>(i);
  return ids;
}

}  // namespace

TEST(Export, TheEngineComputesTheTrainersLogits) {
  constexpr int64_t kVocab = 40;
  const Bert net({kVocab, 24, 3, 2, 48, 16}, 5);
  TemporaryFolder folder;
  write_bert_folder(folder / "bert", net, toy_vocab(kVocab), false, {});

  const std::vector<tokenizer::TokenId> ids{2, 10, 4, 30, 7, 3};
  BertBatch batch;
  batch.ids = torch::tensor(std::vector<int64_t>(ids.begin(), ids.end())).view({1, 6});
  batch.positions = torch::arange(6).view({1, 6});
  batch.same_sentence = torch::zeros({1, 1, 6, 6});
  batch.read = torch::tensor({2, 4}, torch::kInt64);
  torch::NoGradGuard no_grad;
  const auto expected = net.forward(batch).contiguous();

  const auto model = model::load_model((folder / "bert").string());
  const query::Query query{
      ids, {{2, query::Targets{all_words(kVocab)}}, {4, query::Targets{all_words(kVocab)}}}};
  const query::Answer answer = model->answer(std::span(&query, 1))[0];
  for (size_t r = 0; r < 2; ++r)
    for (size_t w = 0; w < kVocab; ++w)
      EXPECT_NEAR(logits_of(answer[r]).logits[w], expected.data_ptr<float>()[r * kVocab + w], 1e-4);
}

TEST(Export, AFolderIsReadBackIntoANetOfItsShapeAlone) {
  constexpr int64_t kVocab = 40;
  const BertShape shape{kVocab, 24, 3, 2, 48, 16};
  TemporaryFolder folder;
  const Bert first(shape, 5);
  write_bert_folder(folder / "bert", first, toy_vocab(kVocab), false, {});

  const Bert second(shape, 6);
  read_bert_folder(folder / "bert", second, toy_vocab(kVocab));
  for (const auto& [name, tensor] : first.parameters())
    EXPECT_TRUE(torch::equal(tensor, second.parameters().at(name))) << name;

  std::vector<std::string> others = toy_vocab(kVocab);
  std::swap(others[10], others[11]);
  EXPECT_THROW(read_bert_folder(folder / "bert", second, others), Error);
  EXPECT_THROW(
      read_bert_folder(folder / "bert", Bert({kVocab, 24, 3, 2, 32, 16}, 6), toy_vocab(kVocab)),
      Error);
}

TEST(Export, TheEngineComputesTheLstmsLogits) {
  constexpr int64_t kVocab = 30;
  std::vector<std::string> vocab = toy_vocab(kVocab);
  vocab[0] = "<unk>";
  vocab[1] = "<eos>";
  for (const bool tied : {false, true}) {
    Lstm net({kVocab, 12, 12, 2, tied}, 9);
    TemporaryFolder folder;
    write_lstm_folder(folder / "lstm", net, vocab, {}, false, {});

    const std::vector<tokenizer::TokenId> ids{1, 10, 4, 29, 7};
    torch::NoGradGuard no_grad;
    LstmState state = net.zero_state(1);
    const auto words = torch::tensor(std::vector<int64_t>(ids.begin(), ids.end())).view({5, 1});
    const auto expected = net.logits(net.hidden(words, state)).contiguous();

    const auto model = model::load_model((folder / "lstm").string());
    const query::Query query{
        ids, {{0, query::Targets{all_words(kVocab)}}, {4, query::Targets{all_words(kVocab)}}}};
    const query::Answer answer = model->answer(std::span(&query, 1))[0];
    for (size_t w = 0; w < kVocab; ++w) {
      EXPECT_NEAR(logits_of(answer[0]).logits[w], expected.data_ptr<float>()[w], 1e-4);
      EXPECT_NEAR(logits_of(answer[1]).logits[w], expected.data_ptr<float>()[4 * kVocab + w], 1e-4);
    }
  }
}

TEST(Export, AnLstmOfPiecesIsReadInPieces) {
  const std::vector<std::string> vocab{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]",
                                       "der",   "lach",  "##t",   "##en",  "."};
  std::vector<std::string> with_end = vocab;
  with_end.push_back("<eos>");
  const Lstm net({11, 8, 8, 1, true}, 1);
  TemporaryFolder folder;
  write_lstm_folder(folder / "lstm", net, with_end, {true, true}, true, {});
  const auto model = model::load_model((folder / "lstm").string());
  std::vector<tokenizer::TokenId> ids;
  for (const tokenizer::Token& token : model->tokenizer().encode("Der lacht.", false).tokens)
    ids.push_back(token.id);
  EXPECT_EQ(ids, (std::vector<tokenizer::TokenId>{5, 6, 7, 9}));
  EXPECT_EQ(model->info().start, 10);
}

TEST(Export, SentencesInOneRowDoNotSeeEachOther) {
  const Bert net({40, 24, 2, 2, 48, 16}, 5);
  BertBatch alone, packed;
  alone.ids = torch::tensor({2, 10, 4, 3}, torch::kInt64).view({1, 4});
  alone.positions = torch::arange(4).view({1, 4});
  alone.same_sentence = torch::zeros({1, 1, 4, 4});
  alone.read = torch::tensor({2}, torch::kInt64);
  packed.ids = torch::tensor({2, 33, 3, 2, 10, 4, 3}, torch::kInt64).view({1, 7});
  packed.positions = torch::tensor({0, 1, 2, 0, 1, 2, 3}, torch::kInt64).view({1, 7});
  const auto sentence = torch::tensor({0, 0, 0, 1, 1, 1, 1}, torch::kInt64).view({1, 7});
  packed.same_sentence = (sentence.unsqueeze(1) != sentence.unsqueeze(2))
                             .to(torch::kFloat32)
                             .mul(-10000.0)
                             .unsqueeze(1);
  packed.read = torch::tensor({5}, torch::kInt64);
  torch::NoGradGuard no_grad;
  EXPECT_TRUE(torch::allclose(net.forward(alone), net.forward(packed), 1e-5, 1e-5));
}

TEST(Export, LstmNamesAreThoseOfTheExampleProgram) {
  const Lstm tied({20, 8, 8, 2, true}, 1), apart({20, 8, 12, 1, false}, 1);
  const auto names = tied.export_tensors();
  for (const char* name : {"encoder.weight", "rnn.weight_ih_l0", "rnn.weight_hh_l1",
                           "rnn.bias_ih_l0", "rnn.bias_hh_l1", "decoder.bias"})
    EXPECT_TRUE(names.contains(name)) << name;
  EXPECT_FALSE(names.contains("decoder.weight"));
  EXPECT_EQ(apart.export_tensors().at("decoder.weight").sizes(), (std::vector<int64_t>{20, 12}));
}

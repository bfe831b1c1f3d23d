#pragma once
// What an architecture is made of. Its file gives load.cpp a Family: the model types it reads, what
// makes a network of a checkpoint, and how GGUF files name its parts.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "checkpoint/checkpoint.h"
#include "model/config.h"
#include "model/model.h"
#include "model/renamed.h"
#include "model/weights.h"
#include "nn/nn.h"

namespace minpair::model {

// Where a value of a network has a name. A transformer has every site up to `output`; a recurrent
// network has the embeddings and those from `gates` on.
enum class Site : uint8_t {
  embeddings,          // what the first layer reads
  attention_input,     // what queries, keys and values are made of
  heads,               // what the heads give, side by side, before they are mixed
  attention_output,    // what attention adds to the residual stream
  attention_residual,  // the stream after attention
  mlp_inner,           // the neurons of the feed-forward layer
  mlp_output,          // what they add to the stream
  residual,            // the stream after the layer
  output,              // what the head reads: the last stream, after the last norm
  gates,               // LSTM: input, forget, candidate, output; GRU: reset, update, candidate
  cell,                // LSTM: its memory
  hidden,              // the state after the layer
  reset,               // GRU: all gates, before the candidate is made of them
};
std::string_view name_of(Site site);

// Which of the values that a token has at one place. Those that are not its state go along with it
// when it is exchanged: what crosses from a layer to the next besides.
struct Part {
  uint32_t number = 0;
  bool is_state = true;
};
constexpr Part kDecoded{0, true}, kDecodedBeside{0, false};  // what a decoder has of a token
constexpr Part kEncoded{1, true}, kEncodedBeside{1, false};  // and its encoder
constexpr Part kAcross{1, false};  // of attention: what a decoder sees of the encoder
constexpr Part kMemory{1, false};  // of an LSTM
constexpr uint32_t kSharing = 2;   // added: of a row that shares its token with the one after it

// A value on its way through the network. Row i belongs to token tokens[i] of the batch; of rows
// with the same token, the last one does.
struct Value {
  Site site;
  uint32_t layer;
  std::span<const uint32_t> tokens;
  nn::Matrix& rows;
  Part part = {};

  float* row_of(uint32_t token) const;  // null: it has none
};
// Called at every site, in the order of computation. What it writes into the rows is what the
// network goes on with; when nothing is written, every result has the bits of an unwatched pass.
using Watch = std::function<void(const Value&)>;

// What queries can look at and change in a transformer: all but units.
constexpr query::SiteSet kSitesOfTransformers{0b011111};
constexpr query::SiteSet kSitesWithoutHeads{0b011011};
// One block a layer, which adds what attention adds elsewhere.
constexpr query::SiteSet kSitesOfBlocks{0b000011}, kSitesOfHeadedBlocks{0b000111};
constexpr query::SiteSet kSitesOfRecurrent{0b100001};  // states, and their units
constexpr query::SiteSet kSitesOfLstm{0b00'1111'11'100001};
constexpr query::SiteSet kSitesOfGru{0b11'0100'00'100001};

// A model whose values can be watched.
class Watchable {
 public:
  virtual ~Watchable() = default;
  // Takes one input through the network; gives what the head reads, until the next call.
  virtual const nn::Matrix& watch(const std::vector<tokenizer::TokenId>& ids,
                                  const Watch& watch) = 0;
};

// An input in which something is changed: before this layer, and before this position where tokens
// do not see later ones, it is its unchanged twin.
struct Changed {
  uint32_t input = 0, twin = 0;
  uint32_t position = 0;
  uint32_t layer = 0;
};

// The last rows of a batch, which go through it only from some layer on: each begins there as a
// copy of another row.
struct LateRows {
  uint32_t first = 0;                 // the first of them
  std::vector<uint32_t> layer, copy;  // of each; layers ascending
};

class Mixing;  // mixing.h

// dense, activation, norm: what masked language models do before their decoder.
struct TransformHead {
  nn::Linear dense;
  nn::Activation activation = nn::Activation::gelu;
  nn::Norm norm;
  nn::Matrix out;
  const nn::Matrix& run(const nn::Runtime& runtime, const nn::View& hidden);
};

// What the layers of encoders and decoders are written with.
class Network {
 public:
  virtual ~Network() = default;
  virtual query::SiteSet sites() const { return kSitesOfTransformers; }  // what can be changed

 protected:
  explicit Network(const nn::Runtime& runtime) : runtime_(runtime) {}

  // A new pass over so many tokens. Without a watch, the sites cost nothing.
  void begin(size_t tokens, const Watch& watch);
  // Rows that stand for these tokens; ascending, some twice.
  void begin(std::vector<uint32_t> tokens, const Watch& watch);
  // The stream as this layer reads it: with the rows that begin here, without those that come
  // later.
  void join(size_t layer, const LateRows& late, nn::Matrix& stream, Part part = {});
  void see(Site site, size_t layer, nn::Matrix& rows, Part part = {});
  // Some rows, which stand for these tokens.
  void see_some(Site site, size_t layer, nn::Matrix& all, std::span<const uint32_t> rows,
                std::span<const uint32_t> tokens, Part part);
  bool watched() const { return watch_ != nullptr; }
  // For a value that the stream still needs: what is watched, and maybe changed, is a copy.
  const nn::Matrix& see_copy(Site site, size_t layer, const nn::Matrix& rows);
  // out = before + times · [norm of] layer(in)
  void add(Site site, size_t layer_number, const nn::Matrix& in, const nn::Linear& layer,
           const nn::Matrix& before, nn::Matrix& out, const nn::Norm& after = {}, float times = 1,
           Part part = {});
  // out = before + times · [norm of] added
  void add(Site site, size_t layer_number, nn::Matrix& added, const nn::Matrix& before,
           nn::Matrix& out, const nn::Norm& after = {}, float times = 1, Part part = {});
  // Tells what attention mixes, of one input alone; null: nobody.
  void set_mixing(Mixing* mixing) { mixing_ = mixing; }
  // From here on only `kept` of the tokens are computed.
  void keep(std::span<const uint32_t> kept, std::initializer_list<nn::Matrix*> all);

  // What attention reads: the stream, normed unless the norms come after.
  const nn::Matrix& attention_input(size_t layer, const nn::Norm& norm, bool normed = true);
  // out = before + down(activation(up(in))); `gated`: up gives the input and its gate.
  void feed_forward(size_t layer, const nn::Matrix& in, const nn::Linear& up, bool gated,
                    const nn::Linear& down, const nn::Matrix& before, nn::Matrix& out,
                    const nn::Norm& after = {}, float times = 1);

  const nn::Runtime& runtime_;
  nn::AttentionShape shape_;
  nn::Activation activation_{};
  Embedding words_;
  nn::Norm norm_;  // the last one
  TransformHead head_;
  nn::Linear output_;  // to the vocabulary
  nn::Matrix hidden_, normed_, qkv_, context_, attended_, wide_, inner_;

 private:
  const Watch* watch_ = nullptr;
  Mixing* mixing_ = nullptr;
  void see(Site site, size_t layer, nn::Matrix& rows, std::span<const uint32_t> tokens, Part part);

  std::vector<uint32_t> tokens_;      // of the rows; empty when nobody watches
  std::vector<uint32_t> all_tokens_;  // of all rows, also those that come later; as tokens_
  nn::Matrix copy_, added_, picked_, joining_, some_;
};

// Some queries, their tokens one after the other.
struct Batch {
  std::vector<tokenizer::TokenId> ids;
  std::vector<uint32_t> positions;  // of each token in its sequence
  std::vector<nn::Sequence> sequences;
  LateRows late;

  // Of the first so many rows.
  std::span<const nn::Sequence> sequences_of(size_t rows) const;
  std::span<const uint32_t> positions_of(size_t rows) const {
    return std::span(positions).first(rows);
  }
};

// A masked language model: all tokens see each other.
class Encoder : public Network {
 public:
  using Network::Network;
  // The last hidden states at `rows` of the batch (ascending).
  virtual const nn::Matrix& forward(const Batch& batch, std::span<const uint32_t> rows,
                                    const Watch& watch) = 0;
  // The tokenizer that its queries are made with.
  virtual void use(const tokenizer::Tokenizer& /*tokenizer*/) {}
  // The token of an input at which what stands at a position is found.
  virtual uint32_t place_of(std::span<const tokenizer::TokenId> /*ids*/, uint32_t position) const {
    return position;
  }
  // Throws when it cannot be asked about this position.
  virtual void check_asked(std::span<const tokenizer::TokenId> /*ids*/,
                           uint32_t /*position*/) const {}
  // From the last stream to what the head reads, where there is something between them.
  virtual void finish(nn::Matrix& stream) {
    if (!norm_.weight.empty()) nn::normalize(runtime_, stream, norm_);
  }
  // From hidden states to what the decoder multiplies: themselves where nothing transforms them.
  const nn::Matrix& head(const nn::View& hidden) { return head_.run(runtime_, hidden); }
  const nn::Linear& decoder() const { return output_; }

 protected:
  void embed(const Batch& batch, const Watch& watch);  // a new pass, into hidden_
  const nn::Matrix& last_norm();                       // of hidden_: what forward() gives
};

class Decoder;  // a causal one: causal.h

// What an architecture's file fills in while it loads.
struct Loading {
  const nn::Runtime& runtime;
  const Config& config;
  const checkpoint::Checkpoint& checkpoint;
  query::ModelInfo& info;  // layers, hidden, heads, vocabulary, max_tokens, parameters, notes
  bool with_head = true;   // as in Parts
};
// Where config.json says how large a network is; empty: there is no such thing.
struct SizeKeys {
  const char *layers = "num_hidden_layers", *hidden = "hidden_size", *heads = "num_attention_heads",
             *tokens = "max_position_embeddings";
  size_t usual_tokens = 2048;
};
void read_sizes(const Loading& from, const SizeKeys& keys = {});

template <class Kind>
using Make = std::unique_ptr<Kind> (*)(const Loading&);
using MakeEncoder = Make<Encoder>;
using MakeDecoder = Make<Decoder>;
template <class Kind, class Architecture>
std::unique_ptr<Kind> make(const Loading& from) {
  return std::make_unique<Architecture>(from);
}

struct Source {
  std::filesystem::path path;  // a directory with config.json, weights and tokenizer
  LoadOptions options;
  query::ModelInfo known;        // all that is said without the weights
  std::string text_config = {};  // as in ModelType
};
using MakeModel = std::unique_ptr<query::Model> (*)(const Source&);

// Throws when the weights are stored in a way that only another library can undo.
void refuse_quantised(const Config& config);

// What is read before there is a model.
struct Parts {
  std::unique_ptr<Config> config;  // null: a file without one
  std::unique_ptr<checkpoint::Checkpoint> checkpoint;
  std::unique_ptr<tokenizer::Tokenizer> tokenizer;
  bool check_keys = true;  // of the configuration; those made of GGUF's have none too many
  bool with_head = true;   // false: an encoder of BERT's alone, which can be watched
};

// A model that is a network.
class NetworkModel : public query::Model, public Watchable {
 public:
  const query::ModelInfo& info() const override { return info_; }
  const tokenizer::Tokenizer& tokenizer() const override { return *tokenizer_; }
  query::AskSet asks() const override { return query::AskSet().set(); }

 protected:
  NetworkModel(const Source& source, Parts parts);
  template <class Kind>
  std::unique_ptr<Kind> make_network(Make<Kind> make, const Source& source) {
    try {
      refuse_quantised(*config_);
      std::unique_ptr<Kind> network = make({runtime_, *config_, *checkpoint_, info_, with_head_});
      if (check_keys_) config_->refuse_unknown(info_.architecture);
      checkpoint_->release_memory();
      return network;
    } catch (Error& error) {
      if (error.where().file.empty()) error.at(source.path.string());
      throw;
    }
  }

  query::ModelInfo info_;
  nn::Runtime runtime_;
  std::unique_ptr<Config> config_;
  std::unique_ptr<checkpoint::Checkpoint> checkpoint_;
  std::unique_ptr<tokenizer::Tokenizer> tokenizer_;

 private:
  bool check_keys_, with_head_;
};

// How GGUF files write what config.json and Hugging Face's tensors write otherwise.
struct Gguf {
  using Names = model::Names;
  using Settings =
      std::vector<std::pair<std::string,
                            std::variant<bool, int64_t, double, std::string, std::vector<double>>>>;

  // How tensors of a stack of layers are called: before and after the layer's number. "{}" in ours:
  // matrices in a row, each a tensor of its own, with its number there.
  struct Stack {
    std::string theirs, ours;
    Names in_layer;
  };

  // Whole numbers of a file, as settings.
  static Settings integers(const checkpoint::Metadata& from, const std::string& prefix,
                           const Names& names);

  std::string architecture;  // general.architecture
  std::string model_type;    // ours
  Names keys;                // where config.json's key is not the usual one (gguf.cpp)
  Names tensors;             // by how their names begin
  std::string layers;        // instead of "blk."
  Names in_layer;            // after the layer's number
  bool neighbours = false;   // rotary pairs lie beside each other
  Settings (*more)(const checkpoint::Metadata&) = nullptr;  // what no single key says
  std::vector<Stack> stacks = {};                           // instead of `layers`, where not "blk."
  bool experts = false;  // a mixture of experts, which may have the name of the plain model
  bool only = false;     // directories of this type are not read
};

struct ModelType {
  ModelType(const char* t, std::string what = "", std::string of_text = "")
      : type(t), covers(std::move(what)), text_config(std::move(of_text)) {}
  std::string type;         // of config.json
  std::string covers;       // well-known checkpoints
  std::string text_config;  // the language model's settings are inside "text_config"; what they
                            // need not say
};

struct Family {
  std::vector<ModelType> model_types;
  std::variant<MakeEncoder, MakeDecoder, MakeModel> make;
  std::vector<Gguf> gguf = {};
  // What can be changed inside models of a type; null: all that transformers have.
  query::SiteSet (*sites)(std::string_view type) = nullptr;
  bool fills_gaps = false, answers_before = false;  // as in ModelInfo
};
const std::vector<Family>& families();
// What models of the family are, whatever their weights.
query::ModelInfo known_of(const Family& family, const std::string& name, const std::string& type);
// Of a config.json; false: only GGUF files of that type are read.
bool reads_directories(const Family& family, const ModelType& type);

std::unique_ptr<query::Model> load_gguf(Source source);
query::ModelInfo known_of_gguf(const std::filesystem::path& file, const std::string& name);
std::unique_ptr<query::Model> load_recurrent(const Source& source);  // a directory, or a file with
                                                                     // --vocab
std::unique_ptr<query::Model> load_ngram(const Source& source);      // an ARPA file

// Threads and arithmetic as asked for; what came of it is put into `info`. `weights`: where they
// may be quantised.
nn::Runtime runtime_for(const LoadOptions& options, query::ModelInfo& info,
                        const checkpoint::Checkpoint* weights = nullptr);

// Throws when the heads do not divide the width.
nn::AttentionShape attention_shape(const Config& config, size_t hidden, size_t heads);

// Whether the output is the embedding table `words`: where the configuration says so, and no output
// of its own is stored under this name, which is then used, as transformers 5 does. Transformers 4
// does not: of what it wrote, an output with other numbers than the table's is refused.
bool is_tied(const Config& config, const WeightLoader& load, const std::string& own,
             const std::string& words, bool usual = true);

void multiply(nn::Matrix& rows, float by);
// Each `width` columns of a row by themselves; the norm has weights for all of them.
void normalize_parts(const nn::Runtime& runtime, nn::Matrix& rows, const nn::Norm& norm,
                     size_t width);
void clip(nn::Matrix& rows, float limit);  // to [-limit, limit]

}  // namespace minpair::model

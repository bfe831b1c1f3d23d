#include "checkpoint/torch.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>

namespace minpair::checkpoint {

namespace {

using pickle::Value;
using pickle::ValuePtr;
using Kind = Value::Kind;

// Far more than any model has, and few enough to hold in memory.
constexpr size_t max_tensors = 200'000, max_name = 1000;
constexpr uint64_t max_walk = 5'000'000;

struct TypeName {
  std::string_view storage, dtype;
  DType type;
};

constexpr TypeName type_names[] = {
    {"DoubleStorage", "float64", DType::f64}, {"FloatStorage", "float32", DType::f32},
    {"HalfStorage", "float16", DType::f16},   {"BFloat16Storage", "bfloat16", DType::bf16},
    {"LongStorage", "int64", DType::i64},     {"IntStorage", "int32", DType::i32},
    {"ShortStorage", "int16", DType::i16},    {"CharStorage", "int8", DType::i8},
    {"ByteStorage", "uint8", DType::u8},      {"BoolStorage", "bool", DType::boolean},
    {"UntypedStorage", "", DType::u8},
};

// "torch.cuda.FloatStorage" -> "FloatStorage"
std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }

std::optional<DType> type_of(const Value& global) {
  if (global.kind != Kind::global) return {};
  for (const TypeName& t : type_names)
    if (last_part(global.text) == t.storage || global.text == fmt::format("torch.{}", t.dtype))
      return t.type;
  return {};
}

bool integer_at(const Value& v, size_t i, int64_t& to) {
  if (i >= v.items.size() || v.items[i]->kind != Kind::integer) return false;
  to = v.items[i]->integer;
  return true;
}

// Keys are text, or numbers in the very oldest files.
std::string key_text(const Value& v) {
  return v.kind == Kind::integer ? std::to_string(v.integer) : v.text;
}

bool is_storage(const Value& v) {
  return v.kind == Kind::persistent && v.callable->kind == Kind::tuple &&
         v.callable->items.size() >= 5 && v.callable->items[0]->text == "storage";
}

StorageName storage_name(const Value& v, const TensorView& wanted_by) {
  if (!is_storage(v)) throw tensor_error(wanted_by, "its storage is not named as PyTorch names it");
  const Value& id = *v.callable;
  StorageName s;
  std::optional<DType> type = type_of(*id.items[1]);
  if (!type)
    throw tensor_error(wanted_by, fmt::format("storages of type '{}' are not known here",
                                              shown(id.items[1]->text)));
  s.type = *type;
  s.key = key_text(*id.items[2]);
  if (!integer_at(id, 4, s.elements) || s.elements < 0)
    throw tensor_error(wanted_by, "its storage has no length");
  if (id.items.size() > 5 && id.items[5]->kind == Kind::tuple) {
    if (!integer_at(*id.items[5], 1, s.offset) || s.offset < 0)
      throw tensor_error(wanted_by, "its storage is a view without an offset");
  }
  return s;
}

// A class may come wrapped together with its source text.
std::string_view class_of(const Value& v) {
  if (v.kind == Kind::global) return v.text;
  if (v.kind == Kind::persistent && v.callable->kind == Kind::tuple &&
      v.callable->items.size() >= 2 && v.callable->items[0]->text == "module")
    return v.callable->items[1]->text;
  return {};
}

// What a module keeps: its own dict of attributes, or nullptr when this is no module.
const Value* module_state(const Value& v) {
  if (v.kind != Kind::object || !v.state) return nullptr;
  const Value* state = v.state.get();
  if (state->kind == Kind::tuple && !state->items.empty()) state = state->items[0].get();
  if (state->kind != Kind::dict) return nullptr;
  return get(*state, "_parameters") || get(*state, "_modules") ? state : nullptr;
}

struct Call {
  std::string_view function;
  const std::vector<ValuePtr>* arguments;
};

// The call that makes a tensor, inside of whatever wraps it into a parameter or a variable.
std::optional<Call> tensor_call(const Value& v, int depth = 0) {
  if (v.kind != Kind::object || depth > 8) return {};
  std::string_view f = v.callable->text;
  auto inner = [&](size_t i) {
    return i < v.items.size() ? tensor_call(*v.items[i], depth + 1) : std::nullopt;
  };
  if (f == "torch._utils._rebuild_tensor" || f == "torch._utils._rebuild_tensor_v2" ||
      f == "torch._utils._rebuild_tensor_v3")
    return Call{f, &v.items};
  if (f == "torch._tensor._rebuild_from_type_v2" && v.items.size() >= 3) {
    if (v.items[0]->text.starts_with("torch._utils._rebuild_tensor"))
      return Call{v.items[0]->text, &v.items[2]->items};
    return v.items[2]->items.empty() ? std::nullopt : tensor_call(*v.items[2]->items[0], depth + 1);
  }
  if (f.ends_with("__newobj__")) return inner(1);
  bool wraps = f.starts_with("torch._utils._rebuild_parameter") || last_part(f) == "Parameter" ||
               last_part(f) == "Variable" || last_part(f) == "Buffer";
  if (!wraps) return {};
  if (auto call = inner(0)) return call;
  // The oldest: the data is the first part of the state.
  if (v.state && v.state->kind == Kind::tuple && !v.state->items.empty())
    return tensor_call(*v.state->items[0], depth + 1);
  return {};
}

class Walker {
 public:
  Walker(const std::string& file, const FindStorage& find) : file_(file), find_(find) {}

  void root(const Value& v) {
    if (module_state(v)) return module(v, "");
    // A training state: the model is one of its parts.
    if (v.kind == Kind::dict) {
      for (const char* key : {"state_dict", "model_state_dict", "model", "module"}) {
        ValuePtr part = get(v, key);
        if (part && module_state(*part)) return module(*part, "");
        if (part && part->kind == Kind::dict) return dict(*part, "");
      }
      return dict(v, "");
    }
    if (v.kind == Kind::list || v.kind == Kind::tuple)
      for (const ValuePtr& item : v.items) {
        if (module_state(*item)) return module(*item, "");
        if (item->kind == Kind::dict) return dict(*item, "");
      }
    throw bad_input("the file holds neither a module nor a dict of tensors")
        .at(file_)
        .hint("save the model again with torch.save(model.state_dict(), ...)");
  }

  TorchObject result() {
    return {std::move(tensors_), Metadata(std::move(attributes_), file_, kept_)};
  }

 private:
  void dict(const Value& v, const std::string& prefix) {
    for (const auto& [key, value] : v.entries) {
      if (key->kind != Kind::string && key->kind != Kind::integer) continue;
      std::string name = prefix + key_text(*key);
      if (name.size() > max_name)
        throw bad_input(fmt::format("a name is {} bytes long: '{}'", name.size(), shown(name)))
            .at(file_);
      if (auto call = tensor_call(*value))
        tensor(name, *call);
      else if (module_state(*value))
        module(*value, name + ".");
      else if (value->kind == Kind::dict)
        dict(*value, name + ".");
      else if (value->kind == Kind::object && value->callable->text.starts_with("torch._utils."))
        throw bad_input(fmt::format("tensor '{}' is made by '{}', which is not known here",
                                    shown(name), shown(value->callable->text)))
            .at(file_)
            .hint("save the model again with dense tensors of a floating-point type");
    }
  }

  void module(const Value& v, const std::string& prefix) {
    const Value& state = *module_state(v);
    add_attribute(prefix + "class", Metadata::Type::text, std::string(class_of(*v.callable)));
    for (const auto& [key, value] : state.entries)
      if (key->kind == Kind::string && !key->text.starts_with('_'))
        attribute(prefix + key->text, *value);
    for (const char* part : {"_parameters", "_buffers", "_modules"})
      if (ValuePtr members = get(state, part); members && members->kind == Kind::dict)
        dict(*members, prefix);
  }

  void attribute(const std::string& name, const Value& v) {
    auto bytes_of = [](const auto& x) {
      return std::string(reinterpret_cast<const char*>(&x), sizeof x);
    };
    if (v.kind == Kind::boolean)
      add_attribute(name, Metadata::Type::boolean, std::string(1, char(v.boolean)));
    else if (v.kind == Kind::integer)
      add_attribute(name, Metadata::Type::i64, bytes_of(v.integer));
    else if (v.kind == Kind::real)
      add_attribute(name, Metadata::Type::f64, bytes_of(v.real));
    else if (v.kind == Kind::string)
      add_attribute(name, Metadata::Type::text, v.text);
  }

  void add_attribute(const std::string& name, Metadata::Type type, std::string bytes) {
    if (name.size() > max_name || bytes.size() > max_name || kept_->size() > 2 * max_tensors)
      return;
    if (type == Metadata::Type::text) {  // as GGUF stores it
      uint64_t length = bytes.size();
      bytes.insert(0, reinterpret_cast<const char*>(&length), 8);
    }
    std::string_view key = kept_->emplace_back(name);
    std::string_view value = kept_->emplace_back(std::move(bytes));
    attributes_.push_back({key, type, false, 1, value});
  }

  void tensor(const std::string& name, const Call& call) {
    if (tensors_.size() >= max_tensors)
      throw bad_input(fmt::format("the file has more than {} tensors", max_tensors)).at(file_);
    TensorView t;
    t.name = name;
    t.file = file_;
    const std::vector<ValuePtr>& a = *call.arguments;
    if (a.size() < 4 || a[1]->kind != Kind::integer)
      throw tensor_error(t, "it is not described as PyTorch describes tensors");
    StorageName s = storage_name(*a[0], t);
    t.type = s.type;
    if (call.function.ends_with("_v3")) {
      std::optional<DType> type = a.size() > 6 ? type_of(*a[6]) : std::nullopt;
      if (!type) throw tensor_error(t, "its type of number is not known here");
      t.type = *type;
    }
    t.shape = integers(*a[2], t);
    t.strides = integers(*a[3], t);
    place(t, find_(s, t), s, a[1]->integer);
    tensors_.push_back(std::move(t));
  }

  static std::vector<int64_t> integers(const Value& v, const TensorView& t) {
    // torch.Size(...) of a tuple in some files
    const Value& list = v.kind == Kind::object && v.items.size() == 1 ? *v.items[0] : v;
    std::vector<int64_t> all;
    for (const ValuePtr& i : list.items) {
      if (i->kind != Kind::integer) throw tensor_error(t, "its shape or strides are not integers");
      all.push_back(i->integer);
    }
    if (all.size() > 64) throw tensor_error(t, fmt::format("it has {} dimensions", all.size()));
    return all;
  }

  static void place(TensorView& t, const Storage& storage, const StorageName& s, int64_t offset) {
    uint64_t size = block_bytes(t.type), skip, skip_view;
    if (offset < 0) throw tensor_error(t, fmt::format("its offset {} is negative", offset));
    if (__builtin_mul_overflow(uint64_t(offset), size, &skip) ||
        __builtin_mul_overflow(uint64_t(s.offset), uint64_t(block_bytes(s.type)), &skip_view) ||
        __builtin_add_overflow(skip, skip_view, &skip) || skip > storage.bytes)
      throw tensor_error(t,
                         fmt::format("it begins at element {}, past the end of its storage of {} "
                                     "bytes",
                                     offset, storage.bytes));
    t.offset = storage.offset + skip;
    t.bytes = storage.bytes - skip;
    t.data = storage.data + skip;
    check_reach(t);
    if (t.contiguous()) {
      t.strides.clear();
      t.bytes = uint64_t(t.elements()) * size;
    }
  }

  const std::string& file_;
  const FindStorage& find_;
  std::vector<TensorView> tensors_;
  std::vector<Metadata::Entry> attributes_;
  std::shared_ptr<std::deque<std::string>> kept_ = std::make_shared<std::deque<std::string>>();
};

void collect(const Value& v, const std::string& file, std::map<std::string, StorageName>& into) {
  if (is_storage(v)) {
    TensorView unnamed;
    unnamed.file = file;
    StorageName s = storage_name(v, unnamed);
    into.emplace(s.key, s);
    return;
  }
  for (const ValuePtr& i : v.items) collect(*i, file, into);
  for (const auto& [key, value] : v.entries) {
    collect(*key, file, into);
    collect(*value, file, into);
  }
  if (v.callable) collect(*v.callable, file, into);
  if (v.state) collect(*v.state, file, into);
}

}  // namespace

TorchObject read_torch_object(const Value& root, const std::string& file,
                              const FindStorage& find_storage) {
  Walker walker(file, find_storage);
  walker.root(root);
  TorchObject object = walker.result();
  if (object.tensors.empty())
    throw bad_input("the file holds no tensors")
        .at(file)
        .hint("save the model again with torch.save(model.state_dict(), ...)");
  return object;
}

std::map<std::string, StorageName> storages_of(const Value& root, const std::string& file) {
  std::map<std::string, StorageName> all;
  collect(root, file, all);
  return all;
}

pickle::ValuePtr read_torch_pickle(std::string_view bytes, const std::string& name,
                                   uint64_t* used) {
  pickle::Limits limits;
  limits.max_walk = max_walk;
  return pickle::read(bytes, name, used, limits);
}

}  // namespace minpair::checkpoint

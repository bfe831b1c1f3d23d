// The machine that Python's pickle opcodes drive: a stack, marks on it, and a memo.

#include "checkpoint/pickle/pickle.h"

#include <fmt/format.h>

#include <bit>
#include <unordered_map>

#include "base/counts.h"
#include "base/error.h"
#include "checkpoint/pickle/values.h"

namespace minpair::checkpoint::pickle {

namespace {

using Kind = Value::Kind;

class Machine {
 public:
  Machine(std::string_view bytes, const std::string& file, const Limits& limits)
      : bytes_(bytes), file_(file), limits_(limits), arena_(limits.max_values) {}

  ValuePtr run(uint64_t* used) {
    try {
      while (step(take_byte())) at_ = next_;
      ValuePtr result = pop();
      // What the memo and the stack still hold is checked too, for it is destroyed as well.
      arena_.check(*result, limits_);
      arena_.release();
      if (used) *used = next_;
      return result;
    } catch (Error& e) {
      throw e.at_byte(file_, at_)
          .hint("the file is damaged or was not written by Python's pickle; fetch it again");
    }
  }

 private:
  bool step(uint8_t opcode);  // false: the pickle is complete
  bool step_memo(uint8_t opcode);
  bool step_literal(uint8_t opcode);
  bool step_container(uint8_t opcode);
  bool step_object(uint8_t opcode);

  std::string_view take(uint64_t n) {
    if (n > bytes_.size() - next_)
      throw bad_input(fmt::format("the pickle ends early: {} {} wanted, {} {} left", n,
                                  plural(n, "byte is", "bytes are"), bytes_.size() - next_,
                                  plural(bytes_.size() - next_, "is", "are")));
    std::string_view piece = bytes_.substr(next_, n);
    next_ += n;
    return piece;
  }
  uint8_t take_byte() { return uint8_t(take(1)[0]); }
  uint64_t take_length(size_t width) {
    std::string_view b = take(width);
    uint64_t n = 0;
    for (size_t i = width; i-- > 0;) n = n << 8 | uint8_t(b[i]);
    return n;
  }
  std::string_view take_line() {
    size_t end = bytes_.find('\n', next_);
    if (end == bytes_.npos) throw bad_input("the pickle ends in the middle of a line");
    std::string_view line = bytes_.substr(next_, end - next_);
    next_ = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  void push(ValuePtr v) { stack_.push_back(std::move(v)); }
  Value& push(Kind kind) {
    push(arena_.make(kind));
    return *stack_.back();
  }
  void push_text(Kind kind, std::string_view text) { push(kind).text = text; }
  ValuePtr pop() {
    need(1);
    ValuePtr v = std::move(stack_.back());
    stack_.pop_back();
    return v;
  }
  ValuePtr& top() {
    need(1);
    return stack_.back();
  }
  void need(size_t n) const {
    size_t floor = marks_.empty() ? 0 : marks_.back();
    if (stack_.size() < floor + n) throw bad_input("an instruction finds the stack empty");
  }
  std::vector<ValuePtr> pop_to_mark() {
    if (marks_.empty()) throw bad_input("an instruction wants a mark and there is none");
    size_t from = marks_.back();
    marks_.pop_back();
    std::vector<ValuePtr> values(std::make_move_iterator(stack_.begin() + ptrdiff_t(from)),
                                 std::make_move_iterator(stack_.end()));
    stack_.resize(from);
    return values;
  }
  std::vector<ValuePtr> pop_count(size_t n) {
    need(n);
    std::vector<ValuePtr> values(std::make_move_iterator(stack_.end() - ptrdiff_t(n)),
                                 std::make_move_iterator(stack_.end()));
    stack_.resize(stack_.size() - n);
    return values;
  }

  void recall(uint64_t key) {
    auto found = memo_.find(key);
    if (found == memo_.end())
      throw bad_input(fmt::format("value {} is recalled but was never remembered", key));
    push(found->second);
  }
  uint64_t memo_key(std::string_view line) const {
    Value key;
    decimal(line, key);
    if (key.kind != Kind::integer || key.integer < 0)
      throw bad_input("a remembered value has an absurd number");
    return uint64_t(key.integer);
  }

  // A remembered value may be copied again and again by a few bytes of pickle: only so often.
  void spend(uint64_t copied_bytes) {
    copied_ += copied_bytes;
    if (copied_ > (uint64_t{64} << 20) + 16 * next_)
      throw bad_input("the pickle copies far more than it contains");
  }
  const std::vector<ValuePtr>& copied(const std::vector<ValuePtr>& items) {
    spend(items.size() * sizeof(ValuePtr));
    return items;
  }

  void append(std::vector<ValuePtr> values);
  void set_items(std::vector<ValuePtr> keys_and_values);
  void push_call(ValuePtr callable, std::vector<ValuePtr> arguments);
  void push_global(std::string_view module, std::string_view name) {
    spend(module.size() + name.size());
    push_text(Kind::global, fmt::format("{}.{}", module, name));
  }
  std::vector<ValuePtr> pop_arguments() {
    ValuePtr arguments = pop();
    if (arguments->kind != Kind::tuple) throw bad_input("the arguments of a call are not a tuple");
    return copied(arguments->items);
  }

  std::string_view bytes_;
  const std::string& file_;
  const Limits& limits_;
  Arena arena_;
  uint64_t copied_ = 0;
  std::vector<ValuePtr> stack_;
  std::vector<size_t> marks_;
  std::unordered_map<uint64_t, ValuePtr> memo_;
  uint64_t next_ = 0, at_ = 0;  // the next byte; the instruction being carried out
};

bool is_global(const ValuePtr& v, std::initializer_list<std::string_view> names) {
  if (v->kind != Kind::global) return false;
  for (std::string_view n : names)
    if (v->text == n) return true;
  return false;
}

bool is_sequence(const Value& v) {
  return v.kind == Kind::list || v.kind == Kind::tuple || v.kind == Kind::set;
}

void Machine::append(std::vector<ValuePtr> values) {
  Kind kind = top()->kind;
  if (kind != Kind::list && kind != Kind::set && kind != Kind::object)
    throw bad_input("something is appended to what is not a list");
  std::vector<ValuePtr>& to = top()->items;
  to.insert(to.end(), std::make_move_iterator(values.begin()),
            std::make_move_iterator(values.end()));
}

void Machine::set_items(std::vector<ValuePtr> flat) {
  if (flat.size() % 2) throw bad_input("a key has no value");
  if (top()->kind != Kind::dict && top()->kind != Kind::object)
    throw bad_input("an entry is set in what is not a dict");
  for (size_t i = 0; i < flat.size(); i += 2)
    top()->entries.emplace_back(std::move(flat[i]), std::move(flat[i + 1]));
}

// Python's own containers come as calls when another container holds their content.
void Machine::push_call(ValuePtr callable, std::vector<ValuePtr> arguments) {
  bool one = arguments.size() == 1;
  if (is_global(callable, {"collections.OrderedDict", "collections.defaultdict",
                           "collections.Counter", "__builtin__.dict", "builtins.dict"})) {
    Value& dict = push(Kind::dict);
    const ValuePtr content = arguments.empty() ? nullptr : arguments.back();
    if (content && content->kind == Kind::dict) {
      spend(content->entries.size() * 2 * sizeof(ValuePtr));
      dict.entries = content->entries;
    }
    if (content && is_sequence(*content))
      for (const ValuePtr& pair : copied(content->items))
        if (is_sequence(*pair) && pair->items.size() == 2)
          dict.entries.emplace_back(pair->items[0], pair->items[1]);
    return;
  }
  if (is_global(callable, {"__builtin__.set", "builtins.set", "__builtin__.frozenset",
                           "builtins.frozenset"}) &&
      one && is_sequence(*arguments[0])) {
    push(Kind::set).items = copied(arguments[0]->items);
    return;
  }
  if (is_global(callable, {"collections.deque"})) {
    Value& list = push(Kind::list);
    if (!arguments.empty() && is_sequence(*arguments[0])) list.items = copied(arguments[0]->items);
    return;
  }
  if (is_global(callable, {"_codecs.encode"}) && !arguments.empty() &&
      arguments[0]->kind == Kind::string) {
    spend(arguments[0]->text.size());
    return push_text(Kind::bytes, to_latin1(arguments[0]->text));
  }
  if (is_global(callable, {"__builtin__.bytes", "builtins.bytes", "__builtin__.bytearray",
                           "builtins.bytearray"}) &&
      (arguments.empty() || (one && arguments[0]->kind == Kind::bytes))) {
    if (arguments.empty()) return push_text(Kind::bytes, "");
    spend(arguments[0]->text.size());
    return push_text(Kind::bytes, arguments[0]->text);
  }
  Value& object = push(Kind::object);
  object.callable = std::move(callable);
  object.items = std::move(arguments);
}

bool Machine::step_memo(uint8_t opcode) {
  switch (opcode) {
    case 'g':
      recall(memo_key(take_line()));
      return true;
    case 'h':
      recall(take_length(1));
      return true;
    case 'j':
      recall(take_length(4));
      return true;
    case 'p': {
      uint64_t key = memo_key(take_line());
      memo_[key] = top();
      return true;
    }
    case 'q':
    case 'r': {
      uint64_t key = take_length(opcode == 'q' ? 1 : 4);
      memo_[key] = top();
      return true;
    }
    case 0x94: {  // MEMOIZE
      uint64_t key = memo_.size();
      memo_[key] = top();
      return true;
    }
  }
  return false;
}

bool Machine::step_literal(uint8_t opcode) {
  switch (opcode) {
    case 'N':
      push(none());
      return true;
    case 0x88:
    case 0x89:
      push(boolean(opcode == 0x88));
      return true;
    case 'I': {
      std::string_view line = take_line();
      if (line == "00" || line == "01")
        push(boolean(line == "01"));
      else
        decimal(line, push(Kind::integer));
      return true;
    }
    case 'L': {
      std::string_view line = take_line();
      if (line.ends_with('L')) line.remove_suffix(1);
      decimal(line, push(Kind::integer));
      return true;
    }
    case 'J':
      push(Kind::integer).integer = int32_t(take_length(4));
      return true;
    case 'K':
    case 'M':
      push(Kind::integer).integer = int64_t(take_length(opcode == 'K' ? 1 : 2));
      return true;
    case 0x8a:  // LONG1, LONG4
    case 0x8b:
      little_endian(take(take_length(opcode == 0x8a ? 1 : 4)), push(Kind::integer));
      return true;
    case 'F':
      push(Kind::real).real = pickle::real(take_line());
      return true;
    case 'G': {  // big end first, alone in the format
      std::string_view b = take(8);
      uint64_t bits = 0;
      for (char c : b) bits = bits << 8 | uint8_t(c);
      push(Kind::real).real = std::bit_cast<double>(bits);
      return true;
    }
    case 'S':
      push_text(Kind::string, unquote(take_line()));
      return true;
    case 'V':
      push_text(Kind::string, raw_unicode_unescape(take_line()));
      return true;
    case 'U':
    case 0x8c:
      push_text(Kind::string, take(take_length(1)));
      return true;
    case 'T':
    case 'X':
      push_text(Kind::string, take(take_length(4)));
      return true;
    case 0x8d:
      push_text(Kind::string, take(take_length(8)));
      return true;
    case 'C':
      push_text(Kind::bytes, take(take_length(1)));
      return true;
    case 'B':
      push_text(Kind::bytes, take(take_length(4)));
      return true;
    case 0x8e:
    case 0x96:
      push_text(Kind::bytes, take(take_length(8)));
      return true;
  }
  return false;
}

bool Machine::step_container(uint8_t opcode) {
  switch (opcode) {
    case ']':
      push(Kind::list);
      return true;
    case 'l':
    case 't':
    case 0x91: {  // LIST, TUPLE, FROZENSET
      std::vector<ValuePtr> items = pop_to_mark();
      push(opcode == 'l'   ? Kind::list
           : opcode == 't' ? Kind::tuple
                           : Kind::set)
          .items = std::move(items);
      return true;
    }
    case ')':
      push(Kind::tuple);
      return true;
    case 0x85:
    case 0x86:
    case 0x87: {
      std::vector<ValuePtr> items = pop_count(opcode - 0x84u);
      push(Kind::tuple).items = std::move(items);
      return true;
    }
    case '}':
      push(Kind::dict);
      return true;
    case 'd': {
      std::vector<ValuePtr> flat = pop_to_mark();
      push(Kind::dict);
      set_items(std::move(flat));
      return true;
    }
    case 0x8f:
      push(Kind::set);
      return true;
    case 'a':
      append(pop_count(1));
      return true;
    case 'e':
    case 0x90:
      append(pop_to_mark());
      return true;
    case 's':
      set_items(pop_count(2));
      return true;
    case 'u':
      set_items(pop_to_mark());
      return true;
  }
  return false;
}

bool Machine::step_object(uint8_t opcode) {
  switch (opcode) {
    case 'c': {
      std::string_view module = take_line(), name = take_line();
      push_global(module, name);
      return true;
    }
    case 0x93: {  // STACK_GLOBAL
      ValuePtr name = pop(), module = pop();
      if (name->kind != Kind::string || module->kind != Kind::string)
        throw bad_input("the name of a global is not a string");
      push_global(module->text, name->text);
      return true;
    }
    case 'R':
    case 0x81: {  // REDUCE, NEWOBJ
      std::vector<ValuePtr> arguments = pop_arguments();
      ValuePtr callable = pop();
      push_call(std::move(callable), std::move(arguments));
      return true;
    }
    case 0x92: {  // NEWOBJ_EX: named arguments become entries
      ValuePtr named = pop();
      std::vector<ValuePtr> arguments = pop_arguments();
      ValuePtr callable = pop();
      if (named->kind != Kind::dict) throw bad_input("named arguments are not a dict");
      push_call(std::move(callable), std::move(arguments));
      spend(named->entries.size() * 2 * sizeof(ValuePtr));
      top()->entries.insert(top()->entries.end(), named->entries.begin(), named->entries.end());
      return true;
    }
    case 'i':
    case 'o': {  // INST, OBJ
      if (opcode == 'i') {
        std::string_view module = take_line(), name = take_line();
        std::vector<ValuePtr> arguments = pop_to_mark();
        push_global(module, name);
        ValuePtr callable = pop();
        push_call(std::move(callable), std::move(arguments));
        return true;
      }
      std::vector<ValuePtr> all = pop_to_mark();
      if (all.empty()) throw bad_input("a call names nothing to be called");
      ValuePtr callable = std::move(all.front());
      all.erase(all.begin());
      push_call(std::move(callable), std::move(all));
      return true;
    }
    case 'b': {
      ValuePtr state = pop();
      Kind kind = top()->kind;
      if (kind != Kind::object && kind != Kind::dict && kind != Kind::list && kind != Kind::set)
        throw bad_input("a state is given to what is not an object");
      top()->state = std::move(state);
      return true;
    }
    case 'P': {
      std::string_view id = take_line();
      push_text(Kind::string, id);
      ValuePtr key = pop();
      push(Kind::persistent).callable = std::move(key);
      return true;
    }
    case 'Q': {
      ValuePtr key = pop();
      push(Kind::persistent).callable = std::move(key);
      return true;
    }
  }
  return false;
}

bool Machine::step(uint8_t opcode) {
  switch (opcode) {
    case '.':
      return false;
    case '(':
      marks_.push_back(stack_.size());
      return true;
    case '0':  // POP takes a mark when that is on top
      if (!marks_.empty() && marks_.back() == stack_.size())
        marks_.pop_back();
      else
        pop();
      return true;
    case '1':
      pop_to_mark();
      return true;
    case '2':
      push(ValuePtr(top()));
      return true;
    case 0x80: {
      unsigned protocol = take_byte();
      if (protocol > 5) throw bad_input(fmt::format("pickle protocol {} is unknown", protocol));
      return true;
    }
    case 0x95: {  // FRAME
      uint64_t length = take_length(8);
      if (length > bytes_.size() - next_)
        throw bad_input(fmt::format("a frame is {} {} long, {} {} left", length,
                                    plural(length, "byte"), bytes_.size() - next_,
                                    plural(bytes_.size() - next_, "is", "are")));
      return true;
    }
    case 0x82:
    case 0x83:
    case 0x84:
      throw bad_input("the pickle uses copyreg's extension registry, which only its writer has");
    case 0x97:
    case 0x98:
      throw bad_input("the pickle keeps some of its data outside of the file");
  }
  if (step_memo(opcode) || step_literal(opcode) || step_container(opcode) || step_object(opcode))
    return true;
  throw bad_input(fmt::format("byte 0x{:02x} is not a pickle instruction", opcode));
}

}  // namespace

ValuePtr read(std::string_view bytes, const std::string& file, uint64_t* used,
              const Limits& limits) {
  return Machine(bytes, file, limits).run(used);
}

ValuePtr get(const Value& dict, std::string_view key) {
  for (size_t i = dict.entries.size(); i-- > 0;) {
    const auto& [name, value] = dict.entries[i];
    if (name->kind == Kind::string && name->text == key) return value;
  }
  return nullptr;
}

}  // namespace minpair::checkpoint::pickle

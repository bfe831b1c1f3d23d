#!/usr/bin/env bash
# A scoring method is one file and one line: this adds one to a copy of the list, links the program with it, and uses it.
#   tests/house/method.sh SOURCE_FOLDER BUILD_FOLDER
set -euo pipefail
source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/method"

# The one line.
sed 's|^  X(cross_entropy) .*|&\n  X(last_token) /* last-token */ \\|' "$source/src/method/methods.h" >"$work/method/methods.h"
[ "$(diff "$source/src/method/methods.h" "$work/method/methods.h" | grep -c '^>')" -eq 1 ]

# The one file: what a model that reads from left to right thinks of the last token of a sentence.
cat >"$work/last_token.cpp" <<'EOF'
#include "method/methods.h"
#include "method/tokens.h"

namespace minpair::method {
namespace {

class LastToken : public Method {
 public:
  const judge::MethodInfo& info() const override {
    static const judge::MethodInfo info{"last-token", "log-probability of the last token", "nobody"};
    return info;
  }
  bool supports(const query::ModelInfo& model) const override {
    return model.kind != query::ModelInfo::Kind::masked;
  }
  Questions questions(const suite::Item&, std::vector<SentenceTokens> sentences, const MethodContext&) const override {
    Questions questions;
    for (const SentenceTokens& sentence : sentences) {
      if (sentence.ids.size() < 2) return excluded(Reason::nothing_to_score);
      query::Query query{sentence.ids, {}, {}};
      query.ids.pop_back();
      query.asks = {{uint32_t(query.ids.size() - 1), query::Targets{{sentence.ids.back()}}}};
      SentenceQuestions s;
      s.tokens = {sentence.tokens.back()};
      s.asked = {{uint32_t(questions.queries.size()), 0, 0}};
      questions.queries.push_back(query);
      questions.sentences.push_back(s);
    }
    return questions;
  }
};

}  // namespace

const Method& last_token() {
  static const LastToken method;
  return method;
}

}  // namespace minpair::method
EOF

# Compiled as the build compiles the room; a file finds the list that stands beside it first.
compile() {  # source, object
  python3 - "$build" "$source/src/method/methods.cpp" "$1" "$2" <<'EOF'
import json, pathlib, shlex, subprocess, sys
build, like, source, made = sys.argv[1:]
entry = next(c for c in json.loads(pathlib.Path(build, "compile_commands.json").read_text()) if c["file"] == like)
words = shlex.split(entry["command"])
start = next(i for i, w in enumerate(words) if w.endswith(("c++", "g++", "clang++")))
words = words[start:]
words[words.index("-c") + 1], words[words.index("-o") + 1] = source, made
sys.exit(subprocess.run([*words, "-w"], cwd=entry["directory"]).returncode)
EOF
}
cp "$source/src/method/methods.cpp" "$work/methods.cpp"
compile "$work/methods.cpp" "$work/methods.o"
compile "$work/last_token.cpp" "$work/last_token.o"
link=$(ninja -C "$build" -t commands minpair | grep -- ' -o minpair ' | tail -1)
(cd "$build" && eval "$(sed "s| -o minpair | '$work/methods.o' '$work/last_token.o' -o '$work/minpair' |" <<<"$link")")

export MINPAIR_HOME=$source
minpair=$work/minpair
"$minpair" list methods | grep -A1 '^last-token' || { echo "FAILED: 'list methods' does not have it"; exit 1; }
score() { "$minpair" score -m "$1" --method last-token "Der Autor lacht ." "Der Autor lachen ." 2>&1; }
score de-lstm | grep 'last-token' || { echo "FAILED: 'score' does not know it"; exit 1; }
{ score de-mini || true; } | grep "is not for masked models" || { echo "FAILED: a masked model is not refused"; exit 1; }
printf '{"id":"1","test":"t","sentences":[{"text":"Der Autor lacht","grammatical":true},{"text":"Der Autor lachen","grammatical":false}]}\n' >"$work/one.jsonl"
"$minpair" run -q -s "$work/one.jsonl" -m de-lstm --method lp,last-token -o "$work/r.db" >/dev/null
"$minpair" report "$work/r.db" --format csv | grep ',last-token,sum,' || { echo "FAILED: 'report' does not show it"; exit 1; }

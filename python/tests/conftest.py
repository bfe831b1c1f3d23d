import json
import pathlib
import sys

import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "python"))


@pytest.fixture(scope="session")
def bert_path():
    return SOURCE / "tests/model/golden/bert"


@pytest.fixture(scope="session")
def bert(bert_path):
    import minpair

    return minpair.load(bert_path, threads=2)


@pytest.fixture(scope="session")
def gpt2_path(tmp_path_factory):
    """A causal model whose tokenizer puts nothing around a text, as GPT-2's own."""
    folder, golden = tmp_path_factory.mktemp("models") / "gpt2", SOURCE / "tests/model/golden/gpt2"
    folder.mkdir()
    for name in ("config.json", "model.safetensors"):
        (folder / name).symlink_to(golden / name)
    words = (golden / "vocab.txt").read_text().split("\n")
    vocabulary = {word: number for number, word in enumerate(words) if word}
    special = [{"id": vocabulary[w], "content": w, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
                "special": True} for w in ("[CLS]", "[SEP]", "[UNK]")]
    (folder / "tokenizer.json").write_text(json.dumps({
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": special, "normalizer": None,
        "pre_tokenizer": {"type": "BertPreTokenizer"}, "post_processor": None, "decoder": None,
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
                  "vocab": vocabulary}}))
    (folder / "tokenizer_config.json").write_text(json.dumps({"bos_token": "[CLS]", "eos_token": "[SEP]", "unk_token": "[UNK]"}))
    return folder


@pytest.fixture()
def suite(tmp_path):
    lines = []
    for n in range(200):
        words = f"wort{10 + n % 20}", f"wort{10 + n // 20}"
        lines.append({"id": str(n), "test": "ab"[n % 2], "condition": "xyz"[n % 3], "features": {"n": n}, "sentences": [
            {"text": f"{words[0]} {words[1]} wort9", "grammatical": True},
            {"text": f"{words[0]} wort8 {words[1]}", "grammatical": False}]})
    path = tmp_path / "s.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path

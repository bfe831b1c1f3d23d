#!/usr/bin/env python3
"""Makes tiny GGUF files of RWKV 6 and 7 in tests/model/golden, random weights in single precision, and what llama.cpp computes with
them: no library of Hugging Face has these models. Also folders as the hub has them, which llama.cpp's own converter reads. It does not
read version 5: that is computed by rwkv5.py, and compared with llama.cpp as the RWKV 6 that it also is.

  python3 tools/golden/make_rwkv.py [--long] FOLDER [NAME...]        (Debian unstable: libllama0, llama.cpp-tools-extra, python3-torch)

Every folder gets model.gguf, or what the hub's have, and reference.json: for each input its ids, and the log-probability of every token but the first
given those before it; and how llama.cpp cuts some texts.
"""
import json
import pathlib
import sys
import tempfile

import numpy
import torch
from safetensors.torch import save_file

sys.path.insert(1, "/usr/share/llama.cpp/llama.cpp-tools")
import gguf
from conversion import ModelBase, get_model_class
from llama_cpp import Llama, reference
from rwkv5 import Network, as_version_6, is_an_rwkv6

LENGTHS, LONG = [2, 9, 40], [2, 100, 1000]
LAYERS, INNER, RANK = 2, 40, 4
WORDS = [b" Haus", b"Haus", b" H", b"aus", b" lacht", b"lach", b"\xc3\xbc", b" M\xc3\xbc", b"\xc3", b"\xbc", b"\n", b"\n\n", b"\t", b"\\", b"'",
         b'"', b"  ", b"\x00", b"\xe4\xb8\xad", b"\xe4\xb8"]
TEXTS = ["Haus", "Das Haus lacht.", " Mühe  lacht\n\nHaus\t'a\\b\" 中", "ü  \n\n lachtHaus Haus"]
# What a folder holds: the architecture, and how it differs.
MODELS = {
    "rwkv6": ("rwkv6", {}),
    "rwkv6-halved": ("rwkv6", dict(halved=2, apart=True)),
    "rwkv6qwen2": ("rwkv6qwen2", dict(key_heads=1, biases=True)),
    "rwkv7": ("rwkv7", dict(hidden=64, head=32)),
    "arwkv7": ("arwkv7", dict(head=32)),
    "arwkv7-bare": ("arwkv7", dict(head=32, gated=False, normed=False)),
}
WORLD_FILE = "rwkv_vocab_v20230424.txt"
# Keys as the hub's folders have them; sizes are smaller. llama.cpp has one epsilon for the norms of heads, 64e-5, and the converter one
# size for the small networks of version 6.
RWKV5 = dict(
    architectures=["Rwkv5ForCausalLM"], bos_token_id=0, eos_token_id=0, model_type="rwkv5", tie_word_embeddings=False, use_cache=True,
    auto_map={"AutoConfig": "configuration_rwkv5.Rwkv5Config", "AutoModelForCausalLM": "modeling_rwkv5.Rwkv5ForCausalLM"})
FOLDERS = {
    "rwkv5": dict(
        RWKV5, attention_hidden_size=32, head_size=16, head_size_divisor=8, hidden_size=32, intermediate_size=None,
        layer_norm_epsilon=1e-5, model_max_length=4096, num_attention_heads=64, num_hidden_layers=2, rescale_every=6,
        transformers_version="4.33.1"),
    "rwkv5-heads": dict(
        RWKV5, head_size=12, head_size_divisor=4, hidden_size=24, intermediate_size=40, layer_norm_epsilon=1e-3, num_hidden_layers=4,
        rescale_every=2, transformers_version="4.38.2"),
    "rwkv6-folder": dict(
        architectures=["Rwkv6ForCausalLM"], attention_hidden_size=32, bos_token_id=0, eos_token_id=0, head_size=16,
        head_size_divisor=8, hidden_size=32, intermediate_size=None, layer_norm_epsilon=1e-5, model_max_length=4096,
        model_type="rwkv6", num_attention_heads=2, num_hidden_layers=3, rescale_every=2, tie_word_embeddings=False,
        transformers_version="4.34.0", use_cache=True),
    "rwkv7-folder": dict(
        a_low_rank_dim=4, architectures=["RWKV7ForCausalLM"], attn=None, attn_mode="chunk", bos_token_id=0, decay_low_rank_dim=8,
        eos_token_id=0, fuse_cross_entropy=True, fuse_norm=False, gate_low_rank_dim=12, head_dim=32, hidden_act="sqrelu",
        hidden_ratio=4.0, hidden_size=64, initializer_range=0.006, intermediate_size=96, max_position_embeddings=2048,
        model_type="rwkv7", norm_bias=True, norm_eps=2e-5, norm_first=True, num_heads=None, num_hidden_layers=2,
        tie_word_embeddings=False, torch_dtype="float32", transformers_version="4.48.0", use_cache=True, v_low_rank_dim=4,
        value_dim=[64, 64]),
}


def world_pieces():
    """Single bytes first."""
    return [bytes([b]) for b in range(0x20, 0x7f) if bytes([b]) not in WORDS] + WORDS


def world_vocabulary():
    """Bytes as Python writes them, as llama.cpp's converter does."""
    return ["<s>"] + [repr(p)[2:-1] for p in world_pieces()]


def world_file():
    def written(piece):
        try:
            return repr(piece.decode())
        except UnicodeDecodeError:
            return repr(piece)
    return "".join(f"{i} {written(piece)} {len(piece)}\n" for i, piece in enumerate(world_pieces(), 1))


class Writer:
    def __init__(self, path, arch, seed, hidden, head):
        self.hidden, self.head = hidden, head
        self.file, self.arch, self.path = gguf.GGUFWriter(str(path), arch), arch, path
        self.random = numpy.random.default_rng(seed)

    def key(self, name, value):
        if isinstance(value, float):
            self.file.add_float32(f"{self.arch}.{name}", value)
        else:
            self.file.add_uint32(f"{self.arch}.{name}", value)

    def tensor(self, name, *shape, mean=0.0, spread=None):
        spread = spread if spread is not None else 1.3 / shape[-1] ** 0.5
        self.file.add_tensor(name, self.random.normal(mean, spread, shape).astype(numpy.float32))

    def norm(self, name, width, bias=True):
        self.tensor(name + ".weight", width, mean=1.0, spread=0.2)
        if bias:
            self.tensor(name + ".bias", width, spread=0.2)

    def words(self, world):
        if world:
            tokens, types = world_vocabulary(), [3]
            self.file.add_tokenizer_model("rwkv")
            self.file.add_bos_token_id(0)
            self.file.add_eos_token_id(0)
        else:
            tokens, types = ["<unk>", "<s>", "</s>"] + [f"p{i}" for i in range(3, len(world_vocabulary()))], [2, 3, 3]
            self.file.add_tokenizer_model("llama")
            self.file.add_tokenizer_pre("default")
            self.file.add_token_scores([-float(i) for i in range(len(tokens))])
            self.file.add_bos_token_id(1)
            self.file.add_eos_token_id(2)
        self.file.add_token_list(tokens)
        self.file.add_token_types(types + [1] * (len(tokens) - len(types)))
        return len(tokens)

    def close(self):
        self.file.write_header_to_file()
        self.file.write_kv_data_to_file()
        self.file.write_tensors_to_file()
        self.file.close()


def time_mix_6(out, t, key_heads, biases, apart, qwen):
    out.tensor(t + "lerp_x.weight", out.hidden, mean=0.5, spread=0.3)
    if apart:  # as the first converters wrote them
        for letter in "wkvrg":
            out.tensor(f"{t}lerp_{letter}.weight", 1, 1, out.hidden, mean=0.5, spread=0.3)
    else:
        out.tensor(t + "lerp_fused.weight", 5, 1, 1, out.hidden, mean=0.5, spread=0.3)
    out.tensor(t + "w1.weight", 5 * RANK, out.hidden)
    out.tensor(t + "w2.weight", 5, out.hidden, RANK)
    out.tensor(t + "decay.weight", out.hidden, mean=-1.0, spread=1.0)
    out.tensor(t + "decay_w1.weight", RANK, out.hidden)
    out.tensor(t + "decay_w2.weight", out.hidden, RANK)
    for name, width in ("key", key_heads * out.head), ("value", key_heads * out.head), ("receptance", out.hidden):
        out.tensor(f"{t}{name}.weight", width, out.hidden)
        if biases:
            out.tensor(f"{t}{name}.bias", width, spread=0.2)
    out.tensor(t + "gate.weight", out.hidden, out.hidden)
    if not qwen:
        out.tensor(t + "first.weight", out.hidden // out.head, out.head, spread=0.5)
        out.norm(t + "ln", out.hidden)


def time_mix_7(out, t, gated, normed):
    out.tensor(t + "lerp_fused.weight", 6 if gated else 5, 1, 1, out.hidden, mean=0.5, spread=0.3)
    for letter in "wavg" if gated else "wav":
        if letter != "g":
            out.tensor(f"{t}{letter}0.weight", out.hidden, spread=1.0)
        out.tensor(f"{t}{letter}1.weight", RANK, out.hidden)
        out.tensor(f"{t}{letter}2.weight", out.hidden, RANK)
    for name in "k_k", "k_a", "r_k":
        out.tensor(f"{t}{name}.weight", out.hidden, mean=0.7, spread=0.3)
    for name in "key", "value", "receptance":
        out.tensor(f"{t}{name}.weight", out.hidden, out.hidden)
    if normed:
        out.norm(t + "ln", out.hidden)


def write(path, arch, seed, hidden=32, head=16, halved=0, apart=False, key_heads=2, biases=False, gated=True, normed=True):
    out, seventh, qwen = Writer(path, arch, seed, hidden, head), arch.endswith("rwkv7"), arch in ("rwkv6qwen2", "arwkv7")
    for name, value in {"context_length": 1048576, "embedding_length": hidden, "block_count": LAYERS, "wkv.head_size": head,
                        "feed_forward_length": INNER, "attention.head_count": 0}.items():
        out.key(name, value)
    out.key("attention.layer_norm_rms_epsilon" if qwen else "attention.layer_norm_epsilon", 1e-5)
    if seventh:
        for name in "decay", "iclr", "value_residual_mix":
            out.key(f"attention.{name}_lora_rank", RANK)
        out.key("attention.gate_lora_rank", RANK if gated else 0)
    else:
        out.key("time_mix_extra_dim", RANK)
        out.key("time_decay_extra_dim", RANK)
    if halved:
        out.key("rescale_every_n_layers", halved)
    if qwen:
        out.key("token_shift_count", 1)
        if not seventh:
            out.key("attention.head_count_kv", key_heads)
    words = out.words(not qwen)
    out.tensor("token_embd.weight", words, hidden, spread=0.6)
    if not qwen:
        out.norm("token_embd_norm", hidden)
    for i in range(LAYERS):
        p = f"blk.{i}."
        out.norm(p + "attn_norm", hidden, not qwen)
        out.norm(p + ("ffn_norm" if qwen else "attn_norm_2"), hidden, not qwen)
        if seventh:
            time_mix_7(out, p + "time_mix_", gated, normed)
        else:
            time_mix_6(out, p + "time_mix_", key_heads, biases, apart, qwen)
        out.tensor(p + "time_mix_output.weight", hidden, hidden)
        if qwen:
            for name, rows, columns in ("gate", INNER, hidden), ("up", INNER, hidden), ("down", hidden, INNER):
                out.tensor(f"{p}ffn_{name}.weight", rows, columns)
            continue
        for letter in "k" if seventh else "kr":
            out.tensor(f"{p}channel_mix_lerp_{letter}.weight", hidden, mean=0.5, spread=0.3)
        out.tensor(p + "channel_mix_key.weight", INNER, hidden)
        out.tensor(p + "channel_mix_value.weight", hidden, INNER)
        if not seventh:
            out.tensor(p + "channel_mix_receptance.weight", hidden, hidden)
    out.norm("output_norm", hidden, not qwen)
    out.tensor("output.weight", words, hidden)
    out.close()


class Tensors(dict):
    """Of a folder, in half precision."""

    def __init__(self, seed):
        super().__init__()
        torch.manual_seed(seed)

    def add(self, name, *shape, mean=0.0, spread=None):
        self[name] = torch.normal(mean, spread if spread is not None else 1.3 / shape[-1] ** 0.5, shape).half()

    def norm(self, name, width):
        self.add(name + ".weight", width, mean=1.0, spread=0.2)
        self.add(name + ".bias", width, spread=0.2)

    def mixes(self, prefix, letters, width):
        for letter in letters:
            self.add(prefix + letter, 1, 1, width, mean=0.5, spread=0.3)


def tensors_5(config, words, seed):
    all, h = Tensors(seed), config["hidden_size"]
    inner = config["intermediate_size"] or h * 7 // 2 // 32 * 32
    all.add("rwkv.embeddings.weight", words, h, spread=0.6)
    all.norm("rwkv.blocks.0.pre_ln", h)
    for i in range(config["num_hidden_layers"]):
        p, a, f = f"rwkv.blocks.{i}.", f"rwkv.blocks.{i}.attention.", f"rwkv.blocks.{i}.feed_forward."
        all.norm(p + "ln1", h)
        all.norm(p + "ln2", h)
        all.mixes(a + "time_mix_", ("key", "value", "receptance", "gate"), h)
        all.add(a + "time_decay", h // config["head_size"], config["head_size"], mean=-1.0, spread=1.0)
        all.add(a + "time_faaaa", h // config["head_size"], config["head_size"], spread=0.5)
        for name in "receptance", "key", "value", "gate", "output":
            all.add(f"{a}{name}.weight", h, h)
        all.norm(a + "ln_x", h)
        all.mixes(f + "time_mix_", ("key", "receptance"), h)
        all.add(f + "key.weight", inner, h)
        all.add(f + "receptance.weight", h, h)
        all.add(f + "value.weight", h, inner)
    all.norm("rwkv.ln_out", h)
    all.add("head.weight", words, h)
    return all


def tensors_6(config, words, seed):
    all, h, inner = Tensors(seed), config["hidden_size"], config["hidden_size"] * 7 // 2 // 32 * 32
    all.add("rwkv.embeddings.weight", words, h, spread=0.6)
    all.norm("rwkv.blocks.0.pre_ln", h)
    for i in range(config["num_hidden_layers"]):
        p, a, f = f"rwkv.blocks.{i}.", f"rwkv.blocks.{i}.attention.", f"rwkv.blocks.{i}.feed_forward."
        all.norm(p + "ln1", h)
        all.norm(p + "ln2", h)
        all.mixes(a + "time_maa_", "xwkvrg", h)
        all.add(a + "time_maa_w1", h, 5 * 32)
        all.add(a + "time_maa_w2", 5, 32, h, spread=0.2)
        all.add(a + "time_decay", 1, 1, h, mean=-1.0, spread=1.0)
        all.add(a + "time_decay_w1", h, 64)
        all.add(a + "time_decay_w2", 64, h)
        all.add(a + "time_faaaa", h // config["head_size"], config["head_size"], spread=0.5)
        for name in "receptance", "key", "value", "gate", "output":
            all.add(f"{a}{name}.weight", h, h)
        all.norm(a + "ln_x", h)
        all.mixes(f + "time_maa_", "kr", h)
        all.add(f + "key.weight", inner, h)
        all.add(f + "receptance.weight", h, h)
        all.add(f + "value.weight", h, inner)
    all.norm("rwkv.ln_out", h)
    all.add("head.weight", words, h)
    return all


def tensors_7(config, words, seed):
    all, h, inner = Tensors(seed), config["hidden_size"], config["intermediate_size"]
    ranks = {"w": "decay", "a": "a", "v": "v", "g": "gate"}
    all.add("model.embeddings.weight", words, h, spread=0.6)
    all.norm("model.layers.0.pre_norm", h)
    for i in range(config["num_hidden_layers"]):
        p, a = f"model.layers.{i}.", f"model.layers.{i}.attn."
        all.norm(p + "attn_norm", h)
        all.norm(p + "ffn_norm", h)
        all.mixes(a + "x_", "rwkvag", h)
        for letter, name in ranks.items():
            if letter == "v" and i == 0:
                continue
            rank = config[f"{name}_low_rank_dim"]
            all.add(f"{a}{letter}_lora.lora.0.weight", rank, h)
            all.add(f"{a}{letter}_lora.lora.2.weight", h, rank)
            if letter != "g":
                all.add(f"{a}{letter}_lora.lora.2.bias", h, spread=1.0)
        all.add(a + "k_k", h, mean=0.7, spread=0.3)
        all.add(a + "k_a", h, mean=0.7, spread=0.3)
        all.add(a + "r_k", h // config["head_dim"], config["head_dim"], mean=0.7, spread=0.3)
        for letter in "rkvo":
            all.add(f"{a}{letter}_proj.weight", h, h)
        all.norm(a + "g_norm", h)
        all.add(p + "ffn.x_k", h, mean=0.5, spread=0.3)
        all.add(p + "ffn.key.weight", inner, h)
        all.add(p + "ffn.value.weight", h, inner)
    all.norm("model.norm", h)
    all.add("lm_head.weight", words, h)
    return all


TENSORS = {"rwkv5": tensors_5, "rwkv6": tensors_6, "rwkv7": tensors_7}


def write_folder(folder, config, tensors):
    folder.mkdir(parents=True, exist_ok=True)
    save_file({key: value.contiguous() for key, value in tensors.items()}, folder / "model.safetensors", {"format": "pt"})
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    (folder / WORLD_FILE).write_text(world_file())


def write_pieces(folder):
    """The vocabulary as the class Rwkv5Tokenizer has it."""
    (folder / WORLD_FILE).unlink()
    (folder / "vocab.txt").write_text("".join(f"{piece!r}\n" for piece in [b"<s>", *world_pieces()]))
    (folder / "tokenizer_config.json").write_text(json.dumps({
        "name_or_path": "rwkv-5-tokenizer", "add_prefix_space": False, "tokenizer_class": "Rwkv5Tokenizer", "use_fast": False,
        "auto_map": {"AutoTokenizer": ["tokenization_rwkv5.Rwkv5Tokenizer", None]}}, indent=1) + "\n")


def convert(folder, config, gguf_file):
    model_class = get_model_class(config["architectures"][0], mmproj=False)
    model_class.lerp_weights = {}
    ModelBase.load_hparams(folder, False)
    with torch.inference_mode():
        model_class(dir_model=folder, ftype=gguf.LlamaFileType.ALL_F32, fname_out=gguf_file).write()


def judged(ours, theirs):
    pairs = [(a, b) for x, y in zip(ours["inputs"], theirs["inputs"]) for a, b in zip(x["logprobs"], y["logprobs"])]
    worst = max(abs(a - b) for a, b in pairs)
    assert worst < 1e-4, worst
    print(f"llama.cpp differs by {worst:.0e}", flush=True)


def make_folder(folder, name, llama, lengths, seed):
    """As the hub has it; llama.cpp reads what its converter makes of it."""
    words = len(world_vocabulary())
    config = dict(FOLDERS[name], vocab_size=words)
    tensors = TENSORS[config["model_type"]](config, words, seed)
    write_folder(folder, config, tensors)
    if name == "rwkv5-heads":
        write_pieces(folder)
    with tempfile.TemporaryDirectory() as scratch:
        file, read, read_config = pathlib.Path(scratch) / "model.gguf", folder, config
        if config["model_type"] == "rwkv5":
            read, (read_config, same) = pathlib.Path(scratch), as_version_6(config, tensors)
            write_folder(read, read_config, same)
        convert(read, read_config, file)
        llama.load(file)
    if config["model_type"] != "rwkv5":
        return llama.reference(lengths, seed)
    made = reference(Network(config, tensors).logits, words, lengths, seed, f"PyTorch {torch.__version__}")
    if is_an_rwkv6(config):
        judged(made, llama.reference(lengths, seed))
    return made


def make_file(folder, name, llama, lengths, seed):
    arch, more = MODELS[name]
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / "model.gguf", arch, seed, **more)
    llama.load(folder / "model.gguf")
    return llama.reference(lengths, seed)


def main():
    arguments = [a for a in sys.argv[1:] if a != "--long"]
    lengths = LONG if len(arguments) < len(sys.argv) - 1 else LENGTHS
    llama = Llama()
    for name in arguments[1:] or [*MODELS, *FOLDERS]:
        folder, seed = pathlib.Path(arguments[0]) / name, sum(map(ord, name))
        made = (make_folder if name in FOLDERS else make_file)(folder, name, llama, lengths, seed)
        if name in FOLDERS or MODELS[name][0] in ("rwkv6", "rwkv7"):
            made["texts"] = [{"text": t, "ids": llama.tokens(t)} for t in TEXTS]
        (folder / "reference.json").write_text(json.dumps(made) + "\n")
        print(name, flush=True)


if __name__ == "__main__":
    main()

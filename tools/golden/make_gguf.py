#!/usr/bin/env python3
"""Writes some of the tiny checkpoints in tests/model/golden as GGUF files, with llama.cpp's own converter, into tests/model/golden/gguf.

  python3 tools/golden/make_gguf.py tests/model/golden [NAME...]        (Debian unstable: llama.cpp-tools-extra, python3-gguf)
"""
import pathlib
import sys

import torch

sys.path.insert(1, "/usr/share/llama.cpp/llama.cpp-tools")
import gguf
from conversion import ModelBase, ModelType, get_model_class

# Not Falcon with one key head, whose number transformers writes otherwise; not GPT-2 and GPT-NeoX: the converter does not know how transformers 5 writes them; not Gemma: it adds one to norms in half precision.
NAMES = ["bloom", "falcon-one-norm", "falcon-two-norms", "granite", "llama-saved", "mpt", "mpt-clipped", "olmo", "olmo2",
         "phi2", "phi3", "qwen2-saved", "qwen3-saved", "smollm3", "stablelm", "starcoder2-open"]


def words(self):
    """The goldens have no vocabulary that the converter knows."""
    n = self.hparams["vocab_size"]
    self.gguf_writer.add_tokenizer_model("llama")
    self.gguf_writer.add_tokenizer_pre("default")
    self.gguf_writer.add_token_list(["<unk>", "<s>", "</s>"] + [f"p{i}" for i in range(3, n)])
    self.gguf_writer.add_token_scores([-float(i) for i in range(n)])
    self.gguf_writer.add_token_types([2, 3, 3] + [1] * (n - 3))
    self.gguf_writer.add_bos_token_id(1)
    self.gguf_writer.add_eos_token_id(2)


def main():
    golden = pathlib.Path(sys.argv[1])
    (golden / "gguf").mkdir(exist_ok=True)
    for name in sys.argv[2:] or NAMES:
        settings = ModelBase.load_hparams(golden / name, False)
        model_class = get_model_class(settings["architectures"][0].replace("Mpt", "MPT"), mmproj=False)
        model_class.set_vocab = words
        with torch.inference_mode():
            model_class(dir_model=golden / name, ftype=gguf.LlamaFileType.MOSTLY_F16,
                        fname_out=golden / "gguf" / f"{name}.gguf").write()
        print(name, flush=True)


main()

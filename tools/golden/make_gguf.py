#!/usr/bin/env python3
"""Writes some of the tiny checkpoints in tests/model/golden as GGUF files, with llama.cpp's own converter, into tests/model/golden/gguf.
What llama.cpp computes otherwise than transformers is also scored by it, in a file beside the GGUF file.

  python3 tools/golden/make_gguf.py tests/model/golden [NAME...]        (Debian unstable: llama.cpp-tools-extra, python3-gguf)
"""
import json
import pathlib
import sys

import torch

sys.path.insert(1, "/usr/share/llama.cpp/llama.cpp-tools")
import gguf
from conversion import ModelBase, get_model_class
from llama_cpp import Llama

# Not Falcon with one key head, whose number transformers writes otherwise; not GPT-2 and GPT-NeoX: the converter does not know how transformers 5 writes them; not Gemma: it adds one to norms in half precision.
NAMES = ["apertus", "bloom", "falcon-one-norm", "falcon-two-norms", "granite", "lfm2", "llama-saved", "llama-saved-bias", "ministral3",
         "mixtral", "mpt", "mpt-clipped", "olmo", "olmo2", "olmoe-open", "phi2", "phi3", "qwen2-moe-all", "qwen2-saved", "qwen3-moe",
         "qwen3-saved", "qwen3.5-shared", "qwen3.5-text", "smollm3", "stablelm", "starcoder2-open", "t5-few", "umt5-few"]
# Mamba: the converter takes exponents in half precision. Mamba 2 with more than one group: llama.cpp's norms are apart, as in Mamba's
# own library, those of transformers are not. Not Mamba with biases, which llama.cpp does not load.
SCORED = ["mamba", "mamba2", "mamba2-group"]


def words(self):
    """The goldens have no vocabulary that the converter knows."""
    n, gaps = self.hparams["vocab_size"], self.model_arch == gguf.MODEL_ARCH.T5
    self.gguf_writer.add_tokenizer_model("t5" if gaps else "llama")
    self.gguf_writer.add_tokenizer_pre("default")
    self.gguf_writer.add_token_list(["<unk>", "<s>", "</s>", "p3", "<extra_id_0>" if gaps else "p4"] + [f"p{i}" for i in range(5, n)])
    self.gguf_writer.add_token_scores([-float(i) for i in range(n)])
    self.gguf_writer.add_token_types([2, 3, 3, 1, 4 if gaps else 1] + [1] * (n - 5))
    self.gguf_writer.add_bos_token_id(1)
    self.gguf_writer.add_eos_token_id(2)


def main():
    golden = pathlib.Path(sys.argv[1])
    (golden / "gguf").mkdir(exist_ok=True)
    for name in sys.argv[2:] or NAMES + SCORED:
        settings = ModelBase.load_hparams(golden / name, False)
        model_class = get_model_class(settings["architectures"][0].replace("Mpt", "MPT"), mmproj=False)
        getattr(model_class, "Ministral3Model", model_class).set_vocab = words  # which is inside the class of Mistral 3
        model_class.no_mtp = True  # these guess no second token
        file, kind = golden / "gguf" / f"{name}.gguf", gguf.LlamaFileType
        with torch.inference_mode():
            single = name in SCORED or name.startswith("qwen3.5")
            model_class(dir_model=golden / name, ftype=kind.ALL_F32 if single else kind.MOSTLY_F16, fname_out=file).write()
        if name in SCORED:
            llama = Llama()
            llama.load(file)
            file.with_suffix(".json").write_text(json.dumps(llama.reference([2, 9, 40], 1)) + "\n")
        print(name, flush=True)


main()

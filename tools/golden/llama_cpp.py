"""llama.cpp's library, asked for the logits of every token (Debian unstable: libllama0, python3-numpy)."""
import ctypes
import glob

import numpy


class Batch(ctypes.Structure):
    _fields_ = [("n_tokens", ctypes.c_int32), ("token", ctypes.POINTER(ctypes.c_int32)), ("embd", ctypes.c_void_p),
                ("pos", ctypes.POINTER(ctypes.c_int32)), ("n_seq_id", ctypes.POINTER(ctypes.c_int32)),
                ("seq_id", ctypes.POINTER(ctypes.POINTER(ctypes.c_int32))), ("logits", ctypes.POINTER(ctypes.c_int8))]


class Settings(ctypes.Structure):
    """Of a model or a context: only the first field of a context is set, and there is room for all of them."""
    _fields_ = [("n_ctx", ctypes.c_uint32), ("rest", ctypes.c_uint8 * 1020)]


class Llama:
    """llama.cpp's library."""

    def __init__(self):
        # The same on every machine; also, with AVX-512 heads of RWKV 7 must have 64 columns.
        backend = glob.glob("/usr/lib/*/ggml/backends*/libggml-cpu-haswell.so")[0]
        ctypes.CDLL("libggml.so.0", mode=ctypes.RTLD_GLOBAL).ggml_backend_load(backend.encode())
        self.lib = lib = ctypes.CDLL("libllama.so.0")
        self.quiet = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)(lambda *_: None)
        lib.llama_log_set(self.quiet, None)
        lib.llama_backend_init()
        for name in "llama_model_default_params", "llama_context_default_params":
            getattr(lib, name).restype = Settings
        for name in "llama_model_load_from_file", "llama_init_from_model", "llama_model_get_vocab":
            getattr(lib, name).restype = ctypes.c_void_p
        lib.llama_model_load_from_file.argtypes = [ctypes.c_char_p, Settings]
        lib.llama_init_from_model.argtypes = [ctypes.c_void_p, Settings]
        lib.llama_batch_init.restype = Batch
        lib.llama_decode.argtypes = [ctypes.c_void_p, Batch]
        lib.llama_get_logits_ith.restype = ctypes.POINTER(ctypes.c_float)
        lib.llama_get_logits_ith.argtypes = [ctypes.c_void_p, ctypes.c_int32]
        lib.llama_model_get_vocab.argtypes = [ctypes.c_void_p]

    def load(self, path):
        self.model = self.lib.llama_model_load_from_file(str(path).encode(), self.lib.llama_model_default_params())
        assert self.model, path
        vocabulary = ctypes.c_void_p(self.lib.llama_model_get_vocab(self.model))
        self.words = self.lib.llama_vocab_n_tokens(vocabulary)

    def logits(self, ids):
        settings = self.lib.llama_context_default_params()
        settings.n_ctx = 2048
        context = self.lib.llama_init_from_model(self.model, settings)
        batch = self.lib.llama_batch_init(len(ids), 0, 1)
        for i, token in enumerate(ids):
            batch.token[i], batch.pos[i], batch.n_seq_id[i], batch.logits[i] = token, i, 1, 1
            batch.seq_id[i][0] = 0
        batch.n_tokens = len(ids)
        assert self.lib.llama_decode(context, batch) == 0
        rows = [numpy.ctypeslib.as_array(self.lib.llama_get_logits_ith(context, i), (self.words,)).astype(numpy.float64)
                for i in range(len(ids))]
        self.lib.llama_free(ctypes.c_void_p(context))
        return numpy.stack(rows)

    def tokens(self, text):
        ids = (ctypes.c_int32 * 1000)()
        vocabulary = ctypes.c_void_p(self.lib.llama_model_get_vocab(self.model))
        data = text.encode()
        count = self.lib.llama_tokenize(vocabulary, data, len(data), ids, 1000, False, False)
        assert count >= 0
        return list(ids[:count])

    def reference(self, lengths, seed):
        return reference(self.logits, self.words, lengths, seed, "llama.cpp")


def reference(logits, words, lengths, seed, made_by):
    """Random inputs, and the log-probability of every token but the first given those before it."""
    random, inputs = numpy.random.default_rng(seed), []
    for n in lengths:
        ids = random.integers(5, words, n).tolist()
        x = logits(ids)
        x -= x.max(-1, keepdims=True)
        x -= numpy.log(numpy.exp(x).sum(-1, keepdims=True))
        inputs.append({"ids": ids, "logprobs": [round(x[i, ids[i + 1]], 6) for i in range(n - 1)]})
    return {"made_by": made_by, "kind": "causal", "inputs": inputs}

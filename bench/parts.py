"""The parts of the page, one function each. A part yields rows, or raises Skip with what is missing."""
import dataclasses
import glob
import json
import os
import re
import resource
import shlex
import shutil
import statistics
import subprocess
import tempfile
import time

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BENCH = os.path.join(SOURCE, "bench")
PYTHON = "/usr/bin/python3"  # Debian's, which has Debian's PyTorch and NLTK
BATCHES = (1, 8, 16, 32)  # sentences that a peer is given at once; its best size counts


class Skip(Exception):
    pass


@dataclasses.dataclass
class Row:
    what: str
    ours: float
    peer: str
    theirs: float
    bar: float = None
    unit: str = ""
    at_most: bool = False  # the ratio must not exceed the bar

    def ratio(self):
        return float(self.ours) / self.theirs

    def holds(self):
        return self.ratio() <= self.bar if self.at_most else self.ratio() >= self.bar


def ran(command, **more):
    # Peers on OpenMP would burn the cores of others while waiting.
    more.setdefault("env", {**os.environ})
    more["env"].setdefault("OMP_WAIT_POLICY", "passive")
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode != 0:
        raise Skip(f"{os.path.basename(command[0])} failed: {(done.stderr or done.stdout).strip().splitlines()[-1:] or '?'}")
    return done.stdout


def seconds_of(command, **more):
    began = time.monotonic()
    ran(command, **more)
    return time.monotonic() - began


def processor_seconds_of(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ran(command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def last_json(text):
    return json.loads(text.strip().splitlines()[-1])


class Here:
    """Where things are, made when first asked for."""

    def __init__(self, build):
        self.build = os.path.abspath(build)
        self.minpair = os.path.join(self.build, "minpair")
        self.work = tempfile.mkdtemp(prefix="minpair-bench-")
        self.threads = int(os.environ.get("MINPAIR_THREADS", min(2, os.cpu_count())))
        self.shared = os.path.join(SOURCE, "..", "shared")
        self.data = os.environ.get("MINPAIR_DATA", os.path.join(self.shared, "data"))
        self.peer = os.environ.get("MINPAIR_PEER", os.path.join(self.build, "peer"))

    def __del__(self):
        shutil.rmtree(self.work, ignore_errors=True)

    def program(self, name):
        path = os.path.join(self.build, name)
        if not os.path.exists(path):
            raise Skip(f"{name} is not built")
        return path

    def published(self, *path):
        path = os.path.join(self.data, *path)
        if not os.path.exists(path):
            raise Skip(f"{'/'.join(path.split('/')[-2:])} is not there (MINPAIR_DATA)")
        return path

    def bert(self):
        """One BERT-base as a checkpoint and as ONNX, and a sample of the published sentences."""
        script, gevalm = os.path.join(self.shared, "peer", "make_bert.py"), self.published("gevalm", "output")
        os.makedirs(self.peer, exist_ok=True)
        model = os.path.join(self.peer, "bert")
        if not os.path.exists(os.path.join(model, "model.onnx")):
            if not os.path.exists(script):
                raise Skip("no BERT-base to compare on (make_bert.py)")
            ran([PYTHON, script, model, "--gevalm", os.path.dirname(gevalm)])
        lines = []
        for file in sorted(glob.glob(os.path.join(gevalm, "**", "*.jsonl"), recursive=True)):
            lines += open(file).readlines()
        sample = os.path.join(self.work, "sample.jsonl")
        with open(sample, "w") as out:  # from everywhere, so that every length is there
            out.writelines(lines[::len(lines) // 320 + 1])
        return model, sample

    def suite(self):
        """The published German pairs as a suite, or the shipped German one."""
        path = os.path.join(self.work, "suite.jsonl")
        if not os.path.exists(path):
            source = os.path.join(self.data, "gevalm", "input")
            if os.path.exists(source):
                ran([self.minpair, "convert", "--quiet", source, path])
            else:
                ran([self.minpair, "convert", "--quiet", "de-agreement", path])
        return path

    def some(self, items):
        """So many items from all over the suite."""
        return self.lines(f"some-{items}.jsonl", lambda all_lines: all_lines[::max(1, len(all_lines) // items)][:items])

    def first(self, items):
        """The first items, which have more in common."""
        return self.lines(f"first-{items}.jsonl", lambda all_lines: all_lines[:items])

    def lines(self, name, chosen):
        path = os.path.join(self.work, name)
        if not os.path.exists(path):
            with open(path, "w") as out:
                out.writelines(chosen(open(self.suite()).readlines()))
        return path

    def run(self, *words, before=()):
        """Seconds of one `minpair run` into a fresh file, with the time to load the model taken off by --limit 1."""
        file = os.path.join(self.work, "results.db")
        command = [*before, self.minpair, "run", "-q", "-o", file, *words]
        took = []
        for more in ([], ["--limit", "1"]):
            for end in ("", "-journal"):
                if os.path.exists(file + end):
                    os.remove(file + end)
            took.append(seconds_of(command + more, cwd=self.work))
        return max(1e-3, took[0] - took[1])

    def count(self, *words):
        """Queries, distinct ones and tokens, as a dry run plans them."""
        text = ran([self.minpair, "run", "--dry-run", *words])
        found = re.search(r"([\d,]+) queries, ([\d,]+) of them distinct, ([\d,]+) tokens", text)
        return [int(n.replace(",", "")) for n in found.groups()]


def alternating(rounds, *sides):
    """The best of each side; the sides take turns."""
    best = [float("inf")] * len(sides)
    for _ in range(rounds):
        for i, side in enumerate(sides):
            best[i] = min(best[i], side())
    return best


def encoder_line(here, model, sample, precision, rounds=1):
    words = [here.program("bench_encoder"), model, "256", str(here.threads), str(rounds)]
    return ran(words, input=sample, env={**os.environ, "MINPAIR_PRECISION": precision})


def encoder(here):
    """BERT-base's share of the rate that the same cores reach in one large matrix product"""
    model, sample = here.bert()
    line = last_json(encoder_line(here, model, sample, "fp32", 3))
    yield Row("BERT-base, cross-entropy, fp32", line["gflops"], "oneDNN fp32 matrix product", line["onednn_gflops"], 0.75, "GFLOP/s")
    size = os.path.getsize(os.path.join(model, "model.safetensors")) / 2**20
    yield Row("BERT-base, peak memory", line["peak_memory_mb"], "its weights + 300 MB", round(size) + 300, 1, "MB", at_most=True)


def node_peer(here, script, *words, **more):
    """A script beside ONNX Runtime for Node."""
    if not shutil.which("node") or not os.path.exists(script):
        raise Skip(f"Node or {os.path.basename(script)} is not there")
    if not os.path.isdir(os.path.join(here.peer, "node_modules", "onnxruntime-node")):
        if not shutil.which("npm"):
            raise Skip("onnxruntime-node is not installed and there is no npm")
        ran(["npm", "install", "--silent", "--ignore-scripts", "onnxruntime-node"], cwd=here.peer)
    shutil.copy(script, here.peer)
    return ran(["node", os.path.basename(script), *map(str, words)], cwd=here.peer, **more)


def onnx_text(here, model, sample, batch):
    script = os.path.join(here.shared, "peer", "ort_score.mjs")
    return node_peer(here, script, model, 256, batch, here.threads, input=sample)


def losses(text):
    return [float(line.split()[0]) for line in text.splitlines() if line[:1].isdigit()]


def onnx(here):
    """BERT-base against ONNX Runtime at its best batch size, in every precision there is here"""
    model, sample = here.bert()
    rate = lambda text: last_json(text).get("tokens_per_model_second") or last_json(text)["tokens_per_second"]
    batch = max((8, 16, 32), key=lambda b: rate(onnx_text(here, model, sample, b)))
    bars = {"fp32": 1.2}
    if "amx_bf16" in open("/proc/cpuinfo").read():
        bars.update(fast=3.5, bf16=7)
    best, theirs = {p: 0 for p in bars}, 0
    for _ in range(2):
        for p in bars:
            text = encoder_line(here, model, sample, p)
            best[p] = max(best[p], rate(text))
            ours = losses(text) if p == "fp32" else ours
        peer = onnx_text(here, model, sample, batch)
        theirs = max(theirs, rate(peer))
    for p, bar in bars.items():
        yield Row(f"BERT-base, cross-entropy, {p}", best[p], f"ONNX Runtime fp32, batches of {batch}", theirs, bar, "tokens/s")
    apart = max(abs(a - b) for a, b in zip(ours, losses(peer)))
    yield Row("scores in fp32, furthest apart", f"{apart:.1e}", "1e-4", 1e-4, 1, at_most=True)


def masked(here):
    """`masked` over all published German pairs against each pair's own context through ONNX Runtime"""
    model, _ = here.bert()
    files = "\n".join(sorted(glob.glob(os.path.join(here.published("gevalm", "output"), "**", "*.jsonl"), recursive=True)))
    script = os.path.join(BENCH, "masked_onnx.mjs")
    rate = lambda batch: last_json(node_peer(here, script, model, 256, batch, here.threads, input=files))["pairs_per_second"]
    theirs = max(rate(batch) for batch in (8, 16, 32))
    pairs = sum(1 for _ in open(here.suite()))
    ours = pairs / here.run("-s", here.suite(), "-m", model, "--method", "masked", "--threads", str(here.threads))
    yield Row(f"BERT-base, masked, {pairs:,} pairs", ours, "ONNX Runtime, pair by pair", theirs, 8, "pairs/s")


def cloze(here):
    """Clozes from a treebank against a pass with the whole vocabulary for each through ONNX Runtime, at its best batch size and one by one"""
    model, _ = here.bert()
    folder = os.path.join(here.work, "cloze")
    ran([here.minpair, "extract", here.published("ud-2.4", "UD_German-GSD"), "-o", folder])
    path = os.path.join(folder, "items.jsonl")
    lines = open(path).readlines()[:1200]  # neighbours: what a text has in common stays together
    with open(path, "w") as out:
        out.writelines(lines)
    items = [json.loads(line) for line in lines]
    texts = []
    for item in items[:: len(items) // 120 + 1]:
        sentence = item["sentences"][0]
        begin, end = sentence["locus"]
        texts.append(sentence["text"][:begin] + "[MASK]" + sentence["text"][end:])
    ids = ran([here.minpair, "tokenize", "-m", model, "--ids"], input="\n".join(texts) + "\n")
    script = os.path.join(BENCH, "cloze_onnx.mjs")
    theirs = {batch: last_json(node_peer(here, script, model, batch, here.threads, input=ids))["items_per_second"] for batch in BATCHES}
    best = max(theirs, key=theirs.get)
    words = ["-s", folder, "-m", model, "--method", "feature-class", "--min-words", "1", "--threads", str(here.threads)]
    asked, _, _ = here.count(*words)  # the others have no word on one side
    what, ours = f"BERT-base, feature-class, {asked:,} clozes", asked / here.run(*words)
    yield Row(what, ours, f"ONNX Runtime, batches of {best}", theirs[best], None, "clozes/s")
    yield Row(what, ours, "ONNX Runtime, cloze by cloze", theirs[1], 5, "clozes/s")


def torch_peer(here, *words, **more):
    if subprocess.run([PYTHON, "-c", "import torch"], capture_output=True).returncode != 0:
        raise Skip("PyTorch is not installed (Debian: python3-torch)")
    return last_json(ran([PYTHON, os.path.join(BENCH, "peer_torch.py"), *map(str, words)], **more))


def torch(here):
    """BERT-base against PyTorch at its best batch size, and one sentence at a time as the published German evaluation ran it"""
    model, sample = here.bert()
    classes = os.path.join(here.shared, "peer", "make_bert.py")
    peer = lambda batch: torch_peer(here, "bert", classes, model, 256, batch, here.threads, input=sample)
    theirs = {batch: peer(batch)["tokens_per_second"] for batch in BATCHES}
    best = max(theirs, key=theirs.get)
    ours = 0
    for _ in range(2):
        text = encoder_line(here, model, sample, "fp32")
        ours = max(ours, last_json(text)["tokens_per_second"])
        again = peer(best)
        theirs[best] = max(theirs[best], again["tokens_per_second"])
    what = "BERT-base, cross-entropy, fp32"
    yield Row(what, ours, f"PyTorch, batches of {best}", theirs[best], 1.2, "tokens/s")
    yield Row(what, ours, "PyTorch, one sentence at a time", theirs[1], 1.5, "tokens/s")
    yield Row("the first sentence's score, apart", f"{abs(losses(text)[0] - again['first_loss']):.1e}", "1e-4", 1e-4, 1, at_most=True)


def llama_cpp_seconds(command, file, tokens, threads):
    """Processor time of one pass by llama-bench: what some passes more cost, so that loading does not count. Loading takes as long as
    many short passes, since weights are packed anew; so many passes are needed to see them."""
    more = max(3, 800 // tokens)
    words = [*command, "-m", file, "-p", str(tokens), "-n", "0", "-t", str(threads), "--no-warmup", "-r"]
    return (processor_seconds_of([*words, str(1 + more)]) - processor_seconds_of([*words, "1"])) / more


def stored(here):
    """Quantised weights against llama.cpp on the same GGUF files, one text at a time, in processor time"""
    command = shlex.split(os.environ.get("MINPAIR_LLAMA_BENCH", "llama-bench"))
    folder = os.environ.get("MINPAIR_GGUF", os.path.join(here.peer, "gguf"))
    files = sorted(glob.glob(os.path.join(folder, "*.gguf")))
    if not shutil.which(command[0]):
        raise Skip("llama.cpp is not there (MINPAIR_LLAMA_BENCH: the command that runs llama-bench)")
    if not files:
        raise Skip("no GGUF files (MINPAIR_GGUF: their folder; bench/make_gguf.py makes one, llama-quantize others of it)")
    # What llama-bench calls the folder, where it runs in a root of its own.
    inside = os.environ.get("MINPAIR_GGUF_INSIDE", folder)
    for file in files:
        for tokens in (19, 512):
            ours = lambda precision: last_json(ran([here.program("bench_stored"), file, str(tokens), str(max(2, 200 // tokens)), str(here.threads), precision]))["seconds"]
            rounds = [(ours("fp32"), ours("fast"), llama_cpp_seconds(command, os.path.join(inside, os.path.basename(file)), tokens, here.threads))
                      for _ in range(3)]
            exact, fast, theirs = (statistics.median(side) for side in zip(*rounds))
            name = f"{os.path.basename(file)}, {tokens} tokens"
            yield Row(f"{name}, fast", tokens / fast, "llama.cpp", tokens / theirs, 1, "tokens/s")
            yield Row(f"{name}, fp32", tokens / exact, "llama.cpp", tokens / theirs, None, "tokens/s")


def sharing(here):
    """What the planner's sharing saves: each method with it, and one query after the other"""
    if "--no-sharing" not in ran([here.minpair, "run", "--help"]):
        raise Skip("this minpair cannot switch sharing off")
    stories = os.path.join(os.environ.get("MINPAIR_MODELS", os.path.join(here.shared, "models")), "stories15M")
    clams = os.path.join(here.work, "clams.jsonl")
    ran([here.minpair, "convert", "--quiet", "clams", clams])
    english = [line for line in open(clams) if '"language":"en"' in line][:800]
    with open(clams, "w") as out:
        out.writelines(english)
    work = [("masked", here.first(4000), "de-mini", 2), ("ce", here.first(600), "de-mini", 1.2), ("pll", here.first(60), "de-mini", 1.5)]
    if os.path.exists(stories):
        work.append(("causal", clams, stories, 3))
    for method, suite, model, bar in work:
        words = ["-s", suite, "-m", model, "--threads", str(here.threads)] + (["--method", method] if method != "causal" else [])
        asked, distinct, tokens = here.count(*words)
        items = sum(1 for _ in open(suite))
        shared, alone = alternating(2, lambda: here.run(*words), lambda: here.run(*words, "--no-sharing"))
        yield Row(f"{method}: {asked:,} queries, {distinct:,} distinct, {tokens:,} tokens computed", items / shared,
                  "one query after the other", items / alone, bar, "items/s")


def lstm(here):
    """An LSTM of the published size (2 layers of 650, 50,000 words) against PyTorch at its best batch size"""
    model = os.path.join(here.work, "lstm")
    torch_peer(here, "make-lstm", model, here.some(300))
    peer = lambda batch: torch_peer(here, "lstm", model, here.some(300), batch, here.threads)["sentences_per_second"]
    theirs = {batch: peer(batch) for batch in BATCHES}
    best = max(theirs, key=theirs.get)
    words = ["-s", here.some(300), "-m", os.path.join(model, "model.pt"), "--vocab", os.path.join(model, "vocab.txt"), "--threads",
             str(here.threads)]
    seconds = min(here.run(*words) for _ in range(2))
    for batch, peer in sorted({best: f"PyTorch, batches of {best}", 1: "PyTorch, one sentence at a time"}.items(), reverse=True):
        yield Row("LSTM, whole sentences", 2 * 300 / seconds, peer, theirs[batch], 2, "sentences/s")


def generation(here):
    """Expanding a grammar against NLTK"""
    text = ran([here.program("bench_generate")])
    rates = {name: float(n) for name, n in re.findall(r"^\s+(text|jsonl|sample|sparse|drawn|NLTK|walk)\s+(\d+) sentences/s", text, re.M)}
    if "NLTK" not in rates:
        raise Skip("NLTK is not installed (Debian: python3-nltk)")
    yield Row("plain text", rates["text"], "NLTK's generate", rates["NLTK"], 20, "sentences/s")
    yield Row("a suite with loci and features", rates["jsonl"], "NLTK's generate, plain text", rates["NLTK"], 4, "sentences/s")
    yield Row("a tenth drawn, plain text", rates["sample"], "NLTK's generate", rates["NLTK"], 20, "sentences/s")
    yield Row("a hundredth drawn, plain text", rates["sparse"], "NLTK's generate", rates["NLTK"], 20, "sentences/s")
    yield Row("a tenth drawn, a suite", rates["drawn"], "a random walk over NLTK's productions", rates["walk"], 20, "sentences/s")


def extraction(here):
    """Agreement relations from a treebank against finding them in Python, in processor time"""
    bank = os.path.join(here.work, "treebank")
    os.makedirs(bank, exist_ok=True)
    files = sorted(glob.glob(os.path.join(here.published("ud-2.4", "UD_Afrikaans-AfriBooms"), "*.conllu")))
    with open(os.path.join(bank, "af_bench.conllu"), "w") as out:  # ten times, so that the start of the program does not count
        out.write("".join(open(f).read() for f in files) * 10)
    ours, theirs = alternating(
        2, lambda: processor_seconds_of([here.minpair, "extract", "--quiet", bank, "--language", "af", "-o", bank + "-clozes"]),
        lambda: float(ran([PYTHON, os.path.join(BENCH, "peer_conllu.py"), bank])))
    size = os.path.getsize(os.path.join(bank, "af_bench.conllu")) / 2**20
    yield Row("clozes from a treebank, all told", size / ours, "Python: words compared with their heads", size / theirs, 2, "MB/s")
    yield Row("the same", size / ours, "50 MB/s", 50, 1, "MB/s")


def growth_line(here, items):
    file = os.path.join(here.work, "growth.db")
    line = last_json(ran([here.program("bench_store"), str(items), file]))
    return line, file


def store(here):
    """Storing 100,000 items with their summary against bare inserts of the same rows with Python's sqlite3"""
    (line, file) = growth_line(here, 100000)
    theirs = float(ran([PYTHON, os.path.join(BENCH, "peer_sqlite.py"), file]))
    yield Row("scores judged under ten views, stored", 100000 / line["store_seconds"], "SQLite alone, the same rows", 100000 / theirs,
              0.3, "items/s")


def mpi(here):
    """Two processes of one thread against one process of two"""
    if not shutil.which("mpirun") or not os.path.exists(os.path.join(here.build, "minpair-mpi.so")):
        raise Skip("Open MPI is not there (Debian: libopenmpi-dev openmpi-bin)")
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    words = ["-s", here.some(6000), "-m", "de-mini", "--method", "ce"]
    two, one = alternating(
        2, lambda: here.run(*words, "--threads", "1", before=["mpirun", "--oversubscribe", "--bind-to", "none", "-n", "2"]),
        lambda: here.run(*words, "--threads", "2"))
    yield Row("2 processes × 1 thread", 6000 / two, "1 process × 2 threads", 6000 / one, 0.9, "items/s")


def growth(here):
    """Processor time and memory per item, from a thousand items to a million, with a model that costs nothing"""
    sizes = (1000, 10000, 100000, 1000000)
    rounds = [{n: growth_line(here, n)[0] for n in sizes} for _ in range(3)]
    # Not the least: a short run meets a quiet moment more easily than a long one.
    cost = {n: statistics.median(lines[n]["processor_microseconds_per_item"] for lines in rounds) for n in sizes}
    for n in (1000, 100000, 1000000):
        yield Row(f"time per item, {n:,} items", cost[n], "10,000 items", cost[10000], 1.15 if n > 10000 else None, "µs", at_most=True)
    # Below 100,000 items the planner's buffers are not full.
    yield Row("peak memory, 1,000,000 items", rounds[0][1000000]["peak_megabytes"], "100,000 items",
              rounds[0][100000]["peak_megabytes"], 1.2, "MB", at_most=True)


ALL = {f.__name__: f for f in (encoder, onnx, masked, cloze, torch, stored, sharing, lstm, generation, extraction, store, mpi, growth)}

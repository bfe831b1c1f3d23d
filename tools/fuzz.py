"""The campaign behind tools/fuzz.sh: turns for every target, a ledger of what was executed, lines reached, small seeds."""
import argparse
import concurrent.futures
import datetime
import fcntl
import fnmatch
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/fuzz"
LEDGER = BUILD / "ledger.tsv"
FINDINGS = BUILD / "findings"
EXECUTED = ROOT / "fuzz/executed.tsv"  # of all campaigns, whatever folder they were built in
LINES = ROOT / "build/fuzz-lines/lines.tsv"
COLUMNS = ["when", "target", "processor", "executions", "new", "edges", "features", "corpus", "findings"]
# Allocations are many and short-lived: the quarantine can be small, and stacks of allocations are recorded only when a
# finding is repeated.
ASAN = "malloc_context_size=0:quarantine_size_mb=2:detect_stack_use_after_return=0"
MOST_FINDINGS = 5  # of one turn
TIMEOUT = 120  # seconds of the clock, not of the processor: the machine may be busy with other things


def all_targets():
    return sorted(p.name.removesuffix("_fuzz.cpp") for p in (ROOT / "fuzz").glob("*_fuzz.cpp"))


def corpus_of(target):
    folder = BUILD / "corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def environment(temporary, asan=ASAN):
    return {**os.environ, "ASAN_OPTIONS": asan, "UBSAN_OPTIONS": "print_stacktrace=1", "TMPDIR": temporary,
            "LC_ALL": "C.UTF-8"}


def in_memory():
    shared = pathlib.Path("/dev/shm")
    return tempfile.TemporaryDirectory(prefix="minpair-fuzz-", dir=shared if shared.is_dir() else None)


def last_number(pattern, text):
    found = re.findall(pattern, text)
    return int(found[-1]) if found else 0


def longest(target):
    """Inputs of twice the largest seed: longer ones take time and reach no more."""
    sizes = [p.stat().st_size for p in (ROOT / "fuzz/seeds" / target).iterdir()]
    return max(512, 2 * max(sizes, default=0))


def told(target, finding):
    """What the program says about a finding, with all that AddressSanitizer can tell."""
    with in_memory() as temporary:
        return subprocess.run([BUILD / f"fuzz_{target}", f"-timeout={TIMEOUT}", finding], env=environment(temporary, ""),
                              capture_output=True, text=True, errors="replace").stderr


def attempt(target, seconds, entropic):
    """One process, until its time is over or it has found something."""
    program = BUILD / f"fuzz_{target}"
    dictionary = ROOT / f"fuzz/dictionaries/{target}.dict"
    before = set(FINDINGS.glob(f"{target}-*"))
    with in_memory() as temporary:
        command = [program, f"-max_total_time={max(1, int(seconds))}", "-print_final_stats=1", "-rss_limit_mb=2048",
                   "-malloc_limit_mb=1024", f"-timeout={TIMEOUT}", f"-max_len={longest(target)}",
                   f"-entropic={int(entropic)}", f"-artifact_prefix={FINDINGS}/{target}-",
                   *([f"-dict={dictionary}"] if dictionary.exists() else []),
                   corpus_of(target), ROOT / "fuzz/seeds" / target]
        process = subprocess.Popen([str(c) for c in command], env=environment(temporary), text=True, errors="replace",
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        text = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
    found = set(FINDINGS.glob(f"{target}-*")) - before
    if status != 0 and not found:  # ended otherwise: its own words are all there is
        log = FINDINGS / f"{target}-said-{int(time.time())}.log"
        log.write_text(text[-20000:])
        found = {log}
    for finding in found:
        if finding.suffix != ".log":
            finding.with_suffix(finding.suffix + ".txt").write_text((text + told(target, finding))[-20000:])
    return {"target": target, "processor": round(usage.ru_utime + usage.ru_stime, 1),
            "executions": last_number(r"stat::number_of_executed_units:\s*(\d+)", text),
            "new": last_number(r"stat::new_units_added:\s*(\d+)", text),
            "edges": last_number(r" cov: (\d+)", text), "features": last_number(r" ft: (\d+)", text),
            "corpus": last_number(r" corp: (\d+)", text), "findings": len(found)}


def write_down(row):
    row["when"] = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")
    with open(LEDGER, "a") as ledger:
        fcntl.flock(ledger, fcntl.LOCK_EX)
        if ledger.tell() == 0:
            ledger.write("\t".join(COLUMNS) + "\n")
        ledger.write("\t".join(str(row[c]) for c in COLUMNS) + "\n")


def turn(target, seconds, number):
    """All findings of so much time, not the first."""
    end, new, found, executions, processor = time.time() + seconds, 0, 0, 0, 0.0
    while found < MOST_FINDINGS and (left := end - time.time()) > 0.5:
        row = attempt(target, left, entropic=number % 2 == 0)  # the others are a quarter faster, and not so choosy
        write_down(row)
        new += row["new"]
        found += row["findings"]
        executions += row["executions"]
        processor += row["processor"]
        if row["findings"] == 0:
            break
    print(f"{target:18} {executions:>11,} executions in {processor:6.1f} s of processor time, {new:5} new inputs"
          + (f", {found} FINDINGS" if found else ""), flush=True)
    return new


def run(call):
    FINDINGS.mkdir(parents=True, exist_ok=True)
    targets = call.targets or all_targets()
    if unknown := set(targets) - set(all_targets()):
        sys.exit(f"fuzz: no target {', '.join(sorted(unknown))}; there are {' '.join(all_targets())}")
    share = {t: 1.0 for t in targets}
    until = None
    if call.until:
        now = datetime.datetime.now()
        hour, minute = map(int, call.until.split(":"))
        until = now.replace(hour=hour, minute=minute, second=0).timestamp()
    lock = threading.Lock()

    def one(target, number):
        if (until and time.time() > until) or not (BUILD / f"fuzz_{target}").exists():
            return  # (of a build that is not complete)
        seconds = min(call.seconds * share[target], until - time.time() if until else 1e9)
        new = turn(target, seconds, number)
        with lock:  # who found something new gets more the next time
            share[target] = 0.5 if new == 0 else 1.0 if new < 10 else 2.0

    for number in range(call.rounds if not until else 10**6):
        with concurrent.futures.ThreadPoolExecutor(call.jobs) as pool:
            list(pool.map(lambda t, n=number: one(t, n), targets))
        if until and time.time() > until:
            break
    found = sorted(p.name for p in FINDINGS.iterdir() if p.suffix != ".txt")
    print("\n".join(["findings:"] + found) if found else "no findings")
    return 1 if found else 0


def rows():
    if not LEDGER.exists():
        return []
    lines = LEDGER.read_text().splitlines()[1:]
    return [dict(zip(COLUMNS, line.split("\t"))) for line in lines]


def executed():
    """target -> what all campaigns have executed: the recorded ones and this folder's ledger."""
    sums = {t: {"executions": 0, "processor": 0.0, "edges": 0, "lines": ""} for t in all_targets()}
    if EXECUTED.exists():
        for line in EXECUTED.read_text().splitlines():
            target, executions, processor, edges, reached = line.split("\t")
            if target in sums:
                sums[target] = {"executions": int(executions), "processor": float(processor), "edges": int(edges),
                                "lines": reached}
    for row in rows():
        if own := sums.get(row["target"]):
            own["executions"] += int(row["executions"])
            own["processor"] += float(row["processor"])
            own["edges"] = max(own["edges"], int(row["edges"]))
    if LINES.exists():
        for line in LINES.read_text().splitlines():
            target, reached = line.split("\t")
            if target in sums:
                sums[target]["lines"] = reached
    return sums


def share(reached):
    """"340/400" -> "85 %"."""
    if not reached:
        return ""
    some, all_lines = map(int, reached.split("/"))
    return f"{100 * some // all_lines} % of {all_lines:,}"


def table_text(sums):
    text = "| target | executions | a second | edges | its reader's lines |\n|---|---|---|---|---|\n"
    for target, own in sums.items():
        cells = [target, f"{own['executions']:,}", "", "", share(own["lines"])]
        if own["processor"]:
            cells[2:4] = [f"{own['executions'] / own['processor']:,.0f}", f"{own['edges']:,}"]
        text += f"| {' | '.join(cells)} |\n"
    executions, processor = (sum(own[c] for own in sums.values()) for c in ("executions", "processor"))
    return text + f"| all | {executions:,} | {executions / max(processor, 0.1):,.0f} | | |\n"


def table(_):
    print(table_text(executed()), end="")
    return 0


def record(_):
    """Into the tree: fuzz/executed.tsv. The ledger is done with."""
    sums = executed()
    EXECUTED.write_text("".join(
        f"{t}\t{own['executions']}\t{own['processor']:.1f}\t{own['edges']}\t{own['lines']}\n" for t, own in sums.items()))
    if LEDGER.exists():
        LEDGER.rename(LEDGER.with_suffix(f".{int(time.time())}.tsv"))
    print(f"{sum(own['executions'] for own in sums.values()):,} executions in all")
    return 0


def readers():
    """target -> the files of its reader, of fuzz/readers.tsv."""
    found = {}
    for line in (ROOT / "fuzz/readers.tsv").read_text().splitlines():
        if line and not line.startswith("#"):
            target, patterns = line.split("\t")
            found[target] = patterns.split()
    return found


def tool(name):
    return next(t for t in [name, *(f"{name}-{v}" for v in range(30, 12, -1))] if shutil.which(t))


def lines_of(target, patterns):
    build = ROOT / "build/fuzz-lines"
    profile = build / f"{target}.profraw"
    folders = [f for f in (ROOT / "fuzz/seeds" / target, BUILD / "corpus" / target) if f.is_dir() and any(f.iterdir())]
    with in_memory() as temporary:
        done = subprocess.run([build / f"fuzz_{target}", "--mutations", "0", *folders], capture_output=True, text=True,
                              env={**environment(temporary), "LLVM_PROFILE_FILE": str(profile)})
    if done.returncode != 0:
        return None, [f"{target} ends with {done.returncode}: {done.stderr[-200:]}"]
    data = profile.with_suffix(".profdata")
    subprocess.run([tool("llvm-profdata"), "merge", "-sparse", profile, "-o", data], check=True)
    exported = subprocess.run([tool("llvm-cov"), "export", "-format=lcov", f"-instr-profile={data}",
                               build / f"fuzz_{target}"], check=True, capture_output=True, text=True).stdout
    total = reached = 0
    files = []
    for record in exported.split("end_of_record\n"):
        if not (path := re.search(r"^SF:(.*)$", record, re.M)):
            continue
        name = os.path.relpath(os.path.realpath(path[1]), ROOT / "src")
        chosen = [functions for file, _, functions in (p.partition(":") for p in patterns) if fnmatch.fnmatch(name, file)]
        if chosen:
            own = counted_lines(record, chosen[0])
            total, reached = total + len(own), reached + sum(own)
            files.append(f"{name} {sum(own)}/{len(own)}")
    return (reached, total), files


def counted_lines(record, functions):
    """Of one file: whether each of its lines was reached; of some functions only, or (after "!") of all but some."""
    without, wanted = functions.startswith("!"), re.compile(functions.removeprefix("!") or ".")
    begins = re.findall(r"^FN:(\d+),(.*)$", record, re.M)
    names = subprocess.run(["c++filt"], input="\n".join(n.split(":")[-1] for _, n in begins), capture_output=True, text=True,
                           check=True).stdout.splitlines()
    # (What is inside a function, such as a lambda, begins after it and belongs to it.)
    begins = sorted((int(line), name) for (line, _), name in zip(begins, names) if "lambda" not in name and "::$_" not in name)
    reached = []
    for line, count in re.findall(r"^DA:(\d+),(\d+)", record, re.M):
        before = [name for begin, name in begins if begin <= int(line)]
        if not functions or (before and bool(wanted.search(before[-1])) != without):
            reached.append(int(count) > 0)
    return reached


def keep_lines(target, reached, total):
    kept = dict(line.split("\t") for line in LINES.read_text().splitlines()) if LINES.exists() else {}
    kept[target] = f"{reached}/{total}"
    LINES.write_text("".join(f"{t}\t{r}\n" for t, r in sorted(kept.items())))


def lines(call):
    missed = []
    for target, patterns in sorted(readers().items()):
        if call.targets and target not in call.targets:
            continue
        found, files = lines_of(target, patterns)
        if found is None or found[1] == 0:
            print(f"{target:18} ?", *files)
            missed.append(target)
            continue
        keep_lines(target, *found)
        percent = 100 * found[0] / found[1]
        if percent < 85:
            missed.append(target)
        print(f"{target:18} {percent:5.1f} % of {found[1]:5} lines   {', '.join(files)}", flush=True)
    print(f"less than 85 %: {', '.join(missed)}" if missed else "each reaches 85 % of its reader's lines")
    return 1 if missed else 0


def shrink(call):
    for target in call.targets or all_targets():
        seeds = ROOT / "fuzz/seeds" / target
        with in_memory() as temporary:
            to = pathlib.Path(temporary) / "seeds"
            to.mkdir()
            subprocess.run([BUILD / f"fuzz_{target}", "-set_cover_merge=1", "-rss_limit_mb=2048", to, seeds,
                            corpus_of(target)], env=environment(temporary), capture_output=True, check=True)
            for old in seeds.glob("corpus-*"):
                old.unlink()
            kept = {p.read_bytes() for p in seeds.iterdir()}
            room, files = call.most, call.files
            for found in sorted(to.iterdir(), key=lambda p: (-p.stat().st_size, p.name)):  # the longest reach most
                size = found.stat().st_size
                if found.read_bytes() in kept or size > min(room, call.most // 6) or files == 0:
                    continue
                room -= size
                files -= 1
                shutil.copyfile(found, seeds / f"corpus-{found.name[:12]}")
        print(f"{target:18} {len(list(seeds.iterdir())):4} seeds, "
              f"{sum(p.stat().st_size for p in seeds.iterdir()):7} bytes", flush=True)
    return 0


def main():
    what = sys.argv[1] if len(sys.argv) > 1 and sys.argv[1] in ("table", "record", "lines", "shrink") else "run"
    parser = argparse.ArgumentParser()
    arguments = sys.argv[1 if what == "run" else 2:]
    if what == "run":
        if not arguments or not arguments[0].isdigit():
            arguments.insert(0, "60")
        parser.add_argument("seconds", type=float)
        parser.add_argument("--jobs", type=int, default=1)
        parser.add_argument("--rounds", type=int, default=1)
        parser.add_argument("--until")
    parser.add_argument("--most", type=int, default=12000, help="bytes of a target's inputs beside the seeds by hand")
    parser.add_argument("--files", type=int, default=12, help="of a target's inputs beside the seeds by hand")
    parser.add_argument("targets", nargs="*")
    do = {"run": run, "table": table, "record": record, "lines": lines, "shrink": shrink}[what]
    return do(parser.parse_intermixed_args(arguments))


if __name__ == "__main__":
    sys.exit(main())

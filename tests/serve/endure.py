#!/usr/bin/env python3
"""endure.py MINPAIR MINUTES RATE: a served results file and model under mixed load and garbage.

People open the page, fetch its data, score sentences; others send garbage, half a request, far too much, or hang up in
the middle of an answer; the results file is replaced now and then. Every right request must get the answer it got the
first time, every wrong one a refusal, and the server's memory must not grow.
"""
import hashlib
import http.client
import json
import os
import pathlib
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time

SENTENCES = ["Der Autor lacht.", "Der Autor lachen.", "Die Autoren lachen.", "Das Kind, das die Katze sieht, schläft.",
             "Der [MASK] lacht.", "Die Frauen im Garten singen.", "Die Frau im Garten singen.", "x" * 900, "ä" * 300]


class Endurance:
    def __init__(self, program, minutes, rate):
        self.program, self.minutes, self.rate = program, minutes, rate
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="endure-"))
        self.results = self.folder / "results.db"
        self.states = []  # two states of the results
        for items in (60, 80):
            subprocess.run([program, "run", "-q", "-s", "de-agreement", "-m", "de-mini", "--limit", str(items), "-o",
                            self.results], check=True, stdout=subprocess.DEVNULL)
            self.states.append(shutil.copy(self.results, self.folder / f"{items}.db"))
        self.server = subprocess.Popen([program, "serve", self.results, "-m", "de-mini", "--port", "0", "--threads", "1"],
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        url = self.server.stdout.readline().strip()
        self.port = int(url.rstrip("/").rsplit(":", 1)[1])
        self.known, self.counts, self.wrong, self.memory = {}, {}, [], []
        self.random = random.Random(1)

    def ask(self, method, path, body=None, headers={}):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, {"Content-Type": "application/json", **headers} if body else headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def same_as_ever(self, key, answer):
        now = hashlib.sha256(answer).hexdigest()
        if self.known.setdefault(key, now) != now:
            self.wrong.append(f"{key}: another answer than before")

    def version(self):
        status, body = self.ask("GET", "/version")
        if status != 200:
            raise ValueError(f"/version: {status}")
        return json.loads(body)["version"]

    def check_scores(self):
        """What is served is what `score` says; later answers are held to these."""
        for text in SENTENCES:
            if "[MASK]" in text:
                continue
            said = subprocess.run([self.program, "score", "-m", "de-mini", "--json", text], check=True,
                                  capture_output=True, text=True).stdout
            body = json.dumps({"models": [0], "texts": [text]})
            served = json.loads(self.ask("POST", "/score", body)[1])["models"][0]
            if served["sentences"] != json.loads(said)["sentences"]:
                self.wrong.append(f"{text[:40]}: served otherwise than scored")

    # --- what people do ---

    def page(self):
        before = self.version()
        status, body = self.ask("GET", "/")
        if status != 200 or b"<html" not in body:
            self.wrong.append(f"/: {status}")
        elif self.version() == before:
            self.same_as_ever(("/", before), body)

    def data(self):
        version = self.version()
        for block in ("main", "nothing"):
            status, body = self.ask("GET", f"/data/{block}?v={version}")
            if status == 200:
                self.same_as_ever((block, version), body)
            elif status not in (404, 410):
                self.wrong.append(f"/data/{block}: {status}")

    def score(self):
        texts = self.random.sample(SENTENCES, self.random.choice([1, 2, 2, 3]))
        body = json.dumps({"models": [0], "texts": texts})
        status, answer = self.ask("POST", "/score", body)
        if status != 200:
            self.wrong.append(f"{body[:80]}: {status}")
        else:
            self.same_as_ever(body, answer)

    # --- what others do ---

    def refused(self, status, what):
        if not 400 <= status < 500:
            self.wrong.append(f"{what}: {status} instead of a refusal")

    def wrong_body(self):
        body = self.random.choice(['{"models":[9],"texts":["x"]}', "[" * 500, '{"models":[0],"texts":[]}', "\x00", "null",
                                   json.dumps({"models": [0], "texts": ["x" * 2000]}), '{"models":[0.5],"texts":["x"]}'])
        self.refused(self.ask("POST", "/score", body)[0], body[:40])

    def wrong_place(self):
        path = self.random.choice(["/../etc/passwd", "/data/../x", "/x", "/score", "/data/%00"])
        self.refused(self.ask("GET", path)[0], path)
        self.refused(self.ask("GET", "/", headers={"Host": "evil.example"})[0], "another host")

    def raw(self, data, wait):
        with socket.create_connection(("127.0.0.1", self.port), timeout=15) as s:
            try:
                s.sendall(data)
                if wait:
                    s.settimeout(12)
                    while s.recv(4096):
                        pass
            except OSError:
                pass

    def garbage(self):
        size = self.random.choice([1, 20, 400, 20000])
        self.raw(self.random.randbytes(size) + b"\r\n\r\n", True)

    def half(self):
        self.raw(b"POST /score HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{",
                 self.random.random() < 0.05)

    def hang_up(self):
        self.raw(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n\r\n".encode(), False)

    def replace(self):
        new = self.folder / "new.db"
        shutil.copy(self.random.choice(self.states), new)
        os.replace(new, self.results)

    def resident(self):
        for line in pathlib.Path(f"/proc/{self.server.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        return 0.0

    def run(self):
        calls = [self.page, self.data, self.score, self.score, self.score, self.wrong_body, self.wrong_place,
                 self.garbage, self.half, self.hang_up]
        self.check_scores()
        begin = time.time()
        minute, requests = 0, 0
        while (now := time.time() - begin) < self.minutes * 60:
            call = self.random.choice(calls)
            self.counts[call.__name__] = self.counts.get(call.__name__, 0) + 1
            requests += 1
            try:
                call()
            except (OSError, ValueError, http.client.HTTPException) as e:
                self.wrong.append(f"{call.__name__}: {e!r}")
            if self.server.poll() is not None:
                self.wrong.append(f"the server ended with {self.server.returncode}")
                break
            if now >= minute * 60:
                self.memory.append(self.resident())
                minute += 1
                if minute % 2 == 0:
                    self.replace()
                print(f"minute {minute}: {requests} calls, {self.memory[-1]:.1f} MB, {len(self.wrong)} wrong", flush=True)
            time.sleep(max(0.0, 1 / self.rate - (time.time() - begin - now)))
        return self.verdict(requests)

    def verdict(self, requests):
        self.server.terminate()
        status = self.server.wait(30)
        if status != 0:
            self.wrong.append(f"told to stop, it ends with {status}")
        # Warm after the first tenth: what it takes then it may take at the end.
        warm = self.memory[:max(2, len(self.memory) // 10)]
        late = self.memory[-max(1, len(self.memory) // 10):]
        if max(late) > 1.05 * max(warm) + 4:
            self.wrong.append(f"memory grew from {max(warm):.1f} to {max(late):.1f} MB")
        print(f"{requests} calls in {self.minutes} minutes: "
              + ", ".join(f"{n} {name.replace('_', ' ')}" for name, n in sorted(self.counts.items())))
        print(f"memory: {max(warm):.1f} MB at first, {max(late):.1f} MB at last, at most {max(self.memory):.1f} MB")
        for what in self.wrong[:20]:
            print("wrong:", what)
        print(f"{len(self.wrong)} wrong")
        shutil.rmtree(self.folder)
        return 1 if self.wrong else 0


if __name__ == "__main__":
    sys.exit(Endurance(sys.argv[1], float(sys.argv[2]), float(sys.argv[3])).run())

#!/usr/bin/env python3
"""A hub on this machine with one model, for tools/kill.sh: hub.py PORT_FILE. Its weights come slowly, so that a pull can
be killed in the middle of them."""
import hashlib
import http.server
import json
import re
import sys
import time

COMMIT = "0123456789abcdef0123456789abcdef01234567"
CONFIG = b'{"model_type": "bert"}\n'
WEIGHTS = bytes(i * 7919 >> 3 & 255 for i in range(1 << 19))
FILES = {"config.json": CONFIG, "model.safetensors": WEIGHTS}


class Hub(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        for at in range(0, len(body) if self.command == "GET" else 0, 1 << 15):
            self.wfile.write(body[at:at + (1 << 15)])
            time.sleep(0.02)

    def do_GET(self):
        name = self.path.rsplit("/", 1)[-1]
        content = FILES.get(name)
        if self.path.startswith("/api/models/org/name/revision/"):
            siblings = [{"rfilename": n, "size": len(c)} for n, c in FILES.items()]
            self.answer(200, json.dumps({"sha": COMMIT, "siblings": siblings}).encode(), Content_Type="application/json")
        elif content is None:
            self.answer(404)
        elif self.path.startswith("/cdn/"):
            asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
            if asked and (begin := int(asked[1])) < len(content):
                self.answer(206, content[begin:], Content_Range=f"bytes {begin}-{len(content) - 1}/{len(content)}")
            else:
                self.answer(200, content)
        elif content is WEIGHTS:
            self.answer(302, Location=f"http://127.0.0.1:{self.server.server_port}/cdn/{name}", X_Repo_Commit=COMMIT,
                        X_Linked_Etag=f'"{hashlib.sha256(content).hexdigest()}"', X_Linked_Size=str(len(content)))
        else:
            git = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
            self.answer(200, content, X_Repo_Commit=COMMIT, ETag=f'"{git}"')

    do_HEAD = do_GET

    def handle_one_request(self):
        try:
            super().handle_one_request()
        except ConnectionError:  # whoever asked was killed
            self.close_connection = True

    def log_message(self, *_):
        pass


with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hub) as server:
    with open(sys.argv[1], "w") as file:
        file.write(str(server.server_port))
    server.serve_forever()

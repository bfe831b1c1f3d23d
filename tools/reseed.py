#!/usr/bin/env python3
"""reseed.py MINPAIR SEED...: writes results files among the fuzz seeds again in the format of this minpair.

Rows keep what they have; columns that the format has no longer are dropped, new ones are empty. Pages stay small."""
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

minpair, *seeds = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    fresh = pathlib.Path(folder) / "fresh.db"
    subprocess.run([minpair, "run", "-q", "-s", "de-agreement", "-m", "de-mini", "--limit", "1", "-o", str(fresh)], check=True,
                   stdout=subprocess.DEVNULL)
    model = sqlite3.connect(fresh)
    schema = dict(model.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL"))
    identity = [model.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")]
for seed in map(pathlib.Path, seeds):
    if seed.read_bytes()[:15] != b"SQLite format 3":
        continue
    old = sqlite3.connect(seed)
    new = sqlite3.connect(":memory:")
    new.execute(f"PRAGMA page_size = {old.execute('PRAGMA page_size').fetchone()[0]}")
    have = dict(old.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL"))
    # Tables that only some files have are as the old file has them.
    for name, sql in {**{n: s for n, s in have.items() if s.startswith("CREATE TABLE")}, **schema}.items():
        new.execute(sql)
    for (table,) in new.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
        if table not in have:
            continue
        columns = [c[1] for c in new.execute(f"PRAGMA table_info({table})")]
        known = {c[1] for c in old.execute(f"PRAGMA table_info({table})")}
        picked = ", ".join(c if c in known else f"'' AS {c}" for c in columns)
        rows = old.execute(f"SELECT {picked} FROM {table}").fetchall()
        new.executemany(f"INSERT INTO {table} VALUES ({','.join('?' * len(columns))})", rows)
    new.commit()
    for name, value in zip(("application_id", "user_version"), identity):
        new.execute(f"PRAGMA {name} = {value}")
    seed.write_bytes(new.serialize())

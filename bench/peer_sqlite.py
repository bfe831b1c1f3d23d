"""The rows of a results file written again by SQLite alone: the same tables and indices, one transaction.

    peer_sqlite.py RESULTS.db    prints the seconds it took
"""
import os
import sqlite3
import sys
import time

source = sqlite3.connect(sys.argv[1])
target = sys.argv[1] + ".copy"
if os.path.exists(target):
    os.remove(target)
copy = sqlite3.connect(target, isolation_level=None)
copy.execute("PRAGMA synchronous = NORMAL")
copy.execute("PRAGMA cache_size = -32768")
for (sql,) in source.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL"):
    copy.execute(sql)
rows = {t: source.execute(f"SELECT * FROM {t}").fetchall() for t in ("items", "scores")}
began = time.monotonic()
copy.execute("BEGIN")
for table, lines in rows.items():
    copy.executemany(f"INSERT INTO {table} VALUES ({','.join('?' * len(lines[0]))})", lines)
copy.execute("COMMIT")
print(time.monotonic() - began)
os.remove(target)

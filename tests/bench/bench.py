"""Our namespace beside the reference server and SeaweedFS: the same requests over the same kind of connection.

Usage: bench.py [--tables N] [--rows N] [--bytes N] REPORT.json

Answers are compared before times. The reference server is pylance's RestAdapter over a directory, at its best:
tables directly below its root are found by listing one folder.
"""

import argparse
import json
import pathlib
import tempfile

import lance
import numpy as np
import pyarrow as pa
from side import Report, compare, ours, reference, seaweedfs, seconds, side_of, theirs

DIMENSION = 128
PAGE = 100


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", type=int, default=10_000)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--bytes", type=int, default=1 << 30)
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("report", type=pathlib.Path)
    asked = parser.parse_args()
    report = Report()
    with tempfile.TemporaryDirectory(dir=asked.report.parent) as name:
        folder = pathlib.Path(name)
        with ours(folder, max_arrow_bytes=str(4 << 30)) as server, theirs(reference, folder, []) as other:
            mine = side_of(server, ["bench", "main"])
            mine.call("POST", "/namespace/bench/create", {})
            mine.call("POST", "/namespace/bench%24main/create", {})
            names(report, mine, other, folder, asked)
            rows(report, mine, other, folder, asked)
            insert(report, server, mine, folder, asked)
        (folder / "up").mkdir()
        with ours(folder / "up") as server, theirs(seaweedfs, folder, ["conformance", "bench"]) as other:
            upstream(report, server, other, asked)
    known = json.loads(asked.report.read_text()) if asked.report.exists() else []
    kept = [line for line in known if line["row"] not in {line["row"] for line in report.lines}]
    asked.report.write_text(json.dumps(kept + report.lines, indent=2))


def names(report, mine, other, folder: pathlib.Path, asked):
    """Listing, describing and making names, with many tables there."""
    few = [f"t{number:05}" for number in range(asked.tables)]
    for name in few:
        mine.call("POST", f"/table/{mine.id(name)}/declare", {})
        # What the reference server itself writes for a declared table.
        (folder / "reference" / f"{name}.lance").mkdir()
        (folder / "reference" / f"{name}.lance" / ".lance-reserved").touch()

    def page(side, token=""):
        path = f"/namespace/{side.id()}/table/list?limit={PAGE}" + (f"&page_token={token}" if token else "")
        return side.json("GET", path)

    def walk(side):
        found, token = [], ""
        while True:
            answer = page(side, token)
            found += answer["tables"]
            token = answer.get("page_token")
            if not token:
                return found

    assert sorted(walk(mine)) == sorted(walk(other)) == few
    against, tables = "reference", {"tables": asked.tables}

    def timed(row, aim, work, rounds=asked.rounds):
        report.add(row, against, *compare(rounds, lambda: work(mine), lambda: work(other)), aim, **tables)

    timed(f"list {PAGE} of {asked.tables:,} tables", "<= 0.1", page)
    timed(f"page through {asked.tables:,} tables", "<= 0.1", walk, 3)
    middle = few[len(few) // 2]
    timed("describe", "<= 0.1", lambda side: side.json("POST", f"/table/{side.id(middle)}/describe", {}))
    timed("exists", "<= 0.1", lambda side: side.call("POST", f"/table/{side.id(middle)}/exists", {}))

    small = pa.table({"n": pa.array(range(100), pa.int64())})
    body = as_stream(small)

    def numbered(work):
        count = iter(range(1_000_000))
        return lambda side: work(side, f"made{next(count):06}")

    def made(side, name):
        side.rows(f"/table/{side.id(name)}/create?mode=create", body)

    timed("declare", "<= 0.2", numbered(lambda side, name: side.call("POST", f"/table/{side.id('d' + name)}/declare", {})))
    timed("create with 100 rows", "<= 0.2", numbered(made))

    def gone(side):
        made(side, "shortlived")
        return seconds(lambda: side.call("POST", f"/table/{side.id('shortlived')}/drop", {}))

    took = sorted((gone(mine), gone(other)) for _ in range(asked.rounds))
    middle_of = lambda at: sorted(pair[at] for pair in took)[len(took) // 2]
    report.add("drop", against, middle_of(0), middle_of(1), "<= 0.2", **tables)


def as_stream(rows: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as writer:
        writer.write_table(rows, max_chunksize=8192)
    return sink.getvalue().to_pybytes()


def sample(count: int) -> pa.Table:
    chance = np.random.default_rng(7)
    vectors = pa.FixedSizeListArray.from_arrays(chance.random(count * DIMENSION, dtype=np.float32), DIMENSION)
    return pa.table({
        "id": pa.array(range(count), pa.int64()),
        "kind": pa.array(chance.integers(0, 1_000, count), pa.int32()),
        "word": pa.array([f"word {number % 977}" for number in range(count)]),
        "vector": vectors,
    })


def rows(report, mine, other, folder: pathlib.Path, asked):
    """Queries over the same rows, without an index."""
    held = sample(asked.rows)
    mine.rows(f"/table/{mine.id('sample')}/create?mode=create", as_stream(held))
    # The reference server takes no body above 2 MiB, so its table is written where it looks for it.
    lance.write_dataset(held, str(folder / "reference" / "sample.lance"))
    wanted = [float(value) for value in np.random.default_rng(11).random(DIMENSION, dtype=np.float32)]
    columns = {"column_names": ["id", "word"]}
    cases = [
        ("vector top 10", {"k": 10, "vector": {"single_vector": wanted}, "vector_column": "vector", "columns": columns}),
        ("filtered query", {"k": 1_000, "vector": {}, "filter": "kind = 17", "columns": columns}),
        ("full scan", {"k": asked.rows, "vector": {}}),
    ]
    for name, question in cases:
        def ask(side):
            return side.call("POST", f"/table/{side.id('sample')}/query", question)

        found = [pa.ipc.open_file(pa.BufferReader(ask(side))).read_all() for side in (mine, other)]
        ids = [table.column("id").to_pylist() for table in found]
        assert (ids if name == "vector top 10" else [sorted(some) for some in ids]) and sorted(ids[0]) == sorted(ids[1]), name
        rounds = 5 if name == "full scan" else asked.rounds
        took = compare(rounds, lambda: ask(mine), lambda: ask(other))
        report.add(name, "reference", *took, "<= 1", rows=asked.rows, answered=len(ids[0]))


def insert(report, server, mine, folder: pathlib.Path, asked):
    """Many bytes of Arrow over HTTP, against pylance writing the same file by itself."""
    piece = sample(8_192)
    path = folder / "rows.arrows"
    with path.open("wb") as out, pa.ipc.new_stream(out, piece.schema) as writer:
        while out.tell() < asked.bytes:
            writer.write_table(piece)
    size = path.stat().st_size
    status = pathlib.Path(f"/proc/{server.process.pid}")
    count = iter(range(1_000))

    def over_http():
        with path.open("rb") as body:
            mine.connection.request(
                "POST", f"{mine.base}/table/{mine.id(f'big{next(count)}')}/create?mode=create", body=body,
                headers=mine.headers | {"content-type": "application/vnd.apache.arrow.stream", "content-length": str(size)},
            )
            answer = mine.connection.getresponse()
            content = answer.read()
            assert answer.status == 200, content

    def by_itself():
        with pa.memory_map(str(path)) as source, pa.ipc.open_stream(source) as reader:
            lance.write_dataset(reader, str(folder / f"direct{next(count)}.lance"))

    idle = memory(status, "VmRSS")
    (status / "clear_refs").write_text("5")
    took = compare(3, over_http, by_itself)
    peak = memory(status, "VmHWM") - idle
    report.add(
        f"insert {size / 2**30:.2f} GiB over HTTP", "pylance", *took, "<= 1.3", bytes=size, peak_over_idle_bytes=peak,
    )
    report.note(f"peak memory over idle {peak / 2**20:.0f} MiB; aim 256 MiB")


def memory(status: pathlib.Path, field: str) -> int:
    line = next(line for line in (status / "status").read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) * 1024


def upstream(report, server, other, asked):
    """SeaweedFS's namespace through a bucket attached to it, against SeaweedFS itself."""
    other.call("POST", f"/namespace/{other.id()}/create", {})
    for number in range(100):
        other.call("POST", f"/table/{other.id(f't{number:03}')}/declare", {})
    body = {
        "name": "weed", "backing": "upstream",
        "connection": {"url": f"http://{other.address}", "parent": other.root[:1]},
    }
    attached = server.http(server.token).post("/api/v1/buckets", body)
    assert attached.status in (200, 201), attached
    through = side_of(server, ["weed", "bench"])

    def listed(side):
        # SeaweedFS answers full identifiers.
        return [name.rsplit("$", 1)[-1] for name in side.json("GET", f"/namespace/{side.id()}/table/list")["tables"]]

    def located(side):
        return side.json("POST", f"/table/{side.id('t050')}/describe", {})["location"]

    for name, work in [("list 100 tables, upstream", listed), ("describe, upstream", located)]:
        mine, theirs = work(through), work(other)
        assert mine == theirs, (name, mine, theirs)
        took = compare(asked.rounds, lambda: work(through), lambda: work(other))
        report.add(name, "SeaweedFS", *took, "<= 1.3")


if __name__ == "__main__":
    main()

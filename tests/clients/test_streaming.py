"""Bodies larger than what the server may hold in memory, in and out, and bodies it refuses half-way."""

import io
import json
import pathlib
import socket
import time

import pyarrow as pa
import pytest
from conftest import ARROW_STREAM, Server, numbers

MIB = 1 << 20
BATCH = pa.record_batch({"n": pa.array(range(MIB // 8), pa.int64())})


class Upload:
    """Rows as a stream that is made while it is sent: `batches` of 1 MiB each."""

    def __init__(self, batches: int):
        self.left = batches
        self.sink = io.BytesIO()
        self.writer = pa.ipc.new_stream(self.sink, BATCH.schema)

    def __iter__(self):
        while self.left:
            self.left -= 1
            self.writer.write_batch(BATCH)
            yield self.taken()
        self.writer.close()
        yield self.taken()

    def taken(self) -> bytes:
        part = self.sink.getvalue()
        self.sink.seek(0)
        self.sink.truncate()
        return part


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A server of its own, which takes bodies up to 700 MiB."""
    running = Server(tmp_path_factory.mktemp("small") / "data", max_arrow_bytes=str(700 * MIB))
    http = running.http(running.token)
    for name in ["streams", "streams%24ns"]:
        assert http.post(f"/lance/v1/namespace/{name}/create").status == 200
    yield running
    running.stop()


def upload(server, name: str, batches: int):
    path = f"/lance/v1/table/streams%24ns%24{name}/create"
    headers = {"content-type": ARROW_STREAM}
    return server.http(server.token).request("POST", path, iter(Upload(batches)), headers)


def test_memory_does_not_grow_with_the_body(small):
    assert upload(small, "warm", 8).status == 200
    before = small.peak_bytes()
    assert upload(small, "large", 600).status == 200
    grown = small.peak_bytes() - before
    assert grown < 250 * MIB, f"{grown / MIB:.0f} MiB"

    http = small.http(small.token)
    assert http.post("/lance/v1/table/streams%24ns%24large/count_rows").json == 600 * BATCH.num_rows


def test_memory_does_not_grow_with_the_answer(small):
    if small.http(small.token).post("/lance/v1/table/streams%24ns%24large/exists").status != 200:
        assert upload(small, "large", 600).status == 200
    before = small.peak_bytes()
    answer = small.http(small.token).pool.request(
        "POST",
        f"{small.url}/lance/v1/table/streams%24ns%24large/query",
        body=json.dumps({"vector": {}, "k": 0}).encode(),
        headers={"x-api-key": small.token},
        preload_content=False,
    )
    assert answer.status == 200
    received = sum(len(part) for part in answer.stream(MIB))
    assert received > 600 * MIB
    grown = small.peak_bytes() - before
    assert grown < 250 * MIB, f"{grown / MIB:.0f} MiB"


def test_a_body_that_turns_out_too_large_is_refused_and_leaves_nothing(small):
    answer = upload(small, "toolarge", 720)
    assert (answer.status, answer.code) == (413, 13)
    http = small.http(small.token)
    assert http.post("/lance/v1/table/streams%24ns%24toolarge/exists").status == 404
    assert not (small.data / "buckets" / "streams" / "ns" / "toolarge").exists()


def test_a_client_in_the_middle_of_sending_reads_why_it_is_refused(small):
    http = small.http(small.token)
    created = http.rows("/lance/v1/table/streams%24ns%24taken/create", numbers(0, 1))
    assert created.status == 200
    answer = upload(small, "taken", 100)
    assert (answer.status, answer.code) == (409, 5)


class HalfSent:
    """An upload that announces more than it ever sends."""

    def __init__(self, server, name: str, batches: int = 4):
        self.socket = socket.create_connection(("127.0.0.1", server.port))
        head = (
            f"POST /lance/v1/table/streams%24ns%24{name}/create HTTP/1.1\r\nhost: 127.0.0.1:{server.port}\r\n"
            f"x-api-key: {server.token}\r\ncontent-type: {ARROW_STREAM}\r\ncontent-length: {64 * MIB}\r\n\r\n"
        )
        self.socket.sendall(head.encode())
        body = iter(Upload(batches + 1))
        for _ in range(batches):
            self.socket.sendall(next(body))

    def half_close(self):
        """Says that nothing more comes, and still listens."""
        self.socket.shutdown(socket.SHUT_WR)

    def cut(self):
        self.socket.close()


def handles(server) -> int:
    return len(list(pathlib.Path(f"/proc/{server.process.pid}/fd").iterdir()))


def folder_of(server, name: str) -> pathlib.Path:
    return server.data / "buckets" / "streams" / "ns" / name


def until(holds, seconds: float = 30):
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.1)


@pytest.mark.parametrize("end", [HalfSent.half_close, HalfSent.cut])
def test_uploads_that_end_half_way_leave_nothing_behind(small, end):
    """Neither file handles nor the name nor files: a later upload of the same name succeeds."""
    assert upload(small, f"warm-{end.__name__}", 1).status == 200
    http = small.http(small.token)
    before = handles(small)
    names = [f"half-{end.__name__}-{number}" for number in range(20)]
    uploads = [HalfSent(small, name) for name in names]
    for one in uploads:
        end(one)
    until(lambda: all(not folder_of(small, name).exists() for name in names))
    for one in uploads:
        one.cut()
    # The connections of this client's own pool are among them.
    until(lambda: handles(small) <= before + 2)
    for name in names:
        assert http.post(f"/lance/v1/table/streams%24ns%24{name}/exists").status == 404
    assert upload(small, names[0], 1).status == 200


def test_a_slow_upload_keeps_nobody_else_waiting(small):
    """While some send a byte now and then, others write and read; once they are gone, all is given back."""
    slow = [HalfSent(small, f"slow-{number}", batches=1) for number in range(20)]
    http = small.http(small.token)
    created = http.rows("/lance/v1/table/streams%24ns%24beside/create", numbers(0, 10))
    assert created.status == 200
    assert http.rows("/lance/v1/table/streams%24ns%24beside/insert", numbers(10, 10)).status == 200
    assert http.post("/lance/v1/table/streams%24ns%24beside/count_rows").json == 20
    for one in slow:
        one.cut()
    until(lambda: all(not folder_of(small, f"slow-{number}").exists() for number in range(20)))

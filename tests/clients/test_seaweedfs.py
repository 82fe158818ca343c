"""Buckets on a real S3 store: SeaweedFS, with keys, on this machine.

The same flow as on a local folder, plus what only a store has: a probe before it is taken, credentials
that are vended by role, and commits that hold because conditional puts do.
"""

import os
import pathlib
import secrets
import subprocess
import sys
import time

import lance
import lance_namespace as lns
import pyarrow as pa
import pytest
from conftest import free_port, numbers, stream, vectors
from pyarrow import fs

ACCESS_KEY, SECRET_KEY = "lakeglass", "only-for-this-test"
REGION = "us-east-1"


class Store:
    """A SeaweedFS process with its S3 endpoint."""

    def __init__(self, folder: pathlib.Path):
        self.port = free_port()
        self.endpoint = f"http://127.0.0.1:{self.port}"
        folder.mkdir()
        ports = [f"-s3.port={self.port}", f"-s3.port.grpc={free_port()}", "-s3.port.iceberg=0", "-s3.port.lance=0"]
        for part in ["master", "volume", "filer"]:
            ports += [f"-{part}.port={free_port()}", f"-{part}.port.grpc={free_port()}"]
        command = [
            str(pathlib.Path(sys.executable).parent / "weed"), "server", "-filer", "-s3", f"-dir={folder}",
            "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-master.telemetry=false", "-volume.max=20",
            "-master.volumeSizeLimitMB=64", "-s3.autoCreateBucket=false", *ports,
        ]
        keys = {"AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET_KEY}
        self.log = folder.parent / "weed.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, env=os.environ | keys)

    def files(self) -> fs.S3FileSystem:
        return fs.S3FileSystem(
            access_key=ACCESS_KEY,
            secret_key=SECRET_KEY,
            endpoint_override=f"127.0.0.1:{self.port}",
            scheme="http",
            region=REGION,
            allow_bucket_creation=True,
            retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=1),
        )

    def make(self, name: str):
        """Makes an S3 bucket and waits until it takes objects."""
        for _ in range(300):
            try:
                self.files().create_dir(name)
                with self.files().open_output_stream(f"{name}/ready") as out:
                    out.write(b"yes")
                self.files().delete_file(f"{name}/ready")
                return
            except OSError as error:
                failure = error
                time.sleep(0.1)
        pytest.fail(f"SeaweedFS did not become ready: {failure}\n{self.log.read_text()[-2000:]}")

    def names(self, prefix: str) -> list[str]:
        found = self.files().get_file_info(fs.FileSelector(prefix, recursive=True, allow_not_found=True))
        return [info.path for info in found if info.type == fs.FileType.File]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    running = Store(tmp_path_factory.mktemp("weed") / "data")
    running.make("lake")
    yield running
    # It has nothing to save, and takes its time to end by itself.
    running.process.kill()
    running.process.wait(20)


def added(http, store, root: str, **more):
    body = {
        "name": f"s3-{secrets.token_hex(4)}",
        "kind": "s3",
        "root": root,
        "endpoint": store.endpoint,
        "region": REGION,
        "path_style": True,
        "keys": {"access_key_id": ACCESS_KEY, "secret_access_key": SECRET_KEY},
    }
    return http.post("/api/v1/storages", body | more)


@pytest.fixture
def space(http, store) -> list[str]:
    """A namespace in a bucket on the store, whose readers are given the keys."""
    storage = added(http, store, f"lake/{secrets.token_hex(4)}", vend_keys=True)
    assert storage.status == 201, storage
    name = f"test-{secrets.token_hex(6)}"
    made = http.post("/api/v1/buckets", {"name": name, "format": "lance", "storage": storage.json["name"]})
    assert made.status == 201, made
    assert http.post(f"/lance/v1/namespace/{name}%24ns/create").status == 200
    return [name, "ns"]


@pytest.fixture
def client(server):
    return lns.connect("rest", server.properties)


def test_a_store_is_probed_before_it_is_taken(http, store):
    taken = added(http, store, f"lake/{secrets.token_hex(4)}")
    assert taken.status == 201, taken
    assert SECRET_KEY not in taken.body.decode() and taken.json["keys_set_at_ms"] > 0
    wrong = {"access_key_id": ACCESS_KEY, "secret_access_key": "wrong"}
    for refused in [
        added(http, store, "lake/x", keys=wrong),
        added(http, store, "no-such-bucket/x"),
        added(http, store, "lake/x", endpoint=f"http://127.0.0.1:{free_port()}"),
        added(http, store, "lake/x", endpoint="http://169.254.169.254"),
    ]:
        assert 400 <= refused.status < 600 and refused.status != 500, refused
        assert SECRET_KEY not in refused.body.decode()


def test_create_insert_and_query_through_the_server(client, space, store):
    table = [*space, "t"]
    created = client.create_table(lns.CreateTableRequest(id=table), stream(vectors()))
    assert created.location.startswith("s3://lake/") and created.version == 1
    client.insert_into_table(lns.InsertIntoTableRequest(id=table, mode="append"), stream(vectors()))
    assert client.count_table_rows(lns.CountTableRowsRequest(id=table)).count == 6
    assert store.names(created.location.removeprefix("s3://"))


def test_write_and_read_directly_with_what_is_vended(client, space):
    where = {"namespace_client": client, "table_id": [*space, "direct"]}
    lance.write_dataset(numbers(0, 10), mode="create", **where)
    lance.write_dataset(numbers(10, 5), mode="append", **where)
    assert lance.dataset(**where).count_rows() == 15
    request = lns.DescribeTableRequest(id=where["table_id"], check_declared=True)
    assert client.describe_table(request).is_only_declared is False
    assert client.count_table_rows(lns.CountTableRowsRequest(id=where["table_id"])).count == 15


def test_a_viewer_gets_the_location_and_no_keys(server, http, client, space):
    client.create_table(lns.CreateTableRequest(id=[*space, "t"]), stream(numbers(0, 1)))
    path = f"/lance/v1/table/{'%24'.join([*space, 't'])}/describe"
    vended = http.post(path).json["storage_options"]
    assert vended["aws_access_key_id"] == ACCESS_KEY and vended["aws_endpoint"].startswith("http://127.0.0.1")
    viewer = server.http(server.new_token("viewer", space[0])).post(path).json
    assert viewer["location"].startswith("s3://")
    assert SECRET_KEY not in str(viewer) and ACCESS_KEY not in str(viewer.get("storage_options"))


def test_appenders_through_the_server_and_beside_it_lose_nothing(http, client, space):
    from test_concurrent import WRITERS, at_once

    table = [*space, "log"]
    client.create_table(lns.CreateTableRequest(id=table), stream(numbers(0, 0)))
    described = client.describe_table(lns.DescribeTableRequest(id=table))

    def append(n):
        rows = numbers(100 * n, 100)
        if n % 2:
            lance.write_dataset(rows, described.location, mode="append", storage_options=described.storage_options)
        else:
            answer = http.rows(f"/lance/v1/table/{'%24'.join(table)}/insert", rows)
            assert answer.status == 200, answer

    at_once(append)
    everything = lns.QueryTableRequest(id=table, k=0, vector={})
    rows = pa.ipc.open_file(client.query_table(everything).data).read_all()
    assert sorted(rows["n"].to_pylist()) == list(range(100 * WRITERS))


def test_one_of_eight_creators_wins_and_leaves_one_folder(http, space, store):
    from test_concurrent import WRITERS, at_once

    path = f"/lance/v1/table/{'%24'.join([*space, 'mine'])}"
    answers = at_once(lambda n: http.rows(f"{path}/create", numbers(n, 1)))
    assert sorted(answer.status for answer in answers) == [200] + [409] * (WRITERS - 1), answers
    location = http.post(f"{path}/describe").json["location"].removeprefix("s3://")
    folder = location.rsplit("/", 1)[0]
    assert {name.removeprefix(f"{folder}/").split("/")[0] for name in store.names(folder)} == {"mine"}


def test_drop_leaves_no_object(client, space, store):
    table = [*space, "t"]
    client.create_table(lns.CreateTableRequest(id=table), stream(numbers(0, 5)))
    location = client.drop_table(lns.DropTableRequest(id=table)).location
    assert store.names(location.removeprefix("s3://")) == []

"""Buckets on a real S3 store: SeaweedFS, with keys, on this machine.

The same flow as on a local folder, plus what only a store has: a probe before it is taken, credentials
that are vended by role, and commits that hold because conditional puts do.
"""

import secrets

import lance
import lance_namespace as lns
import pyarrow as pa
import pytest
from conftest import free_port, numbers, stream, vectors
from seaweedfs import ACCESS_KEY, SECRET_KEY, added


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
    assert vended["lakeglass_credentials"] == "static"
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

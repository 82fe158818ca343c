"""Temporary keys: what the storage's role gives a client for one table, and what they cannot do.

SeaweedFS assumes the role here, holds the keys to the policy of their session, and lets them end.
"""

import secrets
import time

import lance
import lance_namespace as lns
import pyarrow as pa
import pytest
from conftest import numbers, stream
from seaweedfs import ACCESS_KEY, ROLE, SECRET_KEY, added

HOUR = 3_600_000


@pytest.fixture(scope="module")
def bucket(http, store) -> str:
    """A bucket on a storage with a role, with the tables `ns$mine` and `ns$other` of ten rows each."""
    storage = added(http, store, f"lake/{secrets.token_hex(4)}", sts_role=ROLE)
    assert storage.status == 201, storage
    assert storage.json["sts_role"] == ROLE and storage.json["vend_keys"] is False
    name = f"test-{secrets.token_hex(6)}"
    made = http.post("/api/v1/buckets", {"name": name, "format": "lance", "storage": storage.json["name"]})
    assert made.status == 201, made
    assert http.post(f"/lance/v1/namespace/{name}%24ns/create").status == 200
    for table in ["mine", "other"]:
        made = http.rows(f"/lance/v1/table/{name}%24ns%24{table}/create", numbers(0, 10))
        assert made.status == 200, made
    return name


def described(server, bucket: str, role: str, table: str = "mine") -> dict:
    answer = server.http(server.new_token(role, bucket)).post(f"/lance/v1/table/{bucket}%24ns%24{table}/describe")
    assert answer.status == 200, answer
    assert SECRET_KEY not in answer.body.decode()
    return answer.json


def test_a_reader_reads_this_table_and_nothing_else(server, bucket):
    table = described(server, bucket, "reader")
    options = table["storage_options"]
    assert options["aws_access_key_id"] != ACCESS_KEY and options["aws_session_token"]
    life = int(options["expires_at_millis"]) - time.time() * 1000
    assert HOUR / 2 < life <= HOUR + 60_000
    assert "lakeglass_credentials" not in options

    assert lance.dataset(table["location"], storage_options=options).count_rows() == 10
    with pytest.raises(OSError, match="(?i)denied|forbidden|403"):
        lance.write_dataset(numbers(10, 1), table["location"], mode="append", storage_options=options)
    for beside in ["other", "mine2"]:
        elsewhere = table["location"].removesuffix("mine") + beside
        with pytest.raises((OSError, ValueError)):
            lance.dataset(elsewhere, storage_options=options).count_rows()
        with pytest.raises(OSError):
            lance.write_dataset(numbers(0, 1), elsewhere, storage_options=options)
    assert lance.dataset(table["location"], storage_options=options).count_rows() == 10


def test_an_editor_writes_this_table_and_nothing_else(server, http, bucket):
    table = described(server, bucket, "editor")
    options = table["storage_options"]
    lance.write_dataset(numbers(10, 5), table["location"], mode="append", storage_options=options)
    dataset = lance.dataset(table["location"], storage_options=options)
    dataset.delete("n >= 10")
    assert dataset.count_rows() == 10
    # Large enough to be uploaded in parts.
    rows = pa.table({"n": pa.array([0] * 12, pa.int64()), "bytes": [secrets.token_bytes(1 << 20)] * 12})
    lance.write_dataset(rows, table["location"], mode="overwrite", storage_options=options)
    assert http.post(f"/lance/v1/table/{bucket}%24ns%24mine/count_rows", {}).json == 12
    back = lance.dataset(table["location"], storage_options=options, version=1)
    back.restore()
    assert http.post(f"/lance/v1/table/{bucket}%24ns%24mine/count_rows", {}).json == 10
    with pytest.raises(OSError, match="(?i)denied|forbidden|403"):
        elsewhere = table["location"].removesuffix("mine") + "other"
        lance.write_dataset(numbers(0, 1), elsewhere, mode="append", storage_options=options)


def test_a_viewer_gets_a_location_and_nothing_to_open_it_with(server, bucket):
    table = described(server, bucket, "viewer")
    assert table["location"].startswith("s3://") and not table["storage_options"]


def test_who_asks_again_gets_the_same_keys_and_nothing_is_opened(server, http, bucket):
    first, again = (described(server, bucket, "reader")["storage_options"] for _ in range(2))
    assert first == again
    assert described(server, bucket, "editor")["storage_options"]["aws_session_token"] != first["aws_session_token"]
    # Of a table that is only declared there is nothing to open, and its writer gets keys.
    declared = http.post(f"/lance/v1/table/{bucket}%24ns%24declared/declare").json
    assert declared["storage_options"]["aws_session_token"]
    lance.write_dataset(numbers(0, 3), declared["location"], storage_options=declared["storage_options"])
    assert http.post(f"/lance/v1/table/{bucket}%24ns%24declared/count_rows", {}).json == 3
    plain = http.post(f"/lance/v1/table/{bucket}%24ns%24mine/describe", {"vend_credentials": False}).json
    assert plain.get("storage_options") is None


def test_pylance_opens_and_writes_with_them_and_asks_again_in_time(server, bucket):
    asked = []

    class Counting(lns.LanceNamespace):
        """The stock client, counting how often it is asked for a table."""

        def __init__(self):
            self.inner = lns.connect("rest", server.properties)

        def namespace_id(self) -> str:
            return self.inner.namespace_id()

        def describe_table(self, request):
            asked.append(request)
            return self.inner.describe_table(request)

    where = {"namespace_client": Counting(), "table_id": [bucket, "ns", "mine"]}
    dataset = lance.dataset(**where)
    assert dataset.count_rows() == 10
    kept = len(asked)
    dataset.to_table()
    assert len(asked) == kept
    # A client that wants keys for longer than they live asks before each use.
    eager = lance.dataset(**where, storage_options={"refresh_offset_millis": str(2 * HOUR)})
    before = len(asked)
    assert eager.to_table().num_rows == 10
    assert len(asked) > before


def test_a_role_is_checked_before_it_is_used(http, store):
    place = f"lake/{secrets.token_hex(4)}"
    unknown = added(http, store, place, sts_role="arn:aws:iam::000000000000:role/none")
    assert unknown.status == 400 and "assume the role" in unknown.json["detail"], unknown
    for bad in [{"sts_role": "tables"}, {"sts_role": ROLE, "keys": None}]:
        refused = added(http, store, place, **bad)
        assert refused.status == 400, refused
    assert all(SECRET_KEY not in answer.body.decode() for answer in [unknown, refused])
    kept = added(http, store, place)
    assert kept.status == 201 and kept.json["sts_role"] is None
    path = f"/api/v1/storages/{kept.json['name']}"
    change = {"content-type": "application/json"}
    with_role = http.request("PATCH", path, b'{"sts_role": "%s"}' % ROLE.encode(), change)
    assert with_role.status == 200 and with_role.json["sts_role"] == ROLE, with_role
    without = http.request("PATCH", path, b'{"sts_role": ""}', change)
    assert without.status == 200 and without.json["sts_role"] is None, without
    # Nothing of the checks is left in the store.
    assert store.names(place) == []


def test_no_secret_is_in_the_log(server, bucket):
    token = described(server, bucket, "editor")["storage_options"]["aws_session_token"]
    log = server.log.read_text()
    assert SECRET_KEY not in log and token not in log

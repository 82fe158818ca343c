"""Buckets over other people's namespaces: SeaweedFS's, the reference server's, and another Lakeglass.

A stock client talks to Lakeglass only. What the other server does is passed on to it; what it lacks is done
here, on the table's data where that server says it is.
"""

import contextlib
import pathlib
import secrets
import subprocess
import sys
import time

import lance
import lance_namespace as lns
import pyarrow as pa
import pytest
import urllib3
from conftest import Server, free_port, numbers, stream, vectors


def answers(url: str, process: subprocess.Popen) -> bool:
    pool = urllib3.PoolManager(retries=False)
    for _ in range(900):
        if process.poll() is not None:
            return False
        with contextlib.suppress(urllib3.exceptions.HTTPError):
            if pool.request("GET", url).status == 200:
                return True
        time.sleep(0.1)
    return False


@pytest.fixture(scope="module")
def seaweedfs(tmp_path_factory):
    """SeaweedFS with its Lance namespace and the table bucket `vectors`: address of names, address of data."""
    folder = tmp_path_factory.mktemp("seaweedfs")
    names, data = free_port(), free_port()
    flags = [f"-s3.port.lance={names}", f"-s3.port={data}"]
    for name in ["s3.port.iceberg", "admin.port", "filer.port", "master.port", "volume.port", "webdav.port"]:
        flags.append(f"-{name}={free_port()}")
    command = [
        str(pathlib.Path(sys.executable).parent / "weed"), "mini", f"-dir={folder}", "-ip=127.0.0.1",
        "-ip.bind=127.0.0.1", "-master.telemetry=false", "-tableBucket=vectors:LANCE", "-admin.password=none",
    ]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([*command, *flags], stdout=log, stderr=log)
    url = f"http://127.0.0.1:{names}"
    assert answers(f"{url}/v1/namespace/vectors/list", process), (folder / "log").read_text()[-3000:]
    yield url, f"http://127.0.0.1:{data}"
    # It has nothing to save, and takes its time to end by itself.
    process.kill()
    process.wait(20)


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """pylance's RestAdapter over a directory, in a process of its own: its address and its folder."""
    root = tmp_path_factory.mktemp("reference")
    port = free_port()
    program = (
        "import sys, lance.namespace\n"
        "adapter = lance.namespace.RestAdapter('dir', {'root': sys.argv[1]}, port=int(sys.argv[2]))\n"
        "adapter.start()\n"
        "sys.stdin.read()\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program, str(root), str(port)], stdin=subprocess.PIPE)
    url = f"http://127.0.0.1:{port}"
    assert answers(f"{url}/v1/namespace/%24/list", process)
    yield url, root
    process.kill()
    process.wait(20)


@pytest.fixture
def client(server):
    return lns.connect("rest", server.properties)


def attached(http, **connection) -> str:
    """A bucket over an upstream."""
    name = f"far-{secrets.token_hex(6)}"
    made = http.post("/api/v1/buckets", {"name": name, "backing": "upstream", "connection": connection})
    assert made.status == 201, made
    return name


@pytest.fixture(scope="module")
def weed(http, seaweedfs) -> str:
    """The table bucket `vectors` as a bucket here, with leave to open what is vended for it."""
    names, data = seaweedfs
    return attached(http, url=names, parent=["vectors"], roots=["s3://vectors"], endpoints=[data])


def test_seaweedfs_tables_get_rows_schema_versions_and_search(http, client, weed, seaweedfs):
    client.create_namespace(lns.CreateNamespaceRequest(id=[weed, "demo"]))
    table = [weed, "demo", "words"]
    client.create_table(lns.CreateTableRequest(id=table), stream(vectors()))
    client.insert_into_table(lns.InsertIntoTableRequest(id=table, mode="append"), stream(vectors()))
    assert client.count_table_rows(lns.CountTableRowsRequest(id=table)).count == 6

    # Its names are SeaweedFS's own, and the bytes are where it says.
    direct = lns.connect("rest", {"uri": seaweedfs[0]})
    there = direct.describe_table(lns.DescribeTableRequest(id=["vectors", "demo", "words"]))
    assert there.location.startswith("s3://vectors/")
    options = there.storage_options | {"aws_skip_signature": "true"}
    assert lance.dataset(there.location, storage_options=options).count_rows() == 6

    described = client.describe_table(lns.DescribeTableRequest(id=table, load_detailed_metadata=True))
    assert described.location == there.location
    assert client.list_tables(lns.ListTablesRequest(id=[weed, "demo"])).tables == ["words"]
    assert client.list_namespaces(lns.ListNamespacesRequest(id=[weed])).namespaces == ["demo"]

    nearest = lns.QueryTableRequest(
        id=table, k=2, vector={"single_vector": [1.0, 0.0]}, vector_column="vec"
    )
    rows = pa.ipc.open_file(client.query_table(nearest).data).read_all()
    assert rows["word"].to_pylist() == ["north", "north"]
    versions = client.list_table_versions(lns.ListTableVersionsRequest(id=table)).versions
    assert [version.version for version in versions] == [2, 1]
    client.create_table_tag(lns.CreateTableTagRequest(id=table, tag="kept", version=1))
    assert client.count_table_rows(lns.CountTableRowsRequest(id=table, version=1)).count == 3

    # The console's own API shows the same.
    base = f"/api/v1/buckets/{weed}/namespaces/demo/tables"
    assert [one["name"] for one in http.get(base).json["items"]] == ["words"]
    shown = http.get(f"{base}/words/rows?limit=10")
    assert shown.status == 200 and len(shown.json["rows"]) == 6, shown
    learned = http.get(f"/api/v1/buckets/{weed}/connection").json["support"]
    assert learned["table/insert"] is False and learned["table/query"] is False, learned
    calls = http.get(f"/api/v1/buckets/{weed}/calls").json
    assert all("rows" not in call for call in calls)
    assert {"table/describe", "table/declare"} <= {call["operation"] for call in calls}


def test_a_table_that_a_client_writes_directly_is_found(http, client, weed):
    client.create_namespace(lns.CreateNamespaceRequest(id=[weed, "direct"]))
    declared = client.declare_table(lns.DeclareTableRequest(id=[weed, "direct", "t"]))
    options = declared.storage_options | {"aws_access_key_id": "any", "aws_secret_access_key": "any"}
    lance.write_dataset(numbers(0, 10), declared.location, mode="create", storage_options=options)
    count = lns.CountTableRowsRequest(id=[weed, "direct", "t"])
    assert client.count_table_rows(count).count == 10
    client.drop_table(lns.DropTableRequest(id=[weed, "direct", "t"]))
    missing = http.post(f"/lance/v1/table/{weed}%24direct%24t/describe")
    assert (missing.status, missing.code) == (404, 4)


def test_what_is_vended_is_opened_only_where_an_admin_said_so(http, client, weed, seaweedfs):
    client.create_namespace(lns.CreateNamespaceRequest(id=[weed, "kept"]))
    client.create_table(lns.CreateTableRequest(id=[weed, "kept", "t"]), stream(numbers(0, 1)))
    names, data = seaweedfs
    for granted in [{}, {"roots": ["s3://vectors"]}, {"roots": ["s3://other"], "endpoints": [data]}]:
        narrow = attached(http, url=names, parent=["vectors"], **granted)
        assert http.post(f"/lance/v1/table/{narrow}%24kept%24t/describe").status == 200
        refused = http.post(f"/lance/v1/table/{narrow}%24kept%24t/count_rows", {})
        assert (refused.status, refused.code) == (409, 19), refused
        assert "may not look" in refused.json["error"]
        assert http.request("DELETE", f"/api/v1/buckets/{narrow}").status == 204


def test_the_reference_server_is_passed_through(http, client, reference, tmp_path_factory):
    far = attached(http, url=reference[0])
    client.create_namespace(lns.CreateNamespaceRequest(id=[far, "ns"]))
    table = [far, "ns", "t"]
    client.create_table(lns.CreateTableRequest(id=table), stream(numbers(0, 5)))
    client.insert_into_table(lns.InsertIntoTableRequest(id=table, mode="append"), stream(numbers(5, 5)))
    assert client.count_table_rows(lns.CountTableRowsRequest(id=table)).count == 10
    everything = lns.QueryTableRequest(id=table, k=100, vector={})
    with contextlib.suppress(lns.LanceNamespaceError):
        rows = pa.ipc.open_file(client.query_table(everything).data).read_all()
        assert sorted(rows["n"].to_pylist()) == list(range(10))
    with pytest.raises(lns.TableNotFoundError):
        client.describe_table(lns.DescribeTableRequest(id=[far, "ns", "none"]))
    assert client.list_tables(lns.ListTablesRequest(id=[far, "ns"])).tables == ["t"]
    # Its own names are the same.
    direct = lns.connect("rest", {"uri": reference[0]})
    assert direct.list_tables(lns.ListTablesRequest(id=["ns"])).tables == ["t"]
    client.drop_table(lns.DropTableRequest(id=table))
    assert http.get(f"/api/v1/buckets/{far}/namespaces/ns/tables").json["items"] == []


def test_tables_outside_of_namespaces_and_names_that_do_not_fit(http, client, reference):
    direct = lns.connect("rest", {"uri": reference[0]})
    direct.create_table(lns.CreateTableRequest(id=["loose"]), stream(numbers(0, 4)))
    far = attached(http, url=reference[0])
    for table in [[far, "loose"], [far, "_root", "loose"]]:
        assert client.count_table_rows(lns.CountTableRowsRequest(id=table)).count == 4
    assert "loose" in client.list_tables(lns.ListTablesRequest(id=[far])).tables
    shown = http.get(f"/api/v1/buckets/{far}/namespaces/_root/tables")
    assert "loose" in [one["name"] for one in shown.json["items"]], shown
    assert http.get(f"/api/v1/buckets/{far}/namespaces/_root/tables/loose").json["location"]

    client.create_namespace(lns.CreateNamespaceRequest(id=[far, "odd"]))
    direct.create_table(lns.CreateTableRequest(id=["odd", "naïve"]), stream(numbers(0, 2)))
    assert client.count_table_rows(lns.CountTableRowsRequest(id=[far, "odd", "naïve"])).count == 2
    assert http.get(f"/api/v1/buckets/{far}/namespaces/odd/tables").json["items"] == []
    refused = http.get(f"/api/v1/buckets/{far}/connection").json["refused"]
    assert [(one["namespace"], one["name"], one["kind"]) for one in refused] == [("odd", "naïve", "table")]


def test_another_lakeglass_and_its_end(http, client, tmp_path_factory):
    other = Server(tmp_path_factory.mktemp("other") / "data")
    try:
        assert other.http(other.token).post("/lance/v1/namespace/lake/create").status == 200
        secret = f"Bearer {other.token}"
        far = attached(http, url=other.namespace_url, parent=["lake"], secret=secret)
        client.create_namespace(lns.CreateNamespaceRequest(id=[far, "ns"]))
        table = [far, "ns", "t"]
        client.create_table(lns.CreateTableRequest(id=table), stream(vectors()))
        client.merge_insert_into_table(
            lns.MergeInsertIntoTableRequest(id=table, on=["id"], when_matched_update_all=True), stream(vectors())
        )
        assert client.count_table_rows(lns.CountTableRowsRequest(id=table)).count == 3
        assert [one["name"] for one in http.get(f"/api/v1/buckets/{far}/namespaces/ns/tables").json["items"]] == ["t"]
        assert secret not in http.get(f"/api/v1/buckets/{far}/connection").body.decode()
    finally:
        other.stop()
    # What was seen last is shown while it is silent.
    base = f"/api/v1/buckets/{far}/namespaces/ns/tables"
    assert [one["name"] for one in http.get(base).json["items"]] == ["t"]
    gone = http.post(f"/lance/v1/table/{far}%24ns%24t/count_rows", {})
    assert (gone.status, gone.code) == (503, 17)
    assert http.get(f"/api/v1/buckets/{far}").json["health"]["cause"]

"""pylance: datasets opened and written through the namespace, `lance.dataset(namespace_client=…)`.

The namespace says where a table is and with which keys; pylance reads and writes the files itself.
"""

import io

import lance
import lance_namespace as lns
import pyarrow as pa
import pytest
from conftest import numbers, stream, vectors


@pytest.fixture
def client(server):
    return lns.connect("rest", server.properties)


def rows_of(answer) -> pa.Table:
    return pa.ipc.open_file(io.BytesIO(answer.data)).read_all()


def test_the_connect_tab(connect):
    shown = connect("pylance")
    assert all(word in shown for word in ["north", "east", "both"]), shown


def test_open_a_table_by_the_location_that_is_vended(client, bucket):
    client.create_namespace(lns.CreateNamespaceRequest(id=[bucket, "ns"]))
    client.create_table(lns.CreateTableRequest(id=[bucket, "ns", "t"]), stream(vectors()))
    opened = lance.dataset(namespace_client=client, table_id=[bucket, "ns", "t"])
    assert opened.to_table() == vectors()
    described = client.describe_table(lns.DescribeTableRequest(id=[bucket, "ns", "t"], load_detailed_metadata=True))
    assert described.version == opened.version == 1
    assert [field.name for field in described.var_schema.fields] == ["id", "word", "vec"]
    assert described.stats.num_fragments == 1 and described.stats.num_deleted_rows == 0
    assert lance.dataset(described.location).count_rows() == 3


def test_write_directly_to_a_declared_location_and_see_it_promoted(client, bucket):
    client.create_namespace(lns.CreateNamespaceRequest(id=[bucket, "ns"]))
    table = [bucket, "ns", "direct"]
    declared = client.declare_table(lns.DeclareTableRequest(id=table))
    seen = client.describe_table(lns.DescribeTableRequest(id=table, check_declared=True))
    assert seen.location == declared.location and seen.is_only_declared is True

    lance.write_dataset(numbers(0, 10), declared.location)
    promoted = client.describe_table(lns.DescribeTableRequest(id=table, check_declared=True))
    assert promoted.is_only_declared is False
    assert client.count_table_rows(lns.CountTableRowsRequest(id=table)).count == 10


def test_pylance_writes_through_the_namespace(client, bucket):
    client.create_namespace(lns.CreateNamespaceRequest(id=[bucket, "ns"]))
    where = {"namespace_client": client, "table_id": [bucket, "ns", "t"]}
    lance.write_dataset(numbers(0, 10), mode="create", **where)
    lance.write_dataset(numbers(10, 5), mode="append", **where)
    assert lance.dataset(**where).count_rows() == 15
    assert client.count_table_rows(lns.CountTableRowsRequest(id=[bucket, "ns", "t"])).count == 15


def test_tags_and_branches_of_a_table(client, http, bucket):
    client.create_namespace(lns.CreateNamespaceRequest(id=[bucket, "ns"]))
    table = [bucket, "ns", "t"]
    location = client.create_table(lns.CreateTableRequest(id=table), stream(numbers(0, 3))).location
    dataset = lance.dataset(location)
    dataset.tags.create("first", 1)
    dataset.create_branch("dev")
    client.insert_into_table(lns.InsertIntoTableRequest(id=table, mode="append"), stream(numbers(3, 3)))
    client.insert_into_table(lns.InsertIntoTableRequest(id=table, branch="dev"), stream(numbers(100, 1)))

    assert client.describe_table(lns.DescribeTableRequest(id=table, tag="first")).version == 1
    assert client.count_table_rows(lns.CountTableRowsRequest(id=table)).count == 6
    assert client.count_table_rows(lns.CountTableRowsRequest(id=table, branch="dev")).count == 4
    on_branch = lns.QueryTableRequest(id=table, k=0, vector={}, branch="dev")
    assert sorted(rows_of(client.query_table(on_branch))["n"].to_pylist()) == [0, 1, 2, 100]
    path = "/lance/v1/table/" + "%24".join(table)
    assert http.post(f"{path}/describe", {"tag": "first", "branch": "dev"}).status == 400

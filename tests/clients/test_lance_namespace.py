"""The stock `lance-namespace` client with pylance: what a person does first."""

import io

import lance
import lance_namespace as lns
import pyarrow as pa
import pytest
from conftest import numbers, stream, vectors
from lance_namespace_urllib3_client.models import QueryTableRequestColumns, QueryTableRequestVector


@pytest.fixture
def client(server):
    return lns.connect("rest", server.properties)


def rows_of(answer) -> pa.Table:
    return pa.ipc.open_file(io.BytesIO(answer.data)).read_all()


def test_create_a_namespace_and_look_around(client, bucket):
    created = client.create_namespace(lns.CreateNamespaceRequest(id=[bucket, "vision"], properties={"owner": "me"}))
    assert created.properties == {"owner": "me"}
    assert bucket in client.list_namespaces(lns.ListNamespacesRequest(id=[])).namespaces
    assert client.list_namespaces(lns.ListNamespacesRequest(id=[bucket])).namespaces == ["vision"]
    described = client.describe_namespace(lns.DescribeNamespaceRequest(id=[bucket, "vision"]))
    assert described.properties == {"owner": "me"}
    client.namespace_exists(lns.NamespaceExistsRequest(id=[bucket, "vision"]))
    client.drop_namespace(lns.DropNamespaceRequest(id=[bucket, "vision"]))
    with pytest.raises(Exception, match="(?i)namespace"):
        client.describe_namespace(lns.DescribeNamespaceRequest(id=[bucket, "vision"]))
    # Dropping what is gone is no fault when one says so.
    client.drop_namespace(lns.DropNamespaceRequest(id=[bucket, "vision"], mode="Skip"))


def test_create_insert_count_and_query_over_http(client, bucket):
    client.create_namespace(lns.CreateNamespaceRequest(id=[bucket, "ns"]))
    table = [bucket, "ns", "t"]
    created = client.create_table(lns.CreateTableRequest(id=table, mode="Create"), stream(vectors()))
    assert created.version == 1
    inserted = client.insert_into_table(lns.InsertIntoTableRequest(id=table, mode="append"), stream(vectors()))
    assert inserted.version == 2
    assert client.count_table_rows(lns.CountTableRowsRequest(id=table)).count == 6
    assert client.count_table_rows(lns.CountTableRowsRequest(id=table, predicate="id > 1")).count == 4
    assert client.count_table_rows(lns.CountTableRowsRequest(id=table, version=1)).count == 3

    nearest = lns.QueryTableRequest(
        id=table,
        k=2,
        vector=QueryTableRequestVector(single_vector=[1.0, 0.0]),
        vector_column="vec",
        columns=QueryTableRequestColumns(column_names=["word", "_distance"]),
    )
    answer = rows_of(client.query_table(nearest))
    assert answer["word"].to_pylist() == ["north", "north"]
    assert answer["_distance"].to_pylist() == [0.0, 0.0]

    filtered = lns.QueryTableRequest(id=table, k=0, vector=QueryTableRequestVector(), filter="word = 'east'")
    assert rows_of(client.query_table(filtered))["id"].to_pylist() == [2, 2]
    assert client.list_tables(lns.ListTablesRequest(id=[bucket, "ns"])).tables == ["t"]


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


def test_deregistered_data_stays_and_can_be_registered_again(client, bucket):
    client.create_namespace(lns.CreateNamespaceRequest(id=[bucket, "ns"]))
    client.create_table(lns.CreateTableRequest(id=[bucket, "ns", "t"]), stream(numbers(0, 7)))
    gone = client.deregister_table(lns.DeregisterTableRequest(id=[bucket, "ns", "t"]))
    assert client.list_tables(lns.ListTablesRequest(id=[bucket, "ns"])).tables == []
    assert lance.dataset(gone.location).count_rows() == 7
    client.register_table(lns.RegisterTableRequest(id=[bucket, "ns", "again"], location=gone.location))
    assert client.count_table_rows(lns.CountTableRowsRequest(id=[bucket, "ns", "again"])).count == 7


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


def test_rename_and_drop(client, bucket):
    client.create_namespace(lns.CreateNamespaceRequest(id=[bucket, "ns"]))
    client.create_namespace(lns.CreateNamespaceRequest(id=[bucket, "other"]))
    client.create_table(lns.CreateTableRequest(id=[bucket, "ns", "t"]), stream(numbers(0, 7)))
    client.rename_table(
        lns.RenameTableRequest(id=[bucket, "ns", "t"], new_table_name="u", new_namespace_id=[bucket, "other"])
    )
    assert client.list_tables(lns.ListTablesRequest(id=[bucket, "ns"])).tables == []
    assert client.count_table_rows(lns.CountTableRowsRequest(id=[bucket, "other", "u"])).count == 7
    dropped = client.drop_table(lns.DropTableRequest(id=[bucket, "other", "u"]))
    with pytest.raises(ValueError):
        lance.dataset(dropped.location)


def test_tags_of_a_table_that_is_missing_are_not_found(client, namespace):
    from lance_namespace.errors import TableNotFoundError

    with pytest.raises(TableNotFoundError):
        client.list_table_tags(lns.ListTableTagsRequest(id=[*namespace.split("$"), "t"]))

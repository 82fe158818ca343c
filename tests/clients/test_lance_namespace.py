"""The stock `lance-namespace` client: what a person does first, and every change of rows and columns, over HTTP."""

import io
import time

import lance
import lance_namespace as lns
import pyarrow as pa
import pytest
from conftest import numbers, stream, vectors
from lance_namespace_urllib3_client import models


@pytest.fixture
def client(server):
    return lns.connect("rest", server.properties)


def rows_of(answer) -> pa.Table:
    return pa.ipc.open_file(io.BytesIO(answer.data)).read_all()


def test_the_connect_tab(connect):
    shown = connect("lance-namespace")
    assert all(word in shown for word in ["north", "east", "both"]), shown


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
        vector=models.QueryTableRequestVector(single_vector=[1.0, 0.0]),
        vector_column="vec",
        columns=models.QueryTableRequestColumns(column_names=["word", "_distance"]),
    )
    answer = rows_of(client.query_table(nearest))
    assert answer["word"].to_pylist() == ["north", "north"]
    assert answer["_distance"].to_pylist() == [0.0, 0.0]

    filtered = lns.QueryTableRequest(id=table, k=0, vector=models.QueryTableRequestVector(), filter="word = 'east'")
    assert rows_of(client.query_table(filtered))["id"].to_pylist() == [2, 2]
    assert client.list_tables(lns.ListTablesRequest(id=[bucket, "ns"])).tables == ["t"]








def test_deregistered_data_stays_and_can_be_registered_again(client, bucket):
    client.create_namespace(lns.CreateNamespaceRequest(id=[bucket, "ns"]))
    client.create_table(lns.CreateTableRequest(id=[bucket, "ns", "t"]), stream(numbers(0, 7)))
    gone = client.deregister_table(lns.DeregisterTableRequest(id=[bucket, "ns", "t"]))
    assert client.list_tables(lns.ListTablesRequest(id=[bucket, "ns"])).tables == []
    assert lance.dataset(gone.location).count_rows() == 7
    client.register_table(lns.RegisterTableRequest(id=[bucket, "ns", "again"], location=gone.location))
    assert client.count_table_rows(lns.CountTableRowsRequest(id=[bucket, "ns", "again"])).count == 7


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


# Rows and columns


@pytest.fixture
def stock(client, bucket) -> list[str]:
    """A table of three things in two shops."""
    client.create_namespace(lns.CreateNamespaceRequest(id=[bucket, "shop"]))
    table = [bucket, "shop", "stock"]
    client.create_table(lns.CreateTableRequest(id=table), stream(things(("oslo", 1, 10), ("oslo", 2, 20), ("bergen", 1, 30))))
    return table


def things(*rows) -> pa.Table:
    names = ["shop", "thing", "count"]
    return pa.table({name: [row[at] for row in rows] for at, name in enumerate(names)})


def everything(client, table, **query) -> pa.Table:
    request = lns.QueryTableRequest(id=table, k=0, vector={}, **query)
    return pa.ipc.open_file(io.BytesIO(client.query_table(request).data)).read_all()


def counts(client, table, **query) -> dict:
    rows = everything(client, table, **query).to_pylist()
    return {(row["shop"], row["thing"]): row["count"] for row in rows}


def test_upsert_by_a_composite_key(client, stock):
    merged = client.merge_insert_into_table(
        models.MergeInsertIntoTableRequest(
            id=stock, on=["shop", "thing"], when_matched_update_all=True, when_not_matched_insert_all=True, timeout="30s"
        ),
        stream(things(("oslo", 1, 11), ("bergen", 2, 40))),
    )
    assert (merged.num_updated_rows, merged.num_inserted_rows, merged.version) == (1, 1, 2)
    assert counts(client, stock) == {("oslo", 1): 11, ("oslo", 2): 20, ("bergen", 1): 30, ("bergen", 2): 40}


def test_update_only_what_grew_and_remove_what_is_gone(client, stock):
    merged = client.merge_insert_into_table(
        models.MergeInsertIntoTableRequest(
            id=stock,
            on=["shop", "thing"],
            when_matched_update_all=True,
            when_matched_update_all_filt="source.count > target.count",
            when_not_matched_by_source_delete=True,
            when_not_matched_by_source_delete_filt="shop = 'oslo'",
        ),
        stream(things(("oslo", 1, 5), ("bergen", 1, 31))),
    )
    assert (merged.num_updated_rows, merged.num_inserted_rows, merged.num_deleted_rows) == (1, 0, 1)
    assert counts(client, stock) == {("oslo", 1): 10, ("bergen", 1): 31}


def test_update_and_delete_by_expressions(client, stock):
    updated = client.update_table(
        models.UpdateTableRequest(id=stock, updates=[["count", "count + 1"]], predicate="shop = 'oslo'")
    )
    assert (updated.updated_rows, updated.version) == (2, 2)
    deleted = client.delete_from_table(models.DeleteFromTableRequest(id=stock, predicate="count > 25"))
    assert deleted.version == 3
    assert counts(client, stock) == {("oslo", 1): 11, ("oslo", 2): 21}


def test_add_alter_and_drop_columns(client, stock):
    added = client.alter_table_add_columns(
        models.AlterTableAddColumnsRequest(
            id=stock, new_columns=[models.AddColumnsEntry(name="double", expression="count * 2")]
        )
    )
    assert added.version == 2
    altered = client.alter_table_alter_columns(
        models.AlterTableAlterColumnsRequest(
            id=stock,
            alterations=[models.AlterColumnsEntry(path="double", rename="twice", data_type={"type": "int32"})],
        )
    )
    assert altered.version == 3
    rows = everything(client, stock)
    assert rows.schema.field("twice").type == pa.int32()
    assert rows["twice"].to_pylist() == [20, 40, 60]
    client.alter_table_drop_columns(models.AlterTableDropColumnsRequest(id=stock, columns=["twice"]))
    assert everything(client, stock).column_names == ["shop", "thing", "count"]


def test_declare_a_computed_column_and_fill_it(client, http, stock):
    client.alter_table_add_columns(
        models.AlterTableAddColumnsRequest(
            id=stock, new_columns=[models.AddColumnsEntry(name="double", computed="count * 2")]
        )
    )
    assert everything(client, stock)["double"].null_count == 3
    job = client.alter_table_backfill_columns(models.AlterTableBackfillColumnsRequest(id=stock, column="double"))
    deadline = time.monotonic() + 60
    while (state := http.get(f"/api/v1/jobs/{job.job_id}").json["state"]) != "succeeded":
        assert state in ("queued", "running") and time.monotonic() < deadline, state
        time.sleep(0.05)
    assert everything(client, stock)["double"].to_pylist() == [20, 40, 60]


def test_schema_metadata_and_statistics(client, stock):
    changed = client.update_table_schema_metadata(
        models.UpdateTableSchemaMetadataRequest(id=stock, metadata={"owner": "ann"})
    )
    assert changed.metadata == {"owner": "ann"}
    described = client.describe_table(lns.DescribeTableRequest(id=stock, load_detailed_metadata=True))
    assert described.metadata == {"owner": "ann"}
    stats = client.get_table_stats(models.GetTableStatsRequest(id=stock))
    assert (stats.num_rows, stats.num_indices, stats.fragment_stats.num_fragments) == (3, 0, 1)
    assert stats.fragment_stats.lengths.p50 == 3 and stats.total_bytes > 0


def test_explain_and_analyze_a_query(client, stock):
    query = models.QueryTableRequest(k=2, vector={}, filter="count > 15")
    plan = client.explain_table_query_plan(models.ExplainTableQueryPlanRequest(id=stock, query=query))
    assert "count > " in plan
    ran = client.analyze_table_query_plan(
        models.AnalyzeTableQueryPlanRequest(id=stock, k=2, vector={}, filter="count > 15")
    )
    assert "output_rows" in ran


def test_changes_stay_on_their_branch(client, stock):
    location = client.describe_table(lns.DescribeTableRequest(id=stock)).location
    lance.dataset(location).create_branch("trial")
    client.delete_from_table(models.DeleteFromTableRequest(id=stock, predicate="shop = 'oslo'", branch="trial"))
    client.update_table(models.UpdateTableRequest(id=stock, updates=[["count", "0"]], branch="trial"))
    assert counts(client, stock, branch="trial") == {("bergen", 1): 0}
    assert len(counts(client, stock)) == 3
    with pytest.raises(Exception, match="(?i)branch"):
        client.delete_from_table(models.DeleteFromTableRequest(id=stock, predicate="true", branch="nowhere"))
    assert len(counts(client, stock)) == 3


@pytest.fixture
def notes(client, bucket) -> list[str]:
    """A table of texts with a full-text index that keeps positions."""
    client.create_namespace(lns.CreateNamespaceRequest(id=[bucket, "notes"]))
    table = [bucket, "notes", "all"]
    texts = ["the quick brown fox", "the slow brown dog", "quick answers", "brown quick paint"]
    rows = pa.table({"id": range(4), "text": texts})
    location = client.create_table(lns.CreateTableRequest(id=table), stream(rows)).location
    lance.dataset(location).create_scalar_index("text", "INVERTED", with_position=True)
    return table


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"match": {"terms": "quick brown", "column": "text", "operator": "And"}}, [0, 3]),
        ({"match": {"terms": "quik", "column": "text", "fuzziness": 1}}, [0, 2, 3]),
        ({"phrase": {"terms": "quick brown", "column": "text"}}, [0]),
        ({"multi_match": {"match_queries": [{"terms": "dog", "column": "text"}]}}, [1]),
        (
            {
                "boost": {
                    "positive": {"match": {"terms": "quick", "column": "text"}},
                    "negative": {"match": {"terms": "answers", "column": "text"}},
                }
            },
            [0, 2, 3],
        ),
        (
            {
                "boolean": {
                    "must": [{"match": {"terms": "brown", "column": "text"}}],
                    "should": [],
                    "must_not": [{"match": {"terms": "quick", "column": "text"}}],
                }
            },
            [1],
        ),
    ],
    ids=["match", "fuzzy", "phrase", "multi_match", "boost", "boolean"],
)
def test_structured_full_text_queries(client, notes, query, found):
    text = models.QueryTableRequestFullTextQuery(
        structured_query=models.StructuredFtsQuery(query=models.FtsQuery.from_dict(query))
    )
    rows = everything(client, notes, full_text_query=text)
    assert sorted(rows["id"].to_pylist()) == found
    inner = models.QueryTableRequest(k=3, vector={}, full_text_query=text)
    plan = client.explain_table_query_plan(models.ExplainTableQueryPlanRequest(id=notes, query=inner))
    assert "Query" in plan

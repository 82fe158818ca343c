"""The generated client `lance_namespace_urllib3_client`, over all operations of the specification.

Its models are strict: an answer of another shape than the specification's does not parse. Every operation
is a method, and the last test holds this file to having asked each.
"""

import base64
import inspect
import io
import json
import pathlib
import shutil
import time

import lance
import lance_namespace_urllib3_client as generated
import pyarrow as pa
import pytest
from conftest import numbers, stream, vectors
from lance_namespace_urllib3_client import models

GROUPS = {
    "namespaces": generated.NamespaceApi,
    "tables": generated.TableApi,
    "rows": generated.DataApi,
    "tags": generated.TagApi,
    "branches": generated.BranchApi,
    "indices": generated.IndexApi,
    "transactions": generated.TransactionApi,
    "views": generated.MaterializedViewApi,
}
asked = set()


class Group:
    """One of the client's groups of operations, keeping note of what is asked."""

    def __init__(self, operations):
        self.operations = operations

    def __getattr__(self, name: str):
        asked.add(name)
        return getattr(self.operations, name)


class Api:
    """The groups, as one person with a token."""

    def __init__(self, url: str, token: str):
        client = generated.ApiClient(generated.Configuration(host=url), "x-api-key", token)
        for name, group in GROUPS.items():
            setattr(self, name, Group(group(client)))


@pytest.fixture
def api(server) -> Api:
    return Api(server.namespace_url, server.token)


@pytest.fixture
def table(http, namespace) -> str:
    """A table with three versions of 1, 2 and 3 rows, by its id."""
    name = f"{namespace}$numbers"
    path = f"/lance/v1/table/{name.replace('$', '%24')}"
    assert http.rows(f"{path}/create", numbers(0, 1)).status == 200
    for start in (1, 2):
        assert http.rows(f"{path}/insert", numbers(start, 1)).status == 200
    return name


@pytest.fixture
def words(http, namespace) -> str:
    """A table with an id, a word and a vector, 300 rows of each."""
    name = f"{namespace}$words"
    many = pa.concat_tables([vectors()] * 100)
    assert http.rows(f"/lance/v1/table/{name.replace('$', '%24')}/create", many).status == 200
    return name


@pytest.fixture
def small(http, namespace) -> str:
    """A table of two rows with an id and a word."""
    name = f"{namespace}$small"
    made = http.rows(f"/lance/v1/table/{name.replace('$', '%24')}/create", pairs((1, "one"), (2, "two")))
    assert made.status == 200, made
    return name


def pairs(*rows) -> pa.Table:
    return pa.table({"id": [row[0] for row in rows], "word": [row[1] for row in rows]})


def refused(call, *arguments, **named) -> tuple[int, int]:
    """Status and code of a refusal."""
    with pytest.raises(generated.ApiException) as error:
        call(*arguments, **named)
    return error.value.status, json.loads(error.value.body)["code"]


# Namespaces and tables


def test_namespaces(api, bucket):
    path = f"{bucket}$vision"
    made = api.namespaces.create_namespace(path, models.CreateNamespaceRequest(properties={"owner": "me"}))
    assert made.properties == {"owner": "me"}
    assert bucket in api.namespaces.list_namespaces("$").namespaces
    assert api.namespaces.list_namespaces(bucket).namespaces == ["vision"]
    described = api.namespaces.describe_namespace(path, models.DescribeNamespaceRequest())
    assert described.properties == {"owner": "me"}
    api.namespaces.namespace_exists(path, models.NamespaceExistsRequest())
    again = models.CreateNamespaceRequest(mode="Create")
    assert refused(api.namespaces.create_namespace, path, again) == (409, 2)
    api.namespaces.drop_namespace(path, models.DropNamespaceRequest())
    assert refused(api.namespaces.namespace_exists, path, models.NamespaceExistsRequest()) == (404, 1)


def test_tables_are_declared_described_renamed_and_dropped(api, namespace, bucket):
    table, renamed = f"{namespace}$table", f"{namespace}$renamed"
    declared = api.tables.declare_table(table, models.DeclareTableRequest(properties={"team": "a"}))
    assert declared.properties == {"team": "a"} and declared.managed_versioning is False
    seen = api.tables.describe_table(table, models.DescribeTableRequest(), check_declared=True)
    assert seen.is_only_declared is True and seen.location == declared.location
    # The first rows make the table.
    assert api.rows.insert_into_table(table, stream(numbers(0, 4))).version == 1
    detailed = api.tables.describe_table(table, models.DescribeTableRequest(), load_detailed_metadata=True)
    assert detailed.version == 1 and [field.name for field in detailed.var_schema.fields] == ["n"]
    assert (detailed.stats.num_fragments, detailed.stats.num_deleted_rows) == (1, 0)
    assert api.namespaces.list_tables(namespace).tables == ["table"]
    assert table in api.tables.list_all_tables(limit=10_000).tables
    api.tables.table_exists(table, models.TableExistsRequest())

    api.tables.rename_table(table, models.RenameTableRequest(new_table_name="renamed"))
    assert refused(api.tables.table_exists, table, models.TableExistsRequest()) == (404, 4)
    kept = api.tables.deregister_table(renamed, models.DeregisterTableRequest())
    assert kept.id == renamed.split("$") and api.namespaces.list_tables(namespace).tables == []
    registered = api.tables.register_table(table, models.RegisterTableRequest(location=kept.location))
    assert registered.location == kept.location
    dropped = api.tables.drop_table(table)
    assert dropped.id == table.split("$") and not pathlib.Path(dropped.location.removeprefix("file://")).exists()


def test_rows_are_created_and_queried(api, namespace):
    table = f"{namespace}$vectors"
    created = api.rows.create_table(table, stream(vectors()), mode="Create", properties=json.dumps({"kind": "demo"}))
    assert created.version == 1 and created.properties == {"kind": "demo"}
    nearest = models.QueryTableRequest(
        k=1,
        vector=models.QueryTableRequestVector(single_vector=[1.0, 0.0]),
        vector_column="vec",
        columns=models.QueryTableRequestColumns(column_names=["word", "_distance"]),
    )
    answer = pa.ipc.open_file(io.BytesIO(api.rows.query_table(table, nearest))).read_all()
    assert answer.to_pydict() == {"word": ["north"], "_distance": [0.0]}
    assert refused(api.rows.create_table, table, stream(vectors()), mode="Create") == (409, 5)


# Rows, columns, metadata


def test_rows(api, small):
    merged = api.rows.merge_insert_into_table(
        small,
        on=["id"],
        body=stream(pairs((2, "deux"), (3, "trois"))),
        when_matched_update_all=True,
        when_not_matched_insert_all=True,
    )
    assert (merged.num_updated_rows, merged.num_inserted_rows, merged.num_deleted_rows) == (1, 1, 0)
    updated = api.rows.update_table(small, models.UpdateTableRequest(updates=[["word", "upper(word)"]]))
    assert (updated.updated_rows, updated.version) == (3, 3)
    deleted = api.rows.delete_from_table(small, models.DeleteFromTableRequest(predicate="id = 1"))
    assert deleted.version == 4
    assert api.rows.count_table_rows(small, models.CountTableRowsRequest(predicate="word IN ('DEUX', 'TROIS')")) == 2


def test_columns_and_metadata(api, small):
    added = api.rows.alter_table_add_columns(
        small,
        models.AlterTableAddColumnsRequest(new_columns=[models.AddColumnsEntry(name="n", computed="id + 1")]),
    )
    assert added.version == 2
    job = api.rows.alter_table_backfill_columns(small, models.AlterTableBackfillColumnsRequest(column="n"))
    assert job.job_id
    entry = models.UpdateFieldMetadataEntry(path="word", metadata={"lang": "fr"})
    changed = api.tables.update_field_metadata(small, models.UpdateFieldMetadataRequest(updates=[entry]))
    assert changed.fields == {"word": {"lang": "fr"}}
    assert api.tables.update_table_schema_metadata(small, {"owner": "ann"}) == {"owner": "ann"}
    stats = api.tables.get_table_stats(small, models.GetTableStatsRequest())
    assert stats.num_rows == 2


def test_columns_are_renamed_and_dropped(api, small):
    renamed = api.tables.alter_table_alter_columns(
        small,
        models.AlterTableAlterColumnsRequest(alterations=[models.AlterColumnsEntry(path="word", rename="term")]),
    )
    assert renamed.version == 2
    assert api.rows.count_table_rows(small, models.CountTableRowsRequest(predicate="term IS NOT NULL")) == 2
    dropped = api.tables.alter_table_drop_columns(small, models.AlterTableDropColumnsRequest(columns=["term"]))
    assert dropped.version == 3


def test_plans_are_bare_texts(api, small):
    query = models.QueryTableRequest(k=1, vector=models.QueryTableRequestVector())
    plan = api.rows.explain_table_query_plan(small, models.ExplainTableQueryPlanRequest(query=query, verbose=True))
    assert isinstance(plan, str) and "LanceRead" in plan
    ran = api.rows.analyze_table_query_plan(
        small, models.AnalyzeTableQueryPlanRequest(k=1, vector=models.QueryTableRequestVector())
    )
    assert isinstance(ran, str) and "output_rows" in ran


def test_what_is_missing_is_not_found_by_its_own_code(api, small):
    missing = models.UpdateTableRequest(updates=[["no", "1"]])
    assert refused(api.rows.update_table, small, missing) == (404, 12)
    elsewhere = models.DeleteFromTableRequest(predicate="true", branch="nowhere")
    assert refused(api.rows.delete_from_table, small, elsewhere) == (404, 22)
    everything = models.DeleteFromTableRequest(predicate="true")
    assert refused(api.rows.delete_from_table, f"{small}x", everything) == (404, 4)


# Versions


def test_list_describe_and_delete_versions(api, table):
    listed = api.tables.list_table_versions(table, descending=True, limit=2)
    assert [one.version for one in listed.versions] == [3, 2]
    rest = api.tables.list_table_versions(table, descending=True, page_token=listed.page_token)
    assert [one.version for one in rest.versions] == [1]
    one = api.tables.describe_table_version(table, models.DescribeTableVersionRequest(version=2)).version
    assert one == listed.versions[1]

    # The newest stays, whatever is asked for.
    everything = models.VersionRange(start_version=0, end_version=-1)
    gone = api.tables.batch_delete_table_versions(table, models.BatchDeleteTableVersionsRequest(ranges=[everything]))
    assert gone.deleted_count == 2
    missing = models.DescribeTableVersionRequest(version=2)
    assert refused(api.tables.describe_table_version, table, missing) == (404, 11)


def test_restore_makes_an_old_version_the_newest(api, table):
    api.tables.restore_table(table, models.RestoreTableRequest(version=1))
    assert api.tables.count_table_rows(table, models.CountTableRowsRequest()) == 1
    assert api.tables.count_table_rows(table, models.CountTableRowsRequest(version=3)) == 3
    made = api.transactions.describe_transaction(f"{table}$4", models.DescribeTransactionRequest())
    assert (made.status, made.properties["operation"]) == ("Succeeded", "Restore")
    action = models.AlterTransactionAction(
        set_status_action=models.AlterTransactionSetStatus(status="Canceled")
    )
    alter = models.AlterTransactionRequest(actions=[action])
    assert refused(api.transactions.alter_transaction, f"{table}$4", alter) == (409, 19)


def staged(api: Api, table: str) -> str:
    """Writes the table's fourth version beside it without committing it: what a client does that has
    its commits made by the catalog. Gives the path of the manifest."""
    location = api.tables.describe_table(table, models.DescribeTableRequest()).location
    folder = pathlib.Path(location.removeprefix("file://"))
    scratch = folder.with_name(f"{folder.name}-scratch")
    shutil.copytree(folder, scratch)
    lance.write_dataset(numbers(3, 1), str(scratch), mode="append")
    for part in ("data", "_transactions"):
        shutil.copytree(scratch / part, folder / part, dirs_exist_ok=True)
    new = {path.name for path in (scratch / "_versions").glob("*.manifest")}
    new -= {path.name for path in (folder / "_versions").glob("*.manifest")}
    manifest = folder / "_versions" / f"{new.pop()}-staged"
    shutil.copy(scratch / "_versions" / manifest.name.removesuffix("-staged"), manifest)
    shutil.rmtree(scratch)
    return str(manifest).lstrip("/")


def test_create_a_version_if_nothing_is_there(api, table):
    new = models.CreateTableVersionRequest(version=4, manifest_path=staged(api, table), naming_scheme="V2")
    made = api.tables.create_table_version(table, new)
    assert made.version.version == 4
    assert api.tables.count_table_rows(table, models.CountTableRowsRequest()) == 4
    assert refused(api.tables.create_table_version, table, new) == (409, 14)


def test_batches_are_made_whole_or_not_at_all(api, table, namespace):
    own, parts = table.split("$"), namespace.split("$")
    path = staged(api, table)
    wrong = models.CommitTableOperation(deregister_table=models.DeregisterTableRequest(id=[*parts, "none"]))
    declare = models.CommitTableOperation(declare_table=models.DeclareTableRequest(id=[*parts, "later"]))
    create = models.CommitTableOperation(
        create_table_version=models.CreateTableVersionRequest(id=own, version=4, manifest_path=path)
    )
    batch = models.BatchCommitTablesRequest(operations=[create, declare, wrong])
    assert refused(api.transactions.batch_commit_tables, batch) == (404, 4)
    assert api.tables.count_table_rows(table, models.CountTableRowsRequest()) == 3

    done = api.transactions.batch_commit_tables(models.BatchCommitTablesRequest(operations=[create, declare]))
    assert done.results[0].create_table_version.version.version == 4
    assert done.results[1].declare_table.location.endswith("later")
    assert api.tables.count_table_rows(table, models.CountTableRowsRequest()) == 4

    entry = models.CreateTableVersionEntry(id=own, version=4, manifest_path=path)
    again = models.BatchCreateTableVersionsRequest(entries=[entry])
    assert refused(api.tables.batch_create_table_versions, again) == (409, 14)


# Tags and branches


def test_tags(api, table):
    api.tags.create_table_tag(table, models.CreateTableTagRequest(tag="first", version=1))
    api.tags.create_table_tag(table, models.CreateTableTagRequest(tag="good", version=3))
    listed = api.tags.list_table_tags(table).tags
    assert {name: tag.version for name, tag in listed.items()} == {"first": 1, "good": 3}
    api.tags.update_table_tag(table, models.UpdateTableTagRequest(tag="good", version=2))
    assert api.tags.get_table_tag_version(table, models.GetTableTagVersionRequest(tag="good")).version == 2
    api.tags.delete_table_tag(table, models.DeleteTableTagRequest(tag="good"))
    assert refused(api.tags.get_table_tag_version, table, models.GetTableTagVersionRequest(tag="good")) == (404, 8)
    again = models.CreateTableTagRequest(tag="first", version=2)
    assert refused(api.tags.create_table_tag, table, again) == (409, 9)
    # The library sees the same tags at the location.
    location = api.tables.describe_table(table, models.DescribeTableRequest()).location
    assert list(lance.dataset(location).tags.list()) == ["first"]


def test_branches(api, http, table):
    api.branches.create_table_branch(table, models.CreateTableBranchRequest(name="trial", from_version=2))
    insert = f"/lance/v1/table/{table.replace('$', '%24')}/insert?branch=trial"
    assert http.rows(insert, numbers(10, 5)).status == 200
    assert api.tables.count_table_rows(table, models.CountTableRowsRequest(branch="trial")) == 7
    assert api.tables.count_table_rows(table, models.CountTableRowsRequest()) == 3
    made = api.branches.list_table_branches(table).branches["trial"]
    assert (made.parent_branch, made.parent_version) == (None, 2)
    again = models.CreateTableBranchRequest(name="trial")
    assert refused(api.branches.create_table_branch, table, again) == (409, 23)
    api.branches.delete_table_branch(table, models.DeleteTableBranchRequest(name="trial"))
    gone = models.DeleteTableBranchRequest(name="trial")
    assert refused(api.branches.delete_table_branch, table, gone) == (404, 22)


# Indices


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        ("id", "BTREE"),
        ("word", "BITMAP"),
        ("word", "FTS"),
        ("vec", "IVF_FLAT"),
        ("vec", "IVF_PQ"),
        ("vec", "IVF_HNSW_SQ"),
        ("vec", "IVF_HNSW_PQ"),
    ],
)
def test_create_list_measure_and_drop_an_index(api, words, column, kind):
    create = api.indices.create_table_index if column == "vec" else api.indices.create_table_scalar_index
    request = models.CreateTableIndexRequest(column=column, index_type=kind, name="it")
    job = create(words, request).transaction_id
    described = api.transactions.describe_transaction(f"{words}${job}", models.DescribeTransactionRequest())
    assert described.status == "Succeeded"
    (index,) = api.indices.list_table_indices(words, models.ListTableIndicesRequest()).indexes
    assert (index.index_name, index.index_type, index.columns) == ("it", kind, [column])
    assert (index.num_indexed_rows, index.num_unindexed_rows) == (300, 0)
    stats = api.indices.describe_table_index_stats(words, "it", models.DescribeTableIndexStatsRequest())
    assert (stats.index_type, stats.num_indexed_rows, stats.num_indices) == (kind, 300, 1)
    assert stats.distance_type == ("l2" if column == "vec" else None)
    api.indices.drop_table_index(words, "it")
    assert api.indices.list_table_indices(words, models.ListTableIndicesRequest()).indexes == []
    assert refused(api.indices.drop_table_index, words, "it") == (404, 6)


def test_an_index_that_cannot_be_is_refused_with_its_own_code(api, words):
    def ask(**request):
        return refused(api.indices.create_table_index, words, models.CreateTableIndexRequest(**request))

    assert ask(column="none", index_type="BTREE") == (404, 12)
    assert ask(column="word", index_type="IVF_PQ") == (400, 13)
    assert ask(column="vec", index_type="IVF_PQ", num_sub_vectors=5) == (400, 13)
    api.indices.create_table_index(words, models.CreateTableIndexRequest(column="id", index_type="BTREE"))
    assert ask(column="id", index_type="BTREE") == (409, 7)


# Views


def test_a_view_is_made_filled_and_filled_again(api, http, words, namespace):
    query = {
        "table": words.split("$"),
        "columns": [["word", "word"], ["twice", "id * 2"]],
        "filter": "word <> 'both'",
    }
    schema = pa.schema([("word", pa.string()), ("twice", pa.int64())])
    view = f"{namespace}$view"
    request = models.CreateMaterializedViewRequest(
        kind="query",
        source_query=json.dumps(query),
        output_schema=base64.b64encode(schema.serialize()).decode(),
        with_no_data=False,
    )
    made = api.views.create_materialized_view(view, request)
    assert made.version == 1
    assert over(api, view, made.job_id) == "Succeeded"
    assert api.tables.count_table_rows(view, models.CountTableRowsRequest()) == 200

    assert http.rows(f"/lance/v1/table/{words.replace('$', '%24')}/insert", vectors()).status == 200
    job = api.views.refresh_materialized_view(view).job_id
    assert over(api, view, job) == "Succeeded"
    assert api.tables.count_table_rows(view, models.CountTableRowsRequest()) == 202
    # Of the source as it was before.
    job = api.views.refresh_materialized_view(
        view, refresh_materialized_view_request=models.RefreshMaterializedViewRequest(src_version=1)
    ).job_id
    assert over(api, view, job) == "Succeeded"
    assert api.tables.count_table_rows(view, models.CountTableRowsRequest()) == 200

    assert refused(api.views.refresh_materialized_view, words) == (409, 19)
    other = request.model_copy(update={"output_schema": base64.b64encode(numbers(0, 1).schema.serialize()).decode()})
    assert refused(api.views.create_materialized_view, f"{namespace}$other", other) == (400, 20)
    function = request.model_copy(update={"kind": "udtf"})
    assert refused(api.views.create_materialized_view, f"{namespace}$other", function) == (406, 0)


def over(api: Api, table: str, job: str) -> str:
    """The status in which a job ends."""
    for _ in range(300):
        found = api.transactions.describe_transaction(f"{table}${job}", models.DescribeTransactionRequest())
        if found.status not in ("Queued", "Running"):
            return found.status
        time.sleep(0.1)
    return found.status


def test_every_operation_was_asked(request):
    if request.config.getoption("keyword") or any("::" in argument for argument in request.config.args):
        pytest.skip("only some of the tests ran")
    operations = {
        name
        for group in GROUPS.values()
        for name, _ in inspect.getmembers(group, inspect.isfunction)
        if not name.startswith("_") and not name.endswith(("_with_http_info", "_without_preload_content"))
    }
    assert len(operations) == 54
    assert operations - asked == set()

"""The generated client, whose strict models check the shape of every answer: rows, columns, metadata."""

import lance_namespace_urllib3_client as generated
import pyarrow as pa
import pytest
from conftest import stream
from lance_namespace_urllib3_client import models


@pytest.fixture
def api(server):
    configuration = generated.Configuration(host=server.namespace_url)
    with generated.ApiClient(configuration, header_name="x-api-key", header_value=server.token) as client:
        yield generated.TableApi(client)


@pytest.fixture
def table(http, namespace) -> str:
    name = f"{namespace}$words"
    made = http.rows(f"/lance/v1/table/{name.replace('$', '%24')}/create", words((1, "one"), (2, "two")))
    assert made.status == 200, made
    return name


def words(*rows) -> pa.Table:
    return pa.table({"id": [row[0] for row in rows], "word": [row[1] for row in rows]})


def test_rows(api, table):
    merged = api.merge_insert_into_table(
        table,
        on=["id"],
        body=stream(words((2, "deux"), (3, "trois"))),
        when_matched_update_all=True,
        when_not_matched_insert_all=True,
    )
    assert (merged.num_updated_rows, merged.num_inserted_rows, merged.num_deleted_rows) == (1, 1, 0)
    updated = api.update_table(table, models.UpdateTableRequest(updates=[["word", "upper(word)"]]))
    assert (updated.updated_rows, updated.version) == (3, 3)
    deleted = api.delete_from_table(table, models.DeleteFromTableRequest(predicate="id = 1"))
    assert deleted.version == 4
    assert api.count_table_rows(table, models.CountTableRowsRequest(predicate="word IN ('DEUX', 'TROIS')")) == 2


def test_columns_and_metadata(api, table):
    added = api.alter_table_add_columns(
        table,
        models.AlterTableAddColumnsRequest(new_columns=[models.AddColumnsEntry(name="n", computed="id + 1")]),
    )
    assert added.version == 2
    job = api.alter_table_backfill_columns(table, models.AlterTableBackfillColumnsRequest(column="n"))
    assert job.job_id
    entry = models.UpdateFieldMetadataEntry(path="word", metadata={"lang": "fr"})
    changed = api.update_field_metadata(table, models.UpdateFieldMetadataRequest(updates=[entry]))
    assert changed.fields == {"word": {"lang": "fr"}}
    assert api.update_table_schema_metadata(table, {"owner": "ann"}) == {"owner": "ann"}
    stats = api.get_table_stats(table, models.GetTableStatsRequest())
    assert stats.num_rows == 2


def test_plans_are_bare_texts(api, table):
    query = models.QueryTableRequest(k=1, vector=models.QueryTableRequestVector())
    plan = api.explain_table_query_plan(table, models.ExplainTableQueryPlanRequest(query=query, verbose=True))
    assert isinstance(plan, str) and "LanceRead" in plan
    ran = api.analyze_table_query_plan(
        table, models.AnalyzeTableQueryPlanRequest(k=1, vector=models.QueryTableRequestVector())
    )
    assert isinstance(ran, str) and "output_rows" in ran


def test_what_is_missing_is_not_found_by_its_own_code(api, table):
    def code(call) -> int:
        with pytest.raises(generated.exceptions.NotFoundException) as refused:
            call()
        return models.ErrorResponse.from_json(refused.value.body).code

    missing = models.UpdateTableRequest(updates=[["no", "1"]])
    assert code(lambda: api.update_table(table, missing)) == 12
    elsewhere = models.DeleteFromTableRequest(predicate="true", branch="nowhere")
    assert code(lambda: api.delete_from_table(table, elsewhere)) == 22
    assert code(lambda: api.delete_from_table(f"{table}x", models.DeleteFromTableRequest(predicate="true"))) == 4

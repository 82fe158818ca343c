"""LanceDB's remote client against this server: change rows and columns, search texts, look at plans."""

import lance
import lancedb
import pyarrow as pa
import pytest
from lancedb.query import MultiMatchQuery


@pytest.fixture
def db(server, namespace):
    return lancedb.connect(f"db://{namespace}", api_key=server.token, host_override=server.namespace_url)


@pytest.fixture
def table(db):
    rows = pa.table({
        "id": pa.array(range(4), pa.int64()),
        "text": ["the quick brown fox", "the slow brown dog", "quick answers", "brown quick paint"],
        "vector": pa.array([[float(n), 0.0] for n in range(4)], pa.list_(pa.float32(), 2)),
    })
    return db.create_table("notes", rows)


def rows_of(table) -> dict:
    answer = table.search().select(["id", "text"]).limit(100).to_arrow().to_pylist()
    return {row["id"]: row["text"] for row in answer}


def test_merge_update_and_delete(table):
    new = pa.table({
        "id": pa.array([3, 4], pa.int64()),
        "text": ["changed", "new"],
        "vector": pa.array([[3.0, 0.0], [4.0, 0.0]], pa.list_(pa.float32(), 2)),
    })
    merged = table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all().execute(new)
    assert (merged.num_updated_rows, merged.num_inserted_rows, merged.num_attempts) == (1, 1, 1)
    assert merged.version == 2
    updated = table.update(where="id = 0", values={"text": "set"})
    assert (updated.rows_updated, updated.version) == (1, 3)
    assert table.delete("id IN (1, 2)").version == 4
    assert rows_of(table) == {0: "set", 3: "changed", 4: "new"}


def test_columns(table):
    assert table.add_columns({"double": "id * 2"}).version == 2
    assert table.alter_columns({"path": "double", "rename": "twice", "data_type": pa.int32()}).version == 3
    assert table.schema.field("twice").type == pa.int32()
    assert table.drop_columns(["twice"]).version == 4
    assert table.schema.names == ["id", "text", "vector"]


def test_column_metadata_and_statistics(table):
    table.update_field_metadata({"path": "text", "metadata": {"lang": "en"}})
    assert table.schema.field("text").metadata == {b"lang": b"en"}
    stats = table.stats()
    assert stats["num_rows"] == 4 and stats["fragment_stats"]["num_fragments"] == 1


def test_plans(table):
    query = table.search([1.0, 0.0], vector_column_name="vector").limit(2)
    assert "KNN" in query.explain_plan(True)
    assert "KNN" in query.analyze_plan()


@pytest.fixture
def indexed(table, server):
    """The same table with a full-text index that keeps positions."""
    location = table.uri() if callable(table.uri) else table.uri
    lance.dataset(location).create_scalar_index("text", "INVERTED", with_position=True)
    return table


def test_full_text_search(indexed):
    """This client sends structured queries only to servers of its maker's own version; others get the words."""
    assert indexed.search("fox", query_type="fts").limit(10).to_arrow()["id"].to_pylist() == [0]
    several = indexed.search(MultiMatchQuery("dog paint", ["text"]), query_type="fts").limit(10).to_arrow()
    assert sorted(several["id"].to_pylist()) == [1, 3]

"""LanceDB as a remote database: `lancedb.connect("db://bucket$namespace", host_override=…)`.

The server does all of the work. `db://` names a bucket, or a namespace in it.
"""

from datetime import timedelta

import lancedb
import pyarrow as pa
import pytest
from conftest import vectors
from lancedb.index import FTS, BTree, Bitmap, HnswSq, IvfFlat, IvfPq
from lancedb.query import BooleanQuery, BoostQuery, MatchQuery, MultiMatchQuery, Occur, PhraseQuery


@pytest.fixture
def remote(server, namespace):
    return lancedb.connect(f"db://{namespace}", api_key=server.token, host_override=server.namespace_url)


@pytest.fixture
def many(remote):
    """A table of 300 rows, and a second version of 303."""
    table = remote.create_table("words", pa.concat_tables([vectors()] * 100))
    table.add(vectors())
    return table


def test_the_connect_tab(connect):
    shown = connect("lancedb-remote")
    assert all(word in shown for word in ["north", "east", "both"]), shown


def test_create_add_search_and_drop(remote):
    table = remote.create_table("words", vectors())
    assert remote.list_tables().tables == ["words"]
    assert table.count_rows() == 3
    assert table.schema == vectors().schema
    table.add(vectors())
    again = remote.open_table("words")
    assert again.count_rows() == 6
    nearest = again.search([1.0, 0.0], vector_column_name="vec").limit(2).to_arrow()
    assert nearest["word"].to_pylist() == ["north", "north"]
    some = again.search().where("id = 3").select(["word"]).to_arrow()
    assert some["word"].to_pylist() == ["both", "both"]
    remote.drop_table("words")
    assert remote.list_tables().tables == []


def test_versions_are_walked_and_restored(many):
    assert [one["version"] for one in many.list_versions()] == [2, 1]
    many.checkout(1)
    assert many.count_rows() == 300
    many.checkout_latest()
    assert many.count_rows() == 303
    many.checkout(1)
    many.restore()
    assert many.count_rows() == 300
    assert many.version == 3
    many.restore(2)
    assert many.count_rows() == 303


def test_tags_name_versions(many):
    many.tags.create("first", 1)
    many.tags.create("second", 2)
    assert {name: tag["version"] for name, tag in many.tags.list().items()} == {"first": 1, "second": 2}
    many.tags.update("second", 1)
    assert many.tags.get_version("second") == 1
    many.tags.delete("second")
    assert list(many.tags.list()) == ["first"]
    many.checkout("first")
    assert many.count_rows() == 300
    many.checkout_latest()
    with pytest.raises(Exception, match="not found"):
        many.tags.get_version("none")


def test_branches_are_written_apart(many):
    trial = many.branches.create("trial")
    trial.add(vectors())
    assert trial.count_rows() == 306
    assert many.count_rows() == 303
    assert list(many.branches.list()) == ["trial"]
    trial.tags.create("on-trial", trial.version)
    many.tags.delete("on-trial")
    many.branches.delete("trial")
    assert list(many.branches.list()) == []


@pytest.mark.parametrize(
    ("column", "config", "kind"),
    [
        ("id", BTree(), "BTree"),
        ("word", Bitmap(), "Bitmap"),
        ("word", FTS(with_position=True), "FTS"),
        ("vec", IvfFlat(distance_type="cosine", num_partitions=2), "IvfFlat"),
        ("vec", IvfPq(num_partitions=2, num_sub_vectors=2), "IvfPq"),
        ("vec", HnswSq(distance_type="l2", m=8), "IvfHnswSq"),
    ],
)
def test_indices_are_built_listed_and_dropped(many, column, config, kind):
    many.create_index(column, config=config, name="it", wait_timeout=timedelta(seconds=60))
    many.wait_for_index(["it"], timedelta(seconds=10))
    (index,) = many.list_indices()
    assert (index.name, index.columns, index.index_type) == ("it", [column], kind)
    stats = many.index_stats("it")
    assert (stats.num_indexed_rows, stats.num_unindexed_rows) == (303, 0)
    assert (stats.distance_type is not None) == (column == "vec")
    many.add(vectors())
    assert many.index_stats("it").num_unindexed_rows == 3
    # Asking again builds it anew, over all rows.
    many.create_index(column, config=config, name="it", wait_timeout=timedelta(seconds=60))
    assert many.index_stats("it").num_unindexed_rows == 0
    many.drop_index("it")
    assert list(many.list_indices()) == []
    assert many.index_stats("it") is None


def test_full_text_is_searched_through_its_index(many):
    many.create_index("word", config=FTS(), wait_timeout=timedelta(seconds=60))
    found = many.search("north", query_type="fts").limit(3).to_arrow()
    assert found["word"].to_pylist() == ["north"] * 3


# Rows, columns and searches


@pytest.fixture
def table(remote):
    rows = pa.table({
        "id": pa.array(range(4), pa.int64()),
        "text": ["the quick brown fox", "the slow brown dog", "quick answers", "brown quick paint"],
        "vector": pa.array([[float(n), 0.0] for n in range(4)], pa.list_(pa.float32(), 2)),
    })
    return remote.create_table("notes", rows)


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
def indexed(table):
    """The same table with a full-text index that keeps positions."""
    table.create_index("text", config=FTS(with_position=True), wait_timeout=timedelta(seconds=60))
    return table


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("fox", [0]),
        (MatchQuery("quick brown", "text", operator="AND"), [0, 3]),
        (MatchQuery("quik", "text", fuzziness=1), [0, 2, 3]),
        (PhraseQuery("quick brown", "text"), [0]),
        (MultiMatchQuery("dog paint", ["text"]), [1, 3]),
        (BoostQuery(MatchQuery("quick", "text"), MatchQuery("answers", "text")), [0, 2, 3]),
        (
            BooleanQuery([
                (Occur.MUST, MatchQuery("brown", "text")),
                (Occur.MUST_NOT, MatchQuery("quick", "text")),
            ]),
            [1],
        ),
    ],
    ids=["text", "match", "fuzzy", "phrase", "multi_match", "boost", "boolean"],
)
def test_full_text_queries(indexed, query, found):
    """This client sends structures only to servers that say they understand them, as this one does."""
    rows = indexed.search(query, query_type="fts").limit(10).to_arrow()
    assert sorted(rows["id"].to_pylist()) == found


def test_several_vectors_in_one_query(table):
    both = table.search([[0.0, 0.0], [3.0, 0.0]], vector_column_name="vector").limit(1).to_arrow()
    assert sorted(zip(both["query_index"].to_pylist(), both["id"].to_pylist())) == [(0, 0), (1, 3)]

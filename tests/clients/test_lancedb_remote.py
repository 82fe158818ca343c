"""LanceDB as a remote database (`db://`): tags, versions, branches and indices of a table."""

from datetime import timedelta

import lancedb
import pyarrow as pa
import pytest
from conftest import vectors
from lancedb.index import FTS, BTree, Bitmap, HnswSq, IvfFlat, IvfPq


@pytest.fixture
def remote(server, namespace):
    return lancedb.connect(f"db://{namespace}", api_key=server.token, host_override=server.namespace_url)


@pytest.fixture
def words(remote):
    """A table of 300 rows, and a second version of 303."""
    table = remote.create_table("words", pa.concat_tables([vectors()] * 100))
    table.add(vectors())
    return table


def test_versions_are_walked_and_restored(words):
    assert [one["version"] for one in words.list_versions()] == [2, 1]
    words.checkout(1)
    assert words.count_rows() == 300
    words.checkout_latest()
    assert words.count_rows() == 303
    words.checkout(1)
    words.restore()
    assert words.count_rows() == 300
    assert words.version == 3
    words.restore(2)
    assert words.count_rows() == 303


def test_tags_name_versions(words):
    words.tags.create("first", 1)
    words.tags.create("second", 2)
    assert {name: tag["version"] for name, tag in words.tags.list().items()} == {"first": 1, "second": 2}
    words.tags.update("second", 1)
    assert words.tags.get_version("second") == 1
    words.tags.delete("second")
    assert list(words.tags.list()) == ["first"]
    words.checkout("first")
    assert words.count_rows() == 300
    words.checkout_latest()
    with pytest.raises(Exception, match="not found"):
        words.tags.get_version("none")


def test_branches_are_written_apart(words):
    trial = words.branches.create("trial")
    trial.add(vectors())
    assert trial.count_rows() == 306
    assert words.count_rows() == 303
    assert list(words.branches.list()) == ["trial"]
    trial.tags.create("on-trial", trial.version)
    words.tags.delete("on-trial")
    words.branches.delete("trial")
    assert list(words.branches.list()) == []


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
def test_indices_are_built_listed_and_dropped(words, column, config, kind):
    words.create_index(column, config=config, name="it", wait_timeout=timedelta(seconds=60))
    words.wait_for_index(["it"], timedelta(seconds=10))
    (index,) = words.list_indices()
    assert (index.name, index.columns, index.index_type) == ("it", [column], kind)
    stats = words.index_stats("it")
    assert (stats.num_indexed_rows, stats.num_unindexed_rows) == (303, 0)
    assert (stats.distance_type is not None) == (column == "vec")
    words.add(vectors())
    assert words.index_stats("it").num_unindexed_rows == 3
    # Asking again builds it anew, over all rows.
    words.create_index(column, config=config, name="it", wait_timeout=timedelta(seconds=60))
    assert words.index_stats("it").num_unindexed_rows == 0
    words.drop_index("it")
    assert list(words.list_indices()) == []
    assert words.index_stats("it") is None


def test_full_text_is_searched_through_its_index(words):
    words.create_index("word", config=FTS(), wait_timeout=timedelta(seconds=60))
    found = words.search("north", query_type="fts").limit(3).to_arrow()
    assert found["word"].to_pylist() == ["north"] * 3

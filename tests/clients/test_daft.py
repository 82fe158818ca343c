"""Daft, through `daft-lance`: lazy frames read from the namespace and written into it."""

import daft_lance
import lance_namespace as lns
import pytest


@pytest.fixture
def where(server) -> dict:
    """How Daft finds the namespace: each of its workers connects by itself."""
    return {"namespace_impl": "rest", "namespace_properties": server.properties}


def test_the_connect_tab(connect):
    shown = connect("daft")
    assert all(word in shown for word in ["north", "east", "both"]), shown


def test_a_frame_is_read_lazily(where, words):
    frame = daft_lance.read_lance(**where, table_id=words)
    assert frame.schema().column_names() == ["id", "word", "vec"]
    assert frame.where(frame["id"] > 1).select("word").to_pydict() == {"word": ["east", "both"]}


def test_a_frame_is_written_and_added_to(server, where, words):
    table = [*words[:2], "copy"]
    frame = daft_lance.read_lance(**where, table_id=words)
    daft_lance.write_lance(frame, **where, table_id=table, mode="create")
    daft_lance.write_lance(frame.limit(1), **where, table_id=table, mode="append")
    counted = lns.connect("rest", server.properties).count_table_rows(lns.CountTableRowsRequest(id=table))
    assert counted.count == 4


def test_a_tag_is_read_as_it_was(server, where, words):
    client = lns.connect("rest", server.properties)
    client.create_table_tag(lns.CreateTableTagRequest(id=words, tag="first", version=1))
    daft_lance.write_lance(daft_lance.read_lance(**where, table_id=words), **where, table_id=words, mode="append")
    assert daft_lance.read_lance(**where, table_id=words, version="first").count_rows() == 3
    assert daft_lance.read_lance(**where, table_id=words).count_rows() == 6

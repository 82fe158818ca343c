"""LanceDB over the namespace, `lancedb.connect_namespace("rest", …)`: with files opened by the client, and with
creation and queries pushed down to the server. LanceDB without files at all is in test_lancedb_remote.py."""

import lancedb
import pyarrow as pa
import pytest
from conftest import vectors


@pytest.fixture
def db(server):
    return lancedb.connect_namespace("rest", server.properties)


@pytest.fixture
def pushed_down(server):
    """The same, with creation and queries carried out by the server."""
    return lancedb.connect_namespace(
        "rest", server.properties, namespace_client_pushdown_operations=["QueryTable", "CreateTable"]
    )


def test_the_connect_tab(connect):
    shown = connect("lancedb")
    assert all(word in shown for word in ["north", "east", "both"]), shown


def test_create_open_add_and_search(db, namespace):
    path = namespace.split("$")
    table = db.create_table("words", vectors(), namespace_path=path)
    table.add(vectors())
    assert table.count_rows() == 6
    assert db.list_tables(namespace_path=path).tables == ["words"]

    again = db.open_table("words", namespace_path=path)
    nearest = again.search([1.0, 0.0], vector_column_name="vec").limit(2).to_arrow()
    assert nearest["word"].to_pylist() == ["north", "north"]
    some = again.search().where("id = 3").to_arrow()
    assert some["word"].to_pylist() == ["both", "both"]


def test_change_rows_and_walk_versions(db, namespace):
    table = db.create_table("words", vectors(), namespace_path=namespace.split("$"))
    table.update(where="id = 1", values={"word": "up"})
    table.delete("id = 2")
    assert sorted(table.to_arrow()["word"].to_pylist()) == ["both", "up"]
    assert len(table.list_versions()) >= 3
    table.checkout(1)
    assert table.count_rows() == 3


def test_namespaces_are_made_and_listed(db, bucket):
    db.create_namespace([bucket, "made"])
    assert list(db.list_namespaces([bucket]).namespaces) == ["made"]
    db.drop_namespace([bucket, "made"])
    assert list(db.list_namespaces([bucket]).namespaces) == []


def test_creation_and_queries_by_the_server(pushed_down, namespace):
    path = namespace.split("$")
    table = pushed_down.create_table("words", vectors(), namespace_path=path)
    assert table.count_rows() == 3
    nearest = table.search([0.0, 1.0], vector_column_name="vec").limit(1).to_arrow()
    assert nearest["word"].to_pylist() == ["east"]
    both = table.search([[1.0, 0.0], [0.0, 1.0]], vector_column_name="vec").limit(1).to_arrow()
    assert sorted(both["word"].to_pylist()) == ["east", "north"]


def test_an_empty_table_takes_rows_later(pushed_down, namespace):
    path = namespace.split("$")
    schema = pa.schema([("n", pa.int64())])
    table = pushed_down.create_table("later", schema=schema, namespace_path=path)
    assert table.count_rows() == 0
    table.add([{"n": 1}, {"n": 2}])
    assert table.count_rows() == 2


def test_drop(db, namespace):
    path = namespace.split("$")
    db.create_table("words", vectors(), namespace_path=path)
    db.drop_table("words", namespace_path=path)
    assert db.list_tables(namespace_path=path).tables == []

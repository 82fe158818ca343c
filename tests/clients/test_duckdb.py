"""DuckDB: SQL over the rows that a query answers, and over the dataset itself."""

import duckdb
import lance
import lance_namespace as lns
import pyarrow as pa


def test_the_connect_tab(connect):
    shown = connect("duckdb")
    assert all(word in shown for word in ["north", "east", "both"]), shown


def test_sql_over_an_answer(server, words):
    """The server filters and chooses columns; the rows that are left come as one Arrow file."""
    namespace = lns.connect("rest", server.properties)
    query = lns.QueryTableRequest(id=words, k=0, vector={}, filter="id > 1", columns={"column_names": ["id", "word"]})
    rows = pa.ipc.open_file(pa.BufferReader(namespace.query_table(query).data)).read_all()
    assert duckdb.sql("SELECT max(word) FROM rows").fetchall() == [("east",)]
    assert duckdb.sql("SELECT count(*), sum(id) FROM rows").fetchall() == [(2, 5)]


def test_sql_over_the_dataset(server, words):
    """Where the files can be reached, columns and filters are pushed into the scan."""
    words = lance.dataset(namespace_client=lns.connect("rest", server.properties), table_id=words)
    found = duckdb.sql("SELECT word FROM words WHERE id >= 2 ORDER BY word DESC")
    assert found.fetchall() == [("east",), ("both",)]

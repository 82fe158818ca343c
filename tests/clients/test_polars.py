"""Polars: data frames of the rows that a query answers, and lazily of the dataset itself."""

import lance
import lance_namespace as lns
import polars as pl
from conftest import stream


def test_the_connect_tab(connect):
    shown = connect("polars")
    assert all(word in shown for word in ["north", "east", "both"]), shown


def test_a_frame_of_an_answer(server, words):
    namespace = lns.connect("rest", server.properties)
    nearest = lns.QueryTableRequest(id=words, k=2, vector={"single_vector": [0.0, 1.0]}, vector_column="vec")
    frame = pl.read_ipc(namespace.query_table(nearest).data)
    assert frame["word"].to_list() == ["east", "both"]
    assert frame["_distance"].to_list() == [0.0, 1.0]


def test_a_lazy_frame_of_the_dataset(server, words):
    dataset = lance.dataset(namespace_client=lns.connect("rest", server.properties), table_id=words)
    frame = pl.scan_pyarrow_dataset(dataset).filter(pl.col("id") > 1).select("word").collect()
    assert sorted(frame["word"].to_list()) == ["both", "east"]


def test_a_frame_becomes_a_table(server, namespace):
    client = lns.connect("rest", server.properties)
    table = [*namespace.split("$"), "frame"]
    frame = pl.DataFrame({"city": ["Oslo", "Bergen"], "people": [717_710, 291_940]})
    client.create_table(lns.CreateTableRequest(id=table), stream(frame.to_arrow()))
    assert client.count_table_rows(lns.CountTableRowsRequest(id=table, predicate="people > 500000")).count == 1

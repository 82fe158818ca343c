"""Ray, through `lance-ray`: data sets read from the namespace and written into it by many workers."""

import lance_namespace as lns
import lance_ray
import pyarrow as pa
import pytest
import ray


@pytest.fixture(scope="module", autouse=True)
def cluster():
    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    yield
    ray.shutdown()


@pytest.fixture
def where(server) -> dict:
    """How Ray finds the namespace: each of its workers connects by itself."""
    return {"namespace_impl": "rest", "namespace_properties": server.properties}


def test_the_connect_tab(connect):
    shown = connect("ray")
    assert all(word in shown for word in ["north", "east", "both"]), shown


def test_write_append_and_read(server, where, namespace):
    table = [*namespace.split("$"), "numbers"]
    rows = ray.data.from_arrow(pa.table({"n": pa.array(range(1000), pa.int64())})).repartition(4)
    lance_ray.write_lance(rows, **where, table_id=table, mode="create")
    lance_ray.write_lance(rows.limit(10), **where, table_id=table, mode="append")
    counted = lns.connect("rest", server.properties).count_table_rows(lns.CountTableRowsRequest(id=table))
    assert counted.count == 1010

    few = lance_ray.read_lance(**where, table_id=table, filter="n < 5", columns=["n"])
    assert sorted(row["n"] for row in few.take_all()) == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    assert lance_ray.read_lance(**where, table_id=table).sum("n") == sum(range(1000)) + sum(range(10))

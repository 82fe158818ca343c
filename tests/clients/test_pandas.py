"""pandas: data frames of the rows that a query answers, and frames that become tables."""

import lance
import lance_namespace as lns
import pandas as pd
import pyarrow as pa
from conftest import stream


def test_the_connect_tab(connect):
    shown = connect("pandas")
    assert all(word in shown for word in ["north", "east", "both"]), shown


def test_a_frame_of_an_answer(server, words):
    namespace = lns.connect("rest", server.properties)
    query = lns.QueryTableRequest(id=words, k=0, vector={}, columns={"column_names": ["word", "id"]})
    frame = pa.ipc.open_file(pa.BufferReader(namespace.query_table(query).data)).read_pandas()
    assert frame.set_index("word")["id"].to_dict() == {"north": 1, "east": 2, "both": 3}


def test_a_frame_becomes_a_table_and_comes_back(server, namespace):
    client = lns.connect("rest", server.properties)
    where = {"namespace_client": client, "table_id": [*namespace.split("$"), "frame"]}
    frame = pd.DataFrame({"city": ["Oslo", "Bergen", None], "people": [717_710, 291_940, 0]})
    lance.write_dataset(frame, mode="create", **where)
    back = lance.dataset(**where).to_table().to_pandas()
    assert back["people"].tolist() == frame["people"].tolist()
    assert back["city"].isna().tolist() == [False, False, True]

    more = pa.Table.from_pandas(frame[:1], preserve_index=False)
    client.insert_into_table(lns.InsertIntoTableRequest(id=where["table_id"], mode="append"), stream(more))
    assert lance.dataset(**where).count_rows() == 4

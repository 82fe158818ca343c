"""PyTorch: a loader over the version that a tag names, so that training sees the same rows from run to run."""

import lance
import lance_namespace as lns
import pyarrow as pa
import pytest
import torch
from conftest import stream
from lance.torch.data import LanceDataset, SafeLanceDataset
from torch.utils.data import DataLoader


@pytest.fixture
def tagged(server, namespace) -> lance.LanceDataset:
    """The version `trained` of a table of 100 images of two pixels with a label; the table has 200 by now."""
    client = lns.connect("rest", server.properties)
    table = [*namespace.split("$"), "images"]
    rows = pa.table({
        "label": pa.array(range(100), pa.int64()),
        "pixels": pa.array([[float(n), 0.5] for n in range(100)], pa.list_(pa.float32(), 2)),
    })
    client.create_table(lns.CreateTableRequest(id=table), stream(rows))
    client.create_table_tag(lns.CreateTableTagRequest(id=table, tag="trained", version=1))
    client.insert_into_table(lns.InsertIntoTableRequest(id=table, mode="append"), stream(rows))
    assert client.count_table_rows(lns.CountTableRowsRequest(id=table)).count == 200
    return lance.dataset(namespace_client=client, table_id=table, version="trained")


def test_vectors_are_loaded_in_batches(tagged):
    batches = list(DataLoader(LanceDataset(tagged, batch_size=32, columns=["pixels"]), batch_size=None))
    assert [tuple(batch.shape) for batch in batches] == [(32, 2), (32, 2), (32, 2), (4, 2)]
    assert torch.cat(batches)[:, 0].tolist() == [float(n) for n in range(100)]


def test_labels_come_with_their_vectors(tagged):
    def tensors(batch: pa.RecordBatch, **_) -> dict[str, torch.Tensor]:
        return {
            "label": torch.tensor(batch["label"].to_pylist()),
            "pixels": torch.tensor(batch["pixels"].to_pylist()),
        }

    loader = DataLoader(LanceDataset(tagged, batch_size=50, to_tensor_fn=tensors), batch_size=None)
    seen = 0
    for batch in loader:
        assert batch["pixels"][:, 0].tolist() == batch["label"].float().tolist()
        seen += len(batch["label"])
    assert seen == 100


def test_rows_are_taken_one_by_one_in_any_order(tagged):
    rows = SafeLanceDataset(tagged.uri, dataset_options={"version": tagged.version})
    assert len(rows) == 100
    row = rows[42]
    assert row["label"] == 42 and list(row["pixels"]) == [42.0, 0.5]

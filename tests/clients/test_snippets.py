"""Each client that the Connect tab shows has a file here, whose first test runs what is shown."""

import pathlib


def test_every_snippet_is_run(http, words):
    bucket, namespace, table = words
    answer = http.get(f"/api/v1/buckets/{bucket}/namespaces/{namespace}/tables/{table}/snippets")
    assert answer.status == 200, answer
    here = pathlib.Path(__file__).parent
    for client in [snippet["client"] for snippet in answer.json]:
        name = f"test_{client.replace('-', '_')}.py"
        found = [path for path in [here / name, here / "heavy" / name] if path.exists()]
        assert found and f'connect("{client}")' in found[0].read_text(), client

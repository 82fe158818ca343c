"""Eight and sixty-four clients at once: nothing is lost, and one name is made once."""

import concurrent.futures
import threading

import lance
import pyarrow as pa
from conftest import numbers

WRITERS = 8
# A change of rows, by every one of these at the same time.
CROWD = 64


def at_once(work, writers: int = WRITERS) -> list:
    """Runs `work(n)` in threads that start together."""
    start = threading.Barrier(writers)

    def run(n):
        start.wait()
        return work(n)

    with concurrent.futures.ThreadPoolExecutor(writers) as pool:
        return list(pool.map(run, range(writers)))


def table_of(namespace: str, name: str) -> str:
    return f"/lance/v1/table/{namespace.replace('$', '%24')}%24{name}"


def pairs(ids, word: str) -> pa.Table:
    ids = list(ids)
    return pa.table({"id": pa.array(ids, pa.int64()), "word": pa.array([word] * len(ids), pa.string())})


def read(http, table: str) -> list[dict]:
    rows = http.post(f"{table}/query", {"vector": {}, "k": 0}).rows
    return sorted(rows.to_pylist(), key=lambda row: row["id"])


def test_appenders_lose_nothing(http, namespace):
    table = f"/lance/v1/table/{namespace.replace('$', '%24')}%24log"
    assert http.rows(f"{table}/create", numbers(0, 0)).status == 200

    def append(n):
        return [http.rows(f"{table}/insert", numbers(1000 * n + 10 * batch, 10)) for batch in range(5)]

    answers = [answer for answers in at_once(append) for answer in answers]
    assert [answer.status for answer in answers] == [200] * len(answers), answers
    assert all(answer.json["num_inserted_rows"] == 10 for answer in answers)
    assert len({answer.json["version"] for answer in answers}) == len(answers)

    everything = http.post(f"{table}/query", {"vector": {}, "k": 0}).rows["n"].to_pylist()
    expected = [1000 * n + i for n in range(WRITERS) for i in range(50)]
    assert sorted(everything) == expected


def test_appenders_over_http_and_beside_it_lose_nothing(http, namespace):
    table = f"/lance/v1/table/{namespace.replace('$', '%24')}%24log"
    location = http.rows(f"{table}/create", numbers(0, 0)).json["location"]

    def append(n):
        rows = numbers(100 * n, 100)
        if n % 2:
            lance.write_dataset(rows, location, mode="append")
        else:
            assert http.rows(f"{table}/insert", rows).status == 200

    at_once(append)
    assert http.post(f"{table}/count_rows").json == 100 * WRITERS


def test_a_crowd_of_appenders_loses_nothing(http, namespace):
    table = table_of(namespace, "log")
    assert http.rows(f"{table}/create", pairs([], "")).status == 200
    answers = at_once(lambda n: http.rows(f"{table}/insert", pairs([2 * n, 2 * n + 1], f"by {n}")), CROWD)
    assert [answer.status for answer in answers] == [200] * CROWD, answers
    assert read(http, table) == [{"id": row, "word": f"by {row // 2}"} for row in range(2 * CROWD)]


def test_a_crowd_that_updates_loses_nothing(http, namespace):
    table = table_of(namespace, "words")
    assert http.rows(f"{table}/create", pairs(range(CROWD), "old")).status == 200

    def update(n):
        return http.post(f"{table}/update", {"predicate": f"id = {n}", "updates": [["word", f"'by {n}'"]]})

    answers = at_once(update, CROWD)
    assert [(answer.status, answer.json["updated_rows"]) for answer in answers] == [(200, 1)] * CROWD, answers
    assert read(http, table) == [{"id": row, "word": f"by {row}"} for row in range(CROWD)]


def test_a_crowd_that_merges_loses_nothing(http, namespace):
    """Each changes a row of its own, adds one of its own, and all change the same one: one of them is last."""
    table = table_of(namespace, "words")
    assert http.rows(f"{table}/create", pairs(range(CROWD + 1), "old")).status == 200
    how = "?on=id&when_matched_update_all=true&when_not_matched_insert_all=true"

    def merge(n):
        return http.rows(f"{table}/merge_insert{how}", pairs([n, CROWD, 1000 + n], f"by {n}"))

    answers = at_once(merge, CROWD)
    assert [answer.status for answer in answers] == [200] * CROWD, answers
    assert {(answer.json["num_updated_rows"], answer.json["num_inserted_rows"]) for answer in answers} == {(2, 1)}
    rows = read(http, table)
    shared = rows.pop(CROWD)
    assert shared["id"] == CROWD and shared["word"].startswith("by ")
    own = [{"id": row, "word": f"by {row}"} for row in range(CROWD)]
    assert rows == own + [{"id": 1000 + row, "word": f"by {row}"} for row in range(CROWD)]


def test_creators_droppers_and_renamers_of_one_name_leave_no_debris(server, http, namespace):
    """Whatever the order was, the names that are listed are the folders that are there, and each can be read."""
    table = table_of(namespace, "one")
    bucket, name = namespace.split("$")
    kinds = [
        lambda n: http.rows(f"{table}/create", numbers(n, 1)),
        lambda n: http.post(f"{table}/drop"),
        lambda n: http.post(f"{table}/rename", {"new_table_name": f"other{n}"}),
        lambda n: http.post(f"{table}/deregister"),
        lambda n: http.post(f"{table}/declare", {}),
    ]
    for _ in range(3):
        answers = at_once(lambda n: kinds[n % len(kinds)](n), 4 * len(kinds))
        odd = [answer for answer in answers if answer.status not in (200, 404, 409)]
        assert not odd, odd
        assert {answer.code for answer in answers if answer.status != 200} <= {4, 5, 14, 19}, answers
    listed = http.get(f"/lance/v1/namespace/{bucket}%24{name}/table/list").json["tables"]
    trashed = http.get(f"/api/v1/buckets/{bucket}/trash").json["items"]
    folders = [folder.name for folder in (server.data / "buckets" / bucket / name).iterdir()]
    assert len(folders) == len(listed) + len(trashed), (folders, listed, trashed)
    for other in listed:
        state = http.post(f"{table_of(namespace, other)}/describe", {"check_declared": True}).json
        if not state["is_only_declared"]:
            assert http.post(f"{table_of(namespace, other)}/count_rows").json == 1


def test_one_of_eight_creators_wins(server, http, namespace):
    table = f"/lance/v1/table/{namespace.replace('$', '%24')}%24mine"
    answers = at_once(lambda n: http.rows(f"{table}/create", numbers(n, 1)))
    won = [n for n, answer in enumerate(answers) if answer.status == 200]
    lost = [answer for answer in answers if answer.status != 200]
    assert len(won) == 1, answers
    assert [(answer.status, answer.code) for answer in lost] == [(409, 5)] * (WRITERS - 1), lost
    assert http.post(f"{table}/query", {"vector": {}, "k": 0}).rows["n"].to_pylist() == won

    bucket, name = namespace.split("$")
    folders = [folder.name for folder in (server.data / "buckets" / bucket / name).iterdir()]
    assert folders == ["mine"]


def test_one_of_eight_namespace_creators_wins(http, bucket):
    answers = at_once(lambda n: http.post(f"/lance/v1/namespace/{bucket}%24same/create"))
    assert sorted(answer.status for answer in answers) == [200] + [409] * (WRITERS - 1), answers
    assert {answer.code for answer in answers if answer.status == 409} == {2}

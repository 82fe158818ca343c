"""Eight clients at once: nothing is lost, and one name is made once."""

import concurrent.futures
import threading

import lance
from conftest import numbers

WRITERS = 8


def at_once(work) -> list:
    """Runs `work(n)` in eight threads that start together."""
    start = threading.Barrier(WRITERS)

    def run(n):
        start.wait()
        return work(n)

    with concurrent.futures.ThreadPoolExecutor(WRITERS) as pool:
        return list(pool.map(run, range(WRITERS)))


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

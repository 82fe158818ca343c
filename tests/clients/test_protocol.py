"""What the namespace promises on the wire, said over plain HTTP."""

import http.client
import json
import secrets
import socket
import time
import urllib.parse

import pyarrow as pa
import pytest
from conftest import numbers, stream, vectors


def quoted(identifier: str) -> str:
    return urllib.parse.quote(identifier, safe="")


def space(identifier: str, operation: str) -> str:
    return f"/lance/v1/namespace/{quoted(identifier)}/{operation}"


def table(identifier: str, operation: str) -> str:
    return f"/lance/v1/table/{quoted(identifier)}/{operation}"


def said(answer) -> tuple[int, int]:
    """Status and code of an error."""
    return answer.status, answer.code


@pytest.fixture
def words(http, namespace) -> str:
    """A table of three rows, by its id."""
    assert http.rows(table(f"{namespace}$words", "create"), vectors()).status == 200
    return f"{namespace}$words"


# Who is asking


def test_nobody_is_answered_without_a_token(server, words):
    for token in [None, "lg_" + "0" * 40]:
        stranger = server.http(token)
        assert said(stranger.post(table(words, "describe"))) == (401, 16)
        assert said(stranger.get("/lance/v1/table")) == (401, 16)
        assert said(stranger.post(table(words, "tags/list"))) == (401, 16)


def test_a_token_works_in_either_header(server, words):
    stranger = server.http(None)
    bearer = {"authorization": f"Bearer {server.token}"}
    assert stranger.post(table(words, "describe"), headers=bearer).status == 200
    wins = {"x-api-key": server.token}
    body = {"identity": {"api_key": "wrong", "auth_token": "wrong"}}
    assert stranger.post(table(words, "describe"), body, headers=wins).status == 200


def test_what_one_may_not_know_is_not_found(server, http, words):
    bucket = words.split("$")[0]
    other = f"test-{secrets.token_hex(6)}"
    assert http.post(space(other, "create")).status == 200
    insider = server.http(server.new_token("viewer", bucket))
    outsider = server.http(server.new_token("admin", other))

    assert insider.post(table(words, "describe")).status == 200
    assert said(outsider.post(table(words, "describe"))) == (404, 4)
    assert said(outsider.post(table(words, "exists"))) == (404, 4)
    assert said(outsider.post(table(words, "drop"))) == (404, 4)
    assert said(outsider.post(space(bucket, "describe"))) == (404, 1)
    assert said(outsider.get(space(bucket, "list"))) == (404, 1)
    assert said(outsider.rows(table(words, "insert"), vectors())) == (404, 4)
    assert outsider.get(space("$", "list")).json["namespaces"] == [other]
    assert outsider.get("/lance/v1/table").json["tables"] == []


def test_roles_are_kept(server, http, words):
    bucket = words.split("$")[0]
    viewer = server.http(server.new_token("viewer", bucket))
    assert viewer.post(table(words, "describe")).status == 200
    assert viewer.post(table(words, "count_rows")).json == 3
    assert said(viewer.post(table(words, "query"), {"k": 1})) == (403, 15)
    assert said(viewer.post(table(words, "count_rows"), {"predicate": "id = 1"})) == (403, 15)
    reader = server.http(server.new_token("reader", bucket))
    assert reader.post(table(words, "query"), {"k": 1}).status == 200
    assert said(reader.rows(table(words, "insert"), vectors())) == (403, 15)
    assert said(reader.rows(table(f"{words}2", "create"), vectors())) == (403, 15)
    assert said(reader.post(table(words, "drop"))) == (403, 15)
    assert said(reader.post(space(f"{bucket}$new", "create"))) == (403, 15)
    editor = server.http(server.new_token("editor", bucket))
    assert editor.rows(table(words, "insert"), vectors()).status == 200
    assert said(editor.post(space("test-another-bucket", "create"))) == (403, 15)


# Requests


def test_a_body_that_names_another_object_is_refused(http, words):
    own = words.split("$")
    assert http.post(table(words, "describe"), {"id": own}).status == 200
    assert said(http.post(table(words, "describe"), {"id": [*own[:-1], "other"]})) == (400, 13)
    assert said(http.post(space(own[0], "describe"), {"id": []})) == (400, 13)


def test_empty_bodies_are_accepted_where_nothing_is_required(http, words):
    parent = "$".join(words.split("$")[:-1])
    for body in [None, b"", b"null", {}]:
        assert http.post(table(words, "describe"), body).status == 200
        assert http.post(table(words, "exists"), body).status == 200
        assert http.post(table(words, "count_rows"), body).json == 3
        assert http.post(space(parent, "describe"), body).status == 200
    for operation in ["register", "rename", "query"]:
        assert said(http.post(table(words, operation))) == (400, 13), operation


def test_bad_bodies_and_parameters_are_refused(http, words):
    for body in [b"{", b"[]", b"7", {"version": "x"}, {"version": -1}]:
        assert said(http.post(table(words, "describe"), body)) == (400, 13), body
    assert said(http.post(table(words, "describe?check_declared=maybe"))) == (400, 13)
    assert said(http.post(table(words, "describe"), b"{" + b" " * (2 << 20) + b"}")) == (413, 13)
    assert said(http.post(table(words, "describe"), {"tag": "a", "version": 1})) == (400, 13)


def test_a_delimiter_of_the_clients_choice(http, words):
    bucket, name, leaf = words.split("$")
    path = f"/lance/v1/table/{quoted(f'{bucket}::{name}::{leaf}')}/describe?delimiter=%3A%3A"
    assert http.post(path).json["table"] == leaf
    assert http.get("/lance/v1/namespace/%3A%3A/list?delimiter=%3A%3A").status == 200
    tables = http.get("/lance/v1/table?delimiter=%3A%3A").json["tables"]
    assert f"{bucket}::{name}::{leaf}" in tables


def test_a_slash_at_the_end_changes_nothing(http, words):
    assert http.post(table(words, "describe/")).status == 200
    assert http.get("/lance/v1/table/").status == 200
    assert http.post(table(words, "stats/")).json["num_rows"] == 3


def test_unknown_routes_and_methods_have_the_shape(http, words):
    assert said(http.get("/lance/v1/nothing")) == (404, 0)
    assert said(http.post("/lance/v2/table/a/describe")) == (404, 0)
    assert said(http.get(table(words, "describe"))) == (405, 13)
    assert said(http.request("DELETE", table(words, "drop"))) == (405, 13)


def test_the_request_id_is_echoed(http, words):
    answer = http.post(table(words, "describe"), headers={"x-request-id": "from-the-client-1"})
    assert answer.headers["x-request-id"] == "from-the-client-1"
    assert http.post(table(words, "describe")).headers["x-request-id"]


def test_no_operation_is_left_out(http, words):
    """An operation that is told nothing says what it needs, and never that it is not carried out."""
    for operation in [
        "restore", "version/list", "version/create", "version/describe", "version/delete", "create_index",
        "create_scalar_index", "index/list", "index/a/stats", "index/a/drop", "tags/list", "tags/version",
        "tags/create", "tags/update", "tags/delete", "branches/list", "branches/create", "branches/delete",
    ]:
        answer = http.post(table(words, operation), {})
        assert answer.status in (200, 400, 404), (operation, answer.status)
    for path in [
        "table/version/batch-create", "table/batch-commit", "materialized_view/a/create",
        "materialized_view/a/refresh", "transaction/a/describe", "transaction/a/alter",
    ]:
        answer = http.post(f"/lance/v1/{path}", {})
        assert answer.status in (200, 400, 404), (path, answer.status)


# Namespaces


def test_the_root_is_always_there(http, bucket):
    assert http.post(space("$", "exists")).status == 200
    assert http.post(space("$", "describe")).json["properties"] == {}
    assert bucket in http.get(space("$", "list?limit=100000")).json["namespaces"]
    assert said(http.post(space("$", "create"))) == (409, 2)
    assert http.post(space("$", "create"), {"mode": "exist_ok"}).status == 200
    assert said(http.post(space("$", "drop"))) == (400, 13)
    assert http.get(space("$", "table/list")).json["tables"] == []


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_modes_of_creation(http, bucket, depth):
    identifier = [f"test-{secrets.token_hex(6)}", f"{bucket}$a", f"{bucket}$a$b"][depth - 1]
    if depth == 3:
        assert http.post(space(f"{bucket}$a", "create")).status == 200
    first = http.post(space(identifier, "create"), {"properties": {"k": "1"}})
    assert first.json["properties"] == {"k": "1"}
    assert said(http.post(space(identifier, "create"), {"mode": "Create"})) == (409, 2)
    for mode in ["ExistOk", "EXIST_OK", "exist_ok"]:
        kept = http.post(space(identifier, "create"), {"mode": mode, "properties": {"k": "2"}})
        assert (kept.status, kept.json["properties"]) == (200, {"k": "1"})
    replaced = http.post(space(identifier, "create"), {"mode": "Overwrite", "properties": {"k": "3"}})
    assert (replaced.status, replaced.json["properties"]) == (200, {"k": "3"})
    assert http.post(space(identifier, "describe")).json["properties"] == {"k": "3"}
    assert http.post(space(f"{identifier}$inside", "create")).status == 200
    assert said(http.post(space(identifier, "create"), {"mode": "OVERWRITE"})) == (409, 3)
    assert said(http.post(space(identifier, "create"), {"mode": "Replace"})) == (400, 13)


def test_a_bucket_takes_the_format_that_its_properties_name(http):
    name = f"test-{secrets.token_hex(6)}"
    assert said(http.post(space(name, "create"), {"properties": {"format": "no-such-format"}})) == (400, 13)
    assert said(http.post(space(name, "exists"))) == (404, 1)
    assert http.post(space(name, "create"), {"properties": {"format": "lance"}}).status == 200


def test_names_that_break_a_rule(http, bucket):
    for bad in ["ab", "Upper-Case", f"{bucket}$with.dot", f"{bucket}$$a", f"{bucket}$" + "x" * 65]:
        assert said(http.post(space(bad, "create"))) == (400, 13), bad
        assert said(http.post(space(bad, "describe"))) == (404, 1), bad
    assert said(http.post(space(f"{bucket}$none$child", "create"))) == (404, 1)


def test_dropping(http, namespace):
    bucket, name = namespace.split("$")
    assert http.rows(table(f"{namespace}$t", "create"), numbers(0, 1)).status == 200
    assert said(http.post(space(namespace, "drop"))) == (409, 3)
    assert said(http.post(space(bucket, "drop"), {"behavior": "restrict"})) == (409, 3)
    assert http.post(space(namespace, "drop"), {"behavior": "CASCADE"}).status == 200
    assert said(http.post(space(namespace, "drop"))) == (404, 1)
    skipped = http.post(space(namespace, "drop"), {"mode": "SKIP"})
    assert (skipped.status, skipped.json) == (200, {})
    assert http.post(space(bucket, "drop")).status == 200
    assert said(http.post(space(bucket, "exists"))) == (404, 1)


# Lists


def test_lists_walk_once_over_everything(http, namespace):
    names = sorted(f"t{n:03}" for n in range(23))
    for name in names:
        assert http.post(table(f"{namespace}${name}", "declare")).status == 200
    for path in [space(namespace, "table/list"), "/lance/v1/table"]:
        seen, token = [], ""
        while True:
            page = http.get(f"{path}?limit=5&page_token={quoted(token)}").json
            assert len(page["tables"]) <= 5
            seen += page["tables"]
            token = page.get("page_token") or ""
            if not token:
                break
        ours = [name.removeprefix(f"{namespace}$") for name in seen if path != "/lance/v1/table" or name.startswith(f"{namespace}$")]
        assert ours == names
    assert http.get(space(namespace, "table/list?include_declared=false")).json["tables"] == []


def test_lists_are_never_null_and_limits_are_checked(http, namespace):
    assert http.get(space(namespace, "table/list")).json["tables"] == []
    assert http.get(space(namespace, "list")).json["namespaces"] == []
    for limit in ["0", "-1", "x"]:
        for path in [space(namespace, "list"), space(namespace, "table/list"), "/lance/v1/table"]:
            assert said(http.get(f"{path}?limit={limit}")) == (400, 13), path
    assert said(http.get(space(namespace, "table/list?page_token=nonsense"))) == (400, 13)
    assert said(http.get(space(f"{namespace}$none", "list"))) == (404, 1)
    assert said(http.get(space(f"{namespace}$none", "table/list"))) == (404, 1)


# Tables


def test_declare(http, namespace):
    declared = http.post(table(f"{namespace}$d", "declare"), {"properties": {"k": "v"}})
    assert declared.status == 200
    assert declared.json["properties"] == {"k": "v"}
    assert declared.json["managed_versioning"] is False
    assert declared.json["location"].endswith("/d")
    assert said(http.post(table(f"{namespace}$d", "declare"))) == (409, 5)
    seen = http.post(table(f"{namespace}$d", "describe"), {"check_declared": True}).json
    assert (seen["is_only_declared"], seen["properties"]) == (True, {"k": "v"})
    assert "is_only_declared" not in http.post(table(f"{namespace}$d", "describe")).json
    for body, code in [({"version": 1}, 11), ({"tag": "a"}, 8), ({"branch": "b"}, 22)]:
        assert said(http.post(table(f"{namespace}$d", "describe"), body)) == (404, code)
    assert said(http.post(table(f"{namespace}$d", "query"), {"k": 1})) == (409, 19)
    assert http.rows(table(f"{namespace}$d", "insert"), numbers(0, 4)).json["num_inserted_rows"] == 4
    assert http.post(table(f"{namespace}$d", "describe?check_declared=true")).json["is_only_declared"] is False
    assert said(http.post(table(f"{namespace}$d", "declare"))) == (409, 5)


def test_tables_live_in_a_namespace_that_exists(http, bucket):
    assert said(http.rows(table(f"{bucket}$t", "create"), numbers(0, 1))) == (400, 13)
    assert said(http.post(table(f"{bucket}$t", "describe"))) == (404, 4)
    assert said(http.rows(table(f"{bucket}$none$t", "create"), numbers(0, 1))) == (404, 1)
    assert said(http.post(table(f"{bucket}$none$t", "declare"))) == (404, 1)
    assert said(http.rows(table("test-no-such-bucket$a$t", "create"), numbers(0, 1))) == (404, 1)
    assert said(http.post(space("test-no-such-bucket", "exists"))) == (404, 1)


def test_describe(http, words):
    *parent, leaf = words.split("$")
    plain = http.post(table(words, "describe")).json
    assert (plain["table"], plain["namespace"]) == (leaf, parent)
    assert plain["location"].endswith("/main/words")
    assert "version" not in plain and "schema" not in plain and "table_uri" not in plain
    detailed = http.post(table(words, "describe?with_table_uri=true"), {"load_detailed_metadata": True}).json
    assert detailed["version"] == 1
    assert detailed["table_uri"] == detailed["location"] == plain["location"]
    assert [field["name"] for field in detailed["schema"]["fields"]] == ["id", "word", "vec"]
    assert detailed["schema"]["fields"][2]["type"]["length"] == 2
    assert detailed["stats"] == {"num_deleted_rows": 0, "num_fragments": 1}
    assert detailed["is_only_declared"] is False
    remote = http.post(table("words", "describe"), headers={"x-lancedb-database": "$".join(parent)}).json
    assert remote["version"] == 1 and remote["schema"]


def test_versions_and_branches(http, words):
    assert http.rows(table(words, "insert"), vectors()).json["version"] == 2
    assert http.post(table(words, "describe"), {"version": 1}).json["version"] == 1
    assert http.post(table(words, "count_rows"), {"version": 1}).json == 3
    assert http.post(table(words, "query"), {"k": 0, "version": 1}).rows.num_rows == 3
    assert http.post(table(words, "query"), {"k": 0, "branch": "main"}).rows.num_rows == 6
    for operation in ["describe", "count_rows", "query", "exists"]:
        assert said(http.post(table(words, operation), {"k": 0, "version": 99})) == (404, 11), operation
    for operation in ["describe", "count_rows", "query"]:
        assert said(http.post(table(words, operation), {"k": 0, "branch": "none"})) == (404, 22), operation
    assert said(http.post(table(words, "describe"), {"tag": "none"})) == (404, 8)
    assert said(http.rows(table(words, "insert?branch=none"), vectors())) == (404, 22)
    assert http.post(table(words, "count_rows")).json == 6


def test_register_and_deregister(http, words):
    parent = "$".join(words.split("$")[:-1])
    location = http.post(table(words, "describe")).json["location"]
    assert said(http.post(table(f"{parent}$copy", "register"), {"location": location})) == (400, 13)
    gone = http.post(table(words, "deregister"))
    assert (gone.json["id"], gone.json["location"]) == (words.split("$"), location)
    assert said(http.post(table(words, "describe"))) == (404, 4)
    assert http.post(table(f"{parent}$back", "register"), {"location": location}).json["location"] == location
    assert http.post(table(f"{parent}$back", "count_rows")).json == 3
    for bad in ["/etc", "file:///etc/", location + "/../..", location + "*", "s3://elsewhere/t"]:
        assert said(http.post(table(f"{parent}$bad", "register"), {"location": bad})) == (400, 13), bad


def test_drop_removes_the_bytes(http, server, words):
    dropped = http.post(table(words, "drop"))
    assert dropped.json["id"] == words.split("$")
    assert said(http.post(table(words, "exists"))) == (404, 4)
    assert said(http.post(table(words, "drop"))) == (404, 4)
    bucket, name, leaf = words.split("$")
    assert not (server.data / "buckets" / bucket / name / leaf).exists()


def test_rename_stays_in_the_bucket(http, words):
    bucket, name, _ = words.split("$")
    assert said(http.post(table(words, "rename"), {"new_table_name": "a/b"})) == (400, 13)
    moved = {"new_table_name": "w", "new_namespace_id": ["test-elsewhere", "ns"]}
    assert said(http.post(table(words, "rename"), moved)) == (406, 0)
    assert http.post(table(words, "rename"), {"new_table_name": "w"}).json == {}
    assert http.post(table(f"{bucket}${name}$w", "count_rows")).json == 3
    assert said(http.post(table(words, "describe"))) == (404, 4)


def test_storage_options_are_vended_and_never_taken(http, namespace):
    options = quoted(json.dumps({"aws_endpoint": "http://elsewhere"}))
    assert said(http.rows(table(f"{namespace}$t", f"create?storage_options={options}"), numbers(0, 1))) == (400, 13)
    body = {"storage_options": {"aws_endpoint": "http://elsewhere"}}
    assert said(http.post(table(f"{namespace}$t", "declare"), body)) == (400, 13)
    assert http.rows(table(f"{namespace}$t", "create?storage_options=%7B%7D"), numbers(0, 1)).status == 200
    vended = http.post(table(f"{namespace}$t", "describe"), {"vend_credentials": True}).json
    assert vended["storage_options"] == {}
    assert "storage_options" not in http.post(table(f"{namespace}$t", "describe"), {"vend_credentials": False}).json


# Rows in


def test_create_modes(http, namespace):
    path = table(f"{namespace}$t", "create")
    created = http.rows(f"{path}?properties={quoted(json.dumps({'k': 'v'}))}", numbers(0, 3))
    assert (created.json["version"], created.json["properties"]) == (1, {"k": "v"})
    assert said(http.rows(path, numbers(0, 3))) == (409, 5)
    assert http.rows(f"{path}?mode=exist_ok", numbers(0, 9)).status == 200
    assert http.post(table(f"{namespace}$t", "count_rows")).json == 3
    over = http.rows(f"{path}?mode=OVERWRITE", vectors())
    assert over.status == 200 and over.json["version"] == 2
    assert over.json["location"] == created.json["location"]
    assert http.post(table(f"{namespace}$t", "count_rows"), {"version": 1}).json == 3
    assert said(http.rows(f"{path}?mode=sometimes", numbers(0, 3))) == (400, 13)


def test_an_empty_stream_makes_an_empty_table(http, namespace):
    assert http.rows(table(f"{namespace}$t", "create"), numbers(0, 0)).json["version"] == 1
    assert http.post(table(f"{namespace}$t", "count_rows")).json == 0
    assert http.post(table(f"{namespace}$t", "query"), {"k": 0}).rows.schema.names == ["n"]


def test_rows_that_are_not_arrow_or_do_not_fit(http, server, namespace, words):
    bucket, name = namespace.split("$")
    whole = stream(numbers(0, 1000))
    for body in [b"", b"garbage", b"a,b\n1,2\n" * 100, whole[: len(whole) // 2]]:
        assert said(http.rows(table(f"{namespace}$t", "create"), body)) == (400, 13), body[:20]
        assert said(http.rows(table(words, "insert"), body)) == (400, 13), body[:20]
    assert said(http.post(table(f"{namespace}$t", "describe"))) == (404, 4)
    assert [folder.name for folder in (server.data / "buckets" / bucket / name).iterdir()] == ["words"]
    assert said(http.rows(table(words, "insert"), numbers(0, 3))) == (400, 20)
    assert http.post(table(words, "count_rows")).json == 3


def test_insert_overwrites_when_told(http, words):
    over = http.rows(table(words, "insert?mode=Overwrite"), vectors().slice(0, 1))
    assert (over.json["num_inserted_rows"], over.json["version"]) == (1, 2)
    assert http.post(table(words, "count_rows")).json == 1


def test_an_upload_that_breaks_off_leaves_nothing(http, server, namespace):
    bucket, name = namespace.split("$")
    path = table(f"{namespace}$broken", "create")
    rows = pa.concat_tables([numbers(n * 1000, 1000) for n in range(400)])
    body = stream(rows)
    connection = http_connection(server)
    connection.putrequest("POST", path)
    connection.putheader("x-api-key", server.token)
    connection.putheader("content-type", "application/vnd.apache.arrow.stream")
    connection.putheader("content-length", str(len(body)))
    connection.endheaders()
    connection.send(body[: len(body) * 3 // 4])
    folder = server.data / "buckets" / bucket / name
    assert soon(lambda: any(folder.glob("*"))), "nothing was being written"
    assert said(http.post(table(f"{namespace}$broken", "exists"))) == (404, 4)
    connection.sock.shutdown(socket.SHUT_RDWR)
    connection.close()

    # The name is free again, and so is its folder.
    assert soon(lambda: not any(folder.glob("*")))
    assert soon(lambda: http.rows(path, numbers(0, 1)).status == 200)
    assert [found.name for found in folder.iterdir()] == ["broken"]
    assert http.post(table(f"{namespace}$broken", "count_rows")).json == 1


def soon(condition) -> bool:
    """Whether a condition comes true within some seconds."""
    for _ in range(200):
        if condition():
            return True
        time.sleep(0.05)
    return False


def http_connection(server) -> http.client.HTTPConnection:
    return http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)


def test_a_body_over_the_limit_is_refused(http, server, namespace):
    path = table(f"{namespace}$large", "create")
    connection = http_connection(server)
    connection.putrequest("POST", path)
    connection.putheader("x-api-key", server.token)
    connection.putheader("content-length", str((1 << 40)))
    connection.endheaders()
    connection.send(stream(numbers(0, 10)))
    answer = connection.getresponse()
    error = json.loads(answer.read())
    assert (answer.status, error["code"]) == (413, 13)
    assert said(http.post(table(f"{namespace}$large", "exists"))) == (404, 4)


# Rows out


def test_k_and_offset(http, words):
    query = table(words, "query")
    assert http.post(query, {"vector": {}, "k": 0}).rows.num_rows == 3
    assert http.post(query, {"vector": [], "k": 9223372036854775807}).rows.num_rows == 3
    assert http.post(query, {"k": 0, "offset": 1}).rows.num_rows == 2
    assert http.post(query, {"k": 1, "offset": 1}).rows["id"].to_pylist() == [2]
    assert http.post(query, {"k": 0, "offset": 9}).rows.num_rows == 0
    answer = http.post(query, {"k": 2})
    assert answer.headers["content-type"] == "application/vnd.apache.arrow.file"


def test_vectors_in_every_spelling(http, words):
    query = table(words, "query")
    for vector in [[1.0, 0.0], [[1.0, 0.0]], {"single_vector": [1.0, 0.0]}, {"multi_vector": [[1.0, 0.0]]}]:
        answer = http.post(query, {"vector": vector, "k": 1, "vector_column": "vec"})
        assert answer.rows["word"].to_pylist() == ["north"], vector
    both = http.post(query, {"vector": [[1.0, 0.0], [0.0, 1.0]], "k": 1}).rows
    found = dict(zip(both["query_index"].to_pylist(), both["word"].to_pylist()))
    assert found == {0: "north", 1: "east"}
    assert said(http.post(query, {"vector": [1.0], "k": 1})) == (400, 13)
    assert said(http.post(query, {"vector": "x", "k": 1})) == (400, 13)


def test_columns_and_filters(http, words):
    query = table(words, "query")
    for columns in [["word", "id"], {"column_names": ["word", "id"]}]:
        assert http.post(query, {"k": 1, "columns": columns}).rows.schema.names == ["word", "id"]
    for columns in [{"w": "word"}, {"column_aliases": {"w": "word"}}]:
        assert http.post(query, {"k": 1, "columns": columns}).rows.to_pylist() == [{"w": "north"}]
    assert http.post(query, {"k": 0, "filter": "id >= 2"}).rows["id"].to_pylist() == [2, 3]
    assert "_rowid" in http.post(query, {"k": 1, "with_row_id": True}).rows.schema.names
    assert said(http.post(query, {"k": 1, "columns": ["none"]})) == (404, 12)
    for bad in ["id ==== 1", "no_such_column = 1", "id ="]:
        answer = http.post(query, {"k": 1, "filter": bad})
        assert answer.status in (400, 404) and answer.code in (13, 12), answer


def test_large_answers_come_whole(http, namespace):
    rows = pa.concat_tables([numbers(n * 10_000, 10_000) for n in range(100)])
    assert http.rows(table(f"{namespace}$big", "create"), rows).status == 200
    answer = http.post(table(f"{namespace}$big", "query"), {"k": 0})
    assert sorted(answer.rows["n"].to_pylist()) == list(range(1_000_000))


def test_columns_with_dictionaries_and_nesting_survive(http, namespace):
    rows = pa.table({
        "d": pa.array(["a", "b", None, "a"]).dictionary_encode(),
        "s": pa.array([{"x": 1, "y": [1, 2]}, None, {"x": 3, "y": []}, {"x": 4, "y": None}]),
        "t": pa.array([1, 2, 3, None], pa.timestamp("us", "UTC")),
        "b": pa.array([b"\x00", b"", None, b"\xff"]),
    })
    assert http.rows(table(f"{namespace}$rich", "create"), rows).status == 200
    answer = http.post(table(f"{namespace}$rich", "query"), {"k": 0}).rows
    assert answer.to_pylist() == rows.to_pylist()

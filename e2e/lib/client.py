"""What a client does before the browser looks: writes tables, tags and files, with released libraries.

Arguments are a command and what it needs; see the functions. Nothing is printed but what is asked for.
"""

import io
import json
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

import pyarrow as pa

# A column may have any name but one with a dot, which Lance reads as nesting.
HOSTILE = "<img src=x onerror=alert(1)> \u202ea/b%2F#? 表 🐧"


def post(url, token, path, body, kind="application/json"):
    headers = {"x-api-key": token, "content-type": kind}
    request = urllib.request.Request(url + path, data=body, method="POST", headers=headers)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.read()
    except urllib.error.HTTPError as error:
        error.add_note(error.read().decode())
        raise


def cities(rows):
    """Ordinary rows: a number, a text that is missing or empty, and a float with its oddities."""
    oddities = [1.5, float("nan"), -0.0]
    return pa.table({
        "id": pa.array(range(rows), pa.int64()),
        "city": [["Oslo", None, ""][at % 3] for at in range(rows)],
        "price": [oddities[at % 3] for at in range(rows)],
        "place": pa.array([[float(at), 1.0, 0.0, -1.0] for at in range(rows)], pa.list_(pa.float32(), 4)),
    })


def hostile(rows):
    """Every place that takes text holds markup and a direction mark."""
    field = pa.field(HOSTILE, pa.string(), metadata={"comment": HOSTILE, HOSTILE: HOSTILE})
    inner = pa.field("inner", pa.struct([pa.field(HOSTILE, pa.string())]))
    values = [HOSTILE] * rows
    schema = pa.schema([field, inner], metadata={"note": HOSTILE, HOSTILE: HOSTILE})
    return pa.table([pa.array(values), pa.array([{HOSTILE: HOSTILE}] * rows, inner.type)], schema=schema)


def wide(rows):
    """Three hundred columns, some with long names."""
    names = [f"measure_{at}" if at % 10 else f"measure_{at}_{'of_the_long_kind_' * 6}" for at in range(300)]
    return pa.table({name: pa.array([at * 1.25 for at in range(rows)]) for name in names})


def table(url, token, identifier, rows="120", kind="cities"):
    """Makes a table, and the namespace it is in, over the namespace's REST: `bucket$part$name`."""
    parent = identifier.rsplit("$", 1)[0]
    try:
        post(url, token, f"/lance/v1/namespace/{urllib.parse.quote(parent, safe='')}/create", b"{}")
    except urllib.error.HTTPError as error:
        if error.code != 409:
            raise
    made = {"cities": cities, "hostile": hostile, "wide": wide}[kind](int(rows))
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, made.schema) as writer:
        writer.write_table(made)
    path = f"/lance/v1/table/{urllib.parse.quote(identifier, safe='')}/create"
    post(url, token, path, sink.getvalue(), "application/vnd.apache.arrow.stream")


def elsewhere(url, bucket, namespace, name, rows="120"):
    """Makes a table in a namespace server that is not this one: declared there, written where it says."""
    import lance
    import lance_namespace as lns

    server = lns.connect("rest", {"uri": url})
    server.create_namespace(lns.CreateNamespaceRequest(id=[bucket, namespace]))
    declared = server.declare_table(lns.DeclareTableRequest(id=[bucket, namespace, name]))
    keys = {"aws_access_key_id": "any", "aws_secret_access_key": "any"}
    lance.write_dataset(cities(int(rows)), declared.location, storage_options=(declared.storage_options or {}) | keys)


def declare(url, token, identifier):
    """Reserves a table's location and prints it."""
    path = f"/lance/v1/table/{urllib.parse.quote(identifier, safe='')}/declare"
    print(json.loads(post(url, token, path, b"{}"))["location"])


def write(location, rows="5"):
    """Writes a table where it lies, as a client does that asks no server."""
    import lance

    lance.write_dataset(cities(int(rows)), location)


def refer(location, tag, branch):
    """A second version, a tag on the first, and a branch from it with a row of its own."""
    import lance

    dataset = lance.dataset(location)
    first = dataset.version
    dataset.tags.create(tag, first)
    dataset.insert(cities(3))
    made = dataset.create_branch(branch, first)
    made.insert(cities(1))


def append(location, times):
    """So many more versions, a tag on every tenth."""
    import lance

    dataset = lance.dataset(location)
    for at in range(int(times)):
        dataset.insert(cities(1))
        if at % 10 == 0:
            dataset.tags.create(f"nightly-{at:03}", dataset.version)


def files(folder):
    """The same rows as Parquet, as Arrow and as CSV."""
    import pyarrow.csv
    import pyarrow.feather
    import pyarrow.parquet

    plain = cities(30).drop_columns(["place"])
    pyarrow.parquet.write_table(plain, f"{folder}/cities.parquet")
    pyarrow.feather.write_feather(plain, f"{folder}/cities.arrow", compression="uncompressed")
    pyarrow.csv.write_csv(plain, f"{folder}/cities.csv")


def lines(path, rows):
    """A large CSV file."""
    with open(path, "w", encoding="utf-8") as out:
        out.write("id,city,price\n")
        out.writelines(f"{at},town {at % 997},{at / 7:.4f}\n" for at in range(int(rows)))


def s3(port, key, secret):
    from pyarrow import fs

    return fs.S3FileSystem(
        access_key=key, secret_key=secret, endpoint_override=f"127.0.0.1:{port}", scheme="http",
        region="us-east-1", allow_bucket_creation=True, retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=1),
    )


def s3_put(port, key, secret, path, text):
    """Writes one object."""
    with s3(port, key, secret).open_output_stream(path) as out:
        out.write(text.encode())


def s3_bucket(port, key, secret, name):
    """Makes a bucket and waits until it takes objects."""
    for attempt in range(300):
        try:
            s3(port, key, secret).create_dir(name)
            s3_put(port, key, secret, f"{name}/ready", "yes")
            return s3(port, key, secret).delete_file(f"{name}/ready")
        except OSError as error:
            failure = error
            time.sleep(0.1)
    raise SystemExit(f"The store did not become ready: {failure}")


if __name__ == "__main__":
    commands = [table, elsewhere, declare, write, refer, append, files, lines, s3_put, s3_bucket]
    {command.__name__: command for command in commands}[sys.argv[1]](*sys.argv[2:])

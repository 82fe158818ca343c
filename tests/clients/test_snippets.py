"""Runs every Connect snippet as a person would: pasted, with a token in the environment."""

import os
import subprocess
import sys

import pytest
from conftest import vectors

CLIENTS = ["pylance", "lance-namespace", "lancedb", "duckdb", "polars", "curl"]


@pytest.fixture
def snippets(http, namespace):
    bucket, name = namespace.split("$")
    created = http.rows(f"/lance/v1/table/{bucket}%24{name}%24words.v1/create", vectors())
    assert created.status == 200, created
    answer = http.get(f"/api/v1/buckets/{bucket}/namespaces/{name}/tables/words.v1/snippets")
    assert answer.status == 200, answer
    return {snippet["client"]: snippet for snippet in answer.json}


@pytest.mark.parametrize("client", CLIENTS)
def test_it_runs_and_shows_the_table(server, snippets, client, tmp_path):
    snippet = snippets[client]
    command = {"python": [sys.executable, "-"], "bash": ["bash", "-eu"]}[snippet["language"]]
    reader = server.new_token("reader")
    ran = subprocess.run(
        command,
        input=snippet["code"],
        text=True,
        capture_output=True,
        cwd=tmp_path,
        env=os.environ | {"LAKEGLASS_TOKEN": reader},
        timeout=120,
    )
    assert ran.returncode == 0, f"{snippet['code']}\n{ran.stderr}"
    shown = ran.stdout + "".join(path.read_bytes().decode("latin-1") for path in tmp_path.glob("*.arrow"))
    for word in ["north", "east", "both"] if client != "curl" else ["words.v1", "vec", "north"]:
        assert word in shown, ran.stdout


def test_there_is_one_for_each_client(snippets):
    assert sorted(snippets) == sorted(CLIENTS)

"""SeaweedFS as a real S3 store on this machine, with keys, and with an STS whose role makes temporary ones."""

import json
import os
import pathlib
import secrets
import subprocess
import sys
import time

import pytest
from conftest import free_port
from pyarrow import fs

ACCESS_KEY, SECRET_KEY = "lakeglass", "only-for-this-test"
REGION = "us-east-1"

ROLE = "arn:aws:iam::000000000000:role/tables"
# Who may assume the role, and what it allows at most: a session allows what its own policy does as well.
IAM = {
    "sts": {
        "issuer": "lakeglass-tests",
        "signingKey": "bm90LWEtc2VjcmV0LW9ubHktZm9yLXRoZXNlLXRlc3Rz",
        "tokenDuration": "1h",
        "maxSessionLength": "12h",
    },
    "policy": {"defaultEffect": "Deny", "storeType": "memory"},
    "roles": [
        {
            "roleName": "tables",
            "roleArn": ROLE,
            "trustPolicy": {
                "Version": "2012-10-17",
                "Statement": [{"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": ["sts:AssumeRole"]}],
            },
            "attachedPolicies": ["lake"],
        }
    ],
    "policies": [
        {
            "name": "lake",
            "document": {
                "Version": "2012-10-17",
                "Statement": [
                    {"Effect": "Allow", "Action": ["s3:*"], "Resource": ["arn:aws:s3:::lake", "arn:aws:s3:::lake/*"]}
                ],
            },
        }
    ],
}


class Store:
    """A SeaweedFS process with its S3 endpoint."""

    def __init__(self, folder: pathlib.Path):
        self.port = free_port()
        self.endpoint = f"http://127.0.0.1:{self.port}"
        folder.mkdir()
        iam = folder.parent / "iam.json"
        iam.write_text(json.dumps(IAM))
        ports = [f"-s3.port={self.port}", f"-s3.port.grpc={free_port()}", "-s3.port.iceberg=0", "-s3.port.lance=0"]
        for part in ["master", "volume", "filer"]:
            ports += [f"-{part}.port={free_port()}", f"-{part}.port.grpc={free_port()}"]
        command = [
            str(pathlib.Path(sys.executable).parent / "weed"), "server", "-filer", "-s3", f"-dir={folder}",
            "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-master.telemetry=false", "-volume.max=20",
            "-master.volumeSizeLimitMB=64", "-s3.autoCreateBucket=false",
            f"-s3.iam.config={iam}", *ports,
        ]
        keys = {"AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET_KEY}
        self.log = folder.parent / "weed.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, env=os.environ | keys)

    def files(self) -> fs.S3FileSystem:
        return fs.S3FileSystem(
            access_key=ACCESS_KEY,
            secret_key=SECRET_KEY,
            endpoint_override=f"127.0.0.1:{self.port}",
            scheme="http",
            region=REGION,
            allow_bucket_creation=True,
            retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=1),
        )

    def make(self, name: str):
        """Makes an S3 bucket and waits until it takes objects."""
        for _ in range(300):
            try:
                self.files().create_dir(name)
                with self.files().open_output_stream(f"{name}/ready") as out:
                    out.write(b"yes")
                self.files().delete_file(f"{name}/ready")
                return
            except OSError as error:
                failure = error
                time.sleep(0.1)
        pytest.fail(f"SeaweedFS did not become ready: {failure}\n{self.log.read_text()[-2000:]}")

    def names(self, prefix: str) -> list[str]:
        found = self.files().get_file_info(fs.FileSelector(prefix, recursive=True, allow_not_found=True))
        return [info.path for info in found if info.type == fs.FileType.File]

    def stop(self):
        # It has nothing to save, and takes its time to end by itself.
        self.process.kill()
        self.process.wait(20)


def added(http, store: Store, root: str, **more):
    """Adds a storage on the store, and gives the server's answer."""
    body = {
        "name": f"s3-{secrets.token_hex(4)}",
        "kind": "s3",
        "root": root,
        "endpoint": store.endpoint,
        "region": REGION,
        "path_style": True,
        "keys": {"access_key_id": ACCESS_KEY, "secret_access_key": SECRET_KEY},
    }
    return http.post("/api/v1/storages", body | more)

-- Buckets over catalogs that exist elsewhere. Their rows in `namespaces` and `entries` are a mirror of what
-- was last seen there: stable ids for observations, and names to show while the other side is silent.
-- Such a bucket's storage is the one whose keys open its data (else the default one), and its root a place
-- where nothing of ours is ever written. Times are milliseconds since 1970, UTC.

CREATE TABLE connections (
    bucket_id     INTEGER PRIMARY KEY REFERENCES buckets (id) ON DELETE CASCADE,
    -- Upstream: where its REST API is, without a slash at its end. NULL for a directory.
    url           TEXT,
    -- The namespace of theirs that is our bucket: a JSON list of parts.
    parent        TEXT    NOT NULL DEFAULT '[]',
    delimiter     TEXT    NOT NULL DEFAULT '$',
    -- The header that carries the credentials, and its value sealed (see secrets).
    header        TEXT,
    secret        BLOB,
    secret_set_at INTEGER,
    -- The storage named for its data; NULL: none.
    storage_id    INTEGER REFERENCES storages (id),
    -- JSON lists: where vended locations may lead, and by which endpoints.
    roots         TEXT    NOT NULL DEFAULT '[]',
    endpoints     TEXT    NOT NULL DEFAULT '[]',
    -- Clients above viewer may be given the keys that the other side vends.
    vend          INTEGER NOT NULL DEFAULT 0 CHECK (vend IN (0, 1)),
    -- JSON: operations by whether the other side has them.
    support       TEXT    NOT NULL DEFAULT '{}',
    checked_at    INTEGER,
    answered_at   INTEGER,
    error         TEXT,
    created_at    INTEGER NOT NULL
) STRICT;

-- When the names below a path were last listed whole, and which of them cannot be carried here.
CREATE TABLE attached_listings (
    bucket_id INTEGER NOT NULL REFERENCES buckets (id) ON DELETE CASCADE,
    path      TEXT    NOT NULL,
    listed_at INTEGER NOT NULL,
    -- JSON: [{"name", "kind", "reason"}].
    refused   TEXT    NOT NULL DEFAULT '[]',
    PRIMARY KEY (bucket_id, path)
) STRICT;

-- The URI of an attached table, as last described.
ALTER TABLE entries ADD COLUMN remote TEXT;

-- Storages, buckets, namespaces, entries (tables) and open intents.
-- Times are milliseconds since 1970; booleans are 0 or 1; versions are never numbers here.

CREATE TABLE storages (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('local', 's3')),
  -- Absolute folder, or `bucket/prefix` in an object store.
  root TEXT NOT NULL UNIQUE,
  endpoint TEXT,
  client_endpoint TEXT,
  region TEXT,
  path_style INTEGER NOT NULL DEFAULT 0 CHECK (path_style IN (0, 1)),
  -- Sealed; see auth's secrets.
  keys BLOB,
  keys_set_at INTEGER,
  -- Clients with a role above viewer may be given the keys themselves.
  vend_keys INTEGER NOT NULL DEFAULT 0 CHECK (vend_keys IN (0, 1)),
  sts_role TEXT,
  -- The probe saw a second `If-None-Match: *` refused, so that commits are never lost.
  conditional_put INTEGER NOT NULL CHECK (conditional_put IN (0, 1)),
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE buckets (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  -- NULL: unset, accepts any.
  format TEXT,
  backing TEXT NOT NULL CHECK (backing IN ('managed', 'directory', 'upstream')),
  storage_id INTEGER NOT NULL REFERENCES storages (id),
  -- Relative to the storage's root, without a slash at either end.
  root TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'deleting')),
  description TEXT NOT NULL,
  properties TEXT NOT NULL,
  protected INTEGER NOT NULL DEFAULT 0 CHECK (protected IN (0, 1)),
  created_at INTEGER NOT NULL,
  UNIQUE (storage_id, root)
) STRICT;

CREATE TABLE namespaces (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  bucket_id INTEGER NOT NULL REFERENCES buckets (id),
  -- Parts joined by `.`; parts hold no dot.
  path TEXT NOT NULL,
  -- The path without its last part; empty directly below the bucket.
  parent TEXT NOT NULL,
  leaf TEXT NOT NULL,
  properties TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (bucket_id, path),
  UNIQUE (bucket_id, parent, leaf)
) STRICT;

CREATE TABLE entries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  bucket_id INTEGER NOT NULL REFERENCES buckets (id),
  -- NULL only while its bytes are being removed.
  namespace_id INTEGER REFERENCES namespaces (id),
  kind TEXT NOT NULL DEFAULT 'table',
  name TEXT NOT NULL,
  format TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('creating', 'declared', 'created', 'deregistered', 'dropping')),
  -- For a deregistered entry: what it was, and becomes again.
  state_before TEXT CHECK (state_before IN ('declared', 'created')),
  -- Relative to the bucket's root, without a slash at either end.
  location TEXT NOT NULL,
  -- For formats whose catalog names the current metadata.
  metadata_pointer TEXT,
  properties TEXT NOT NULL,
  protected INTEGER NOT NULL DEFAULT 0 CHECK (protected IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  trashed_at INTEGER,
  -- When a declared entry's location was last looked at for a first version.
  probed_at INTEGER NOT NULL DEFAULT 0,
  row_count INTEGER,
  byte_count INTEGER,
  observed_at INTEGER,
  -- When an observation was last tried, whatever came of it.
  looked_at INTEGER NOT NULL DEFAULT 0,
  CHECK (namespace_id IS NOT NULL OR state = 'dropping')
) STRICT;

-- One identifier space; Trash and removals leave the name free.
CREATE UNIQUE INDEX entries_by_name ON entries (namespace_id, name)
  WHERE state IN ('creating', 'declared', 'created');
-- Every state keeps its location: two entries never share bytes.
CREATE UNIQUE INDEX entries_by_location ON entries (bucket_id, location);
CREATE INDEX entries_listed_by_name ON entries (namespace_id, name)
  WHERE state IN ('declared', 'created');
CREATE INDEX entries_to_probe ON entries (namespace_id, probed_at) WHERE state = 'declared';
CREATE INDEX entries_to_probe_anywhere ON entries (probed_at) WHERE state = 'declared';
CREATE INDEX entries_by_namespace ON entries (namespace_id);
CREATE INDEX entries_by_rows ON entries (namespace_id, ifnull(row_count, -1))
  WHERE state IN ('declared', 'created');
CREATE INDEX entries_by_bytes ON entries (namespace_id, ifnull(byte_count, -1))
  WHERE state IN ('declared', 'created');
CREATE INDEX entries_by_created ON entries (namespace_id, created_at)
  WHERE state IN ('declared', 'created');
CREATE INDEX entries_by_updated ON entries (namespace_id, updated_at)
  WHERE state IN ('declared', 'created');
CREATE INDEX entries_by_observed ON entries (namespace_id, ifnull(observed_at, -1))
  WHERE state IN ('declared', 'created');
CREATE INDEX entries_in_trash ON entries (bucket_id, trashed_at) WHERE state = 'deregistered';
CREATE INDEX entries_to_look_at ON entries (looked_at) WHERE state = 'created';
CREATE INDEX entries_totals ON entries (bucket_id, state, row_count, byte_count, observed_at);

-- Changes that touch database and store, written before they begin and removed when they end. At most
-- one per entry, so an intent is also the entry's lock against a second such change.
CREATE TABLE intents (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  bucket_id INTEGER NOT NULL REFERENCES buckets (id),
  -- NULL: the bucket itself.
  entry_id INTEGER UNIQUE REFERENCES entries (id),
  created_at INTEGER NOT NULL
) STRICT;

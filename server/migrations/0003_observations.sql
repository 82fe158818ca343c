-- What describers said of tables, and why the newest look failed. Times are milliseconds since 1970, UTC.
-- Both go with the catalog's entry; a table in Trash keeps them.

CREATE TABLE observations (
    id           INTEGER PRIMARY KEY,
    entry        INTEGER NOT NULL REFERENCES entries (id) ON DELETE CASCADE,
    format       TEXT    NOT NULL,
    version      TEXT,                         -- NULL: the format has no versions
    taken_at_ms  INTEGER NOT NULL,
    observer     TEXT    NOT NULL,
    description  TEXT    NOT NULL,             -- JSON
    fingerprint  TEXT    NOT NULL,             -- of what matters where there is no version: schema and totals
    requests     INTEGER NOT NULL,
    bytes_read   INTEGER NOT NULL,
    elapsed_ms   INTEGER NOT NULL
) STRICT;

CREATE INDEX observations_by_entry ON observations (entry, format, taken_at_ms, id);

CREATE TABLE failed_looks (
    entry    INTEGER PRIMARY KEY REFERENCES entries (id) ON DELETE CASCADE,
    format   TEXT    NOT NULL,
    at_ms    INTEGER NOT NULL,
    observer TEXT    NOT NULL,
    cause    TEXT    NOT NULL
) STRICT;

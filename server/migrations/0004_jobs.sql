-- Long work: jobs, their attempts and their logs. Times are milliseconds since 1970, UTC.

CREATE TABLE jobs (
    id               TEXT    NOT NULL PRIMARY KEY,           -- UUID v7: sorts by time of creation
    kind             TEXT    NOT NULL,
    title            TEXT    NOT NULL,
    object           TEXT    NOT NULL,
    bucket           TEXT,                                   -- whose readers see it; NULL: work on the server
    lane             TEXT    NOT NULL,
    parameters       TEXT    NOT NULL,                       -- JSON object, already clamped
    state            TEXT    NOT NULL CHECK (state IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
    principal        TEXT    NOT NULL,                       -- user:1, token:2, system
    owner            TEXT    NOT NULL,
    role             TEXT    NOT NULL,                       -- the owner's role on the object when it was asked for
    address          TEXT,
    request_id       TEXT    NOT NULL,
    progress_done    INTEGER NOT NULL DEFAULT 0,
    progress_total   INTEGER,
    progress_unit    TEXT    NOT NULL DEFAULT '',
    progress_message TEXT    NOT NULL DEFAULT '',
    cancelled_by     TEXT,                                   -- set when a cancel was asked for
    cause            TEXT,
    tries            INTEGER NOT NULL DEFAULT 0,             -- attempts that count against max_attempts
    max_attempts     INTEGER NOT NULL,
    not_before_ms    INTEGER NOT NULL,
    worker           TEXT,
    attempt          TEXT,                                   -- the attempt that holds the lease
    lease_until_ms   INTEGER,
    created_at_ms    INTEGER NOT NULL,
    started_at_ms    INTEGER,
    ended_at_ms      INTEGER
) STRICT;

CREATE UNIQUE INDEX jobs_one_unfinished ON jobs (kind, object) WHERE state IN ('queued', 'running');
CREATE INDEX jobs_waiting ON jobs (lane, id) WHERE state = 'queued';
CREATE INDEX jobs_leased ON jobs (lease_until_ms) WHERE state = 'running';
CREATE INDEX jobs_by_object ON jobs (object, id);
CREATE INDEX jobs_by_kind ON jobs (kind, id);

CREATE TABLE job_attempts (
    id            TEXT    NOT NULL PRIMARY KEY,
    job           TEXT    NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    number        INTEGER NOT NULL,
    worker        TEXT    NOT NULL,
    started_at_ms INTEGER NOT NULL,
    ended_at_ms   INTEGER,
    cause         TEXT,
    UNIQUE (job, number)
) STRICT;

CREATE TABLE job_log (
    job   TEXT    NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    line  INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    text  TEXT    NOT NULL,
    PRIMARY KEY (job, line)
) STRICT, WITHOUT ROWID;

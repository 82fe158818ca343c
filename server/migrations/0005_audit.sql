-- The audit log: append-only, each record's hash covers the one before it.

CREATE TABLE audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at_ms INTEGER NOT NULL,
  actor_kind TEXT NOT NULL CHECK (actor_kind IN ('user', 'token', 'system', 'anonymous')),
  -- Row of the user or token; 0 for the others.
  actor_id INTEGER NOT NULL,
  actor TEXT NOT NULL,
  address TEXT,
  action TEXT NOT NULL,
  object TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('done', 'refused', 'failed')),
  detail TEXT NOT NULL,
  count INTEGER NOT NULL,
  request_id TEXT NOT NULL,
  hash BLOB NOT NULL
) STRICT;
CREATE INDEX audit_actor ON audit (actor, id);
CREATE INDEX audit_action ON audit (action, id);
CREATE INDEX audit_object ON audit (object, id);

CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit
BEGIN SELECT raise(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit
BEGIN SELECT raise(ABORT, 'the audit log is append-only'); END;

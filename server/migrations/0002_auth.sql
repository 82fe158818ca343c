-- People, grants, sessions, API tokens, the set-up link. Times are milliseconds since 1970, UTC.

CREATE TABLE users (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL COLLATE NOCASE UNIQUE,
  password_hash TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  signed_in_at_ms INTEGER,
  disabled_at_ms INTEGER
) STRICT;

CREATE TABLE tokens (
  id INTEGER PRIMARY KEY,
  public_id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  hash BLOB NOT NULL UNIQUE,
  -- Whose rights bound the token's; none: made on the host.
  owner_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  used_at_ms INTEGER,
  revoked_at_ms INTEGER
) STRICT;
CREATE INDEX tokens_owner ON tokens (owner_id);

-- (principal, scope, role): the scope is one bucket, or the server when scope_bucket is null.
CREATE TABLE grants (
  id INTEGER PRIMARY KEY,
  user_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
  token_id INTEGER REFERENCES tokens (id) ON DELETE CASCADE,
  scope_bucket TEXT,
  role TEXT NOT NULL CHECK (role IN ('viewer', 'reader', 'editor', 'admin')),
  CHECK ((user_id IS NULL) <> (token_id IS NULL))
) STRICT;
CREATE UNIQUE INDEX grants_user ON grants (user_id, ifnull(scope_bucket, '')) WHERE user_id IS NOT NULL;
CREATE UNIQUE INDEX grants_token ON grants (token_id, ifnull(scope_bucket, '')) WHERE token_id IS NOT NULL;
CREATE INDEX grants_bucket ON grants (scope_bucket) WHERE scope_bucket IS NOT NULL;

CREATE TABLE sessions (
  -- SHA-256 of the cookie's value.
  hash BLOB PRIMARY KEY,
  public_id TEXT NOT NULL UNIQUE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at_ms INTEGER NOT NULL,
  active_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  address TEXT,
  agent TEXT NOT NULL,
  -- Shown once on the next page.
  flash TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_user ON sessions (user_id);

CREATE TABLE setup_link (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  hash BLOB NOT NULL,
  expires_at_ms INTEGER NOT NULL
) STRICT;

-- Who may do what: browser sessions, scoped API identities, and the trail of security events.
-- Tokens are stored as SHA-256 in hex only. Instants are epoch milliseconds.

-- A revoked session is deleted; AUTOINCREMENT keeps its id from naming another one later.
CREATE TABLE session (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  token_hash TEXT NOT NULL UNIQUE CHECK (length(token_hash) = 64),
  csrf_hash TEXT NOT NULL CHECK (length(csrf_hash) = 64),
  device_label TEXT,
  auth_method TEXT NOT NULL CHECK (auth_method IN ('local', 'oidc')),
  role TEXT NOT NULL CHECK (role IN ('viewer', 'operator', 'admin')),
  -- SHA-256 of issuer and subject for OIDC; null for the local login.
  subject TEXT,
  created_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX session_expiry ON session (expires_at);

CREATE TABLE api_identity (
  id TEXT NOT NULL PRIMARY KEY,
  token_hash TEXT NOT NULL UNIQUE CHECK (length(token_hash) = 64),
  label TEXT NOT NULL,
  -- JSON array of permission names, sorted.
  permissions TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  last_used_at INTEGER,
  revoked_at INTEGER
) STRICT;

CREATE TABLE audit_event (
  id INTEGER PRIMARY KEY,
  event_id TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  event_type TEXT NOT NULL CHECK (length(event_type) <= 100),
  outcome TEXT NOT NULL CHECK (outcome IN ('success', 'failure')),
  auth_method TEXT,
  actor_hash TEXT,
  principal_hash TEXT,
  request_id TEXT,
  client_ip_hash TEXT,
  http_method TEXT,
  path TEXT CHECK (length(path) <= 300),
  metadata TEXT CHECK (length(CAST(metadata AS BLOB)) <= 4096)
) STRICT;

CREATE INDEX audit_event_time ON audit_event (created_at, id);
CREATE INDEX audit_event_request ON audit_event (request_id) WHERE request_id IS NOT NULL;

CREATE TRIGGER audit_event_no_update BEFORE UPDATE ON audit_event
BEGIN
  SELECT RAISE(ABORT, 'audit events are append-only');
END;

-- Age counts from the newest event, not from the clock of whoever deletes: 180 days.
CREATE TRIGGER audit_event_no_early_delete BEFORE DELETE ON audit_event
WHEN OLD.created_at > (SELECT MAX(created_at) FROM audit_event) - 15552000000
BEGIN
  SELECT RAISE(ABORT, 'audit events are kept for 180 days');
END;

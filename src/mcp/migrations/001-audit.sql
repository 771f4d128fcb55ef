-- Who asked what of the MCP endpoint, under pseudonyms. Rows are written and pruned, never changed.
CREATE TABLE mcp_audit (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  event_id TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  event_type TEXT NOT NULL
    CHECK (event_type IN ('mcp_audit_startup', 'mcp_request', 'mcp_tool_call', 'mcp_rate_limited')),
  outcome TEXT NOT NULL CHECK (outcome IN ('success', 'failure')),
  reason TEXT CHECK (reason IN (
    'unauthorized', 'invalid_token', 'insufficient_scope', 'bad_request', 'not_found', 'method_not_allowed',
    'payload_too_large', 'client_error', 'tool_error', 'global_rate_limit', 'subject_rate_limit',
    'client_rate_limit', 'concurrency_limit', 'request_timeout', 'server_error')),
  subject_hash TEXT,
  client_id_hash TEXT,
  client_ip_hash TEXT,
  tool_name TEXT,
  mcp_method TEXT,
  http_status INTEGER CHECK (http_status BETWEEN 100 AND 599),
  scopes TEXT,
  request_id TEXT,
  duration_ms INTEGER,
  CHECK ((outcome = 'failure') = (reason IS NOT NULL))
) STRICT;

CREATE INDEX mcp_audit_by_time ON mcp_audit (created_at);

CREATE TRIGGER mcp_audit_is_append_only BEFORE UPDATE ON mcp_audit
BEGIN
  SELECT RAISE(ABORT, 'audit rows are never changed');
END;

-- What of the log has been sent to ClickHouse, and what is to be sent. Empty while no sink is configured. Hours are whole
-- hours since the epoch, instants epoch milliseconds.

CREATE TABLE sink_state (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- Address, database and name of the hub: what was sent elsewhere is sent again.
  target TEXT NOT NULL,
  -- Position in flow_change up to which changes are in sink_due; NULL: all hours are compared.
  position INTEGER,
  -- Of the rows that were sent last; the greatest of a row holds, so that it never falls.
  version INTEGER NOT NULL DEFAULT 0,
  -- Number of the latest look at the log.
  look INTEGER NOT NULL DEFAULT 0,
  -- When all hours were compared last.
  swept_at INTEGER,
  last_sent_at INTEGER,
  -- Hours that the retention removed before they were sent.
  lost_hours INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Hours that the server has, by the digest of their rows.
CREATE TABLE sink_hour (
  hour INTEGER PRIMARY KEY,
  rows INTEGER NOT NULL,
  digest BLOB NOT NULL
) STRICT;

CREATE TABLE sink_due (
  hour INTEGER PRIMARY KEY,
  rows INTEGER NOT NULL,
  -- 1: it was sent before and may be the same still.
  is_check INTEGER NOT NULL CHECK (is_check IN (0, 1)),
  -- The look that found it last: it stays due when it changed while it was sent.
  look INTEGER NOT NULL,
  -- The server did not take its rows: not before then.
  not_before INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Threat feeds: of each document when it was asked for, what became of that, and the last good one, packed as it came.
-- Instants are epoch milliseconds.

CREATE TABLE threat_part (
  part TEXT PRIMARY KEY,
  -- Of the stored document; NULL while there is none.
  fetched_at INTEGER,
  etag TEXT,
  last_modified TEXT,
  sha256 TEXT,
  entries INTEGER NOT NULL DEFAULT 0,
  -- Last answer that was as it should be, changed or not.
  checked_at INTEGER,
  attempted_at INTEGER,
  next_at INTEGER NOT NULL DEFAULT 0,
  -- Tries since then that went wrong, and what went wrong last.
  failures INTEGER NOT NULL DEFAULT 0,
  failure TEXT,
  -- SHA-256 of a key that was refused: it is not tried again.
  refused_key TEXT
) STRICT, WITHOUT ROWID;

-- In pieces, so that no write holds the event loop.
CREATE TABLE threat_document (
  part TEXT NOT NULL,
  piece INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (part, piece)
) STRICT, WITHOUT ROWID;

-- Which tables the verdicts of the log were made with.
CREATE TABLE threat_verdicts (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  version TEXT NOT NULL
) STRICT;

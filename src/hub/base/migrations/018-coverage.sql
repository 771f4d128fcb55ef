-- What was observed when, by each router, Agent and threat feed: a row for as long as nothing changed.
CREATE TABLE coverage_subject (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('router', 'agent', 'feed')),
  key TEXT NOT NULL,
  name TEXT NOT NULL,
  -- JSON: sentences about what it cannot see by its nature.
  cannot_see TEXT NOT NULL,
  -- Since when it is not set up any more; null while it is.
  removed_at INTEGER,
  UNIQUE (kind, key)
) STRICT;

CREATE TABLE coverage_span (
  subject INTEGER NOT NULL REFERENCES coverage_subject (id),
  since INTEGER NOT NULL,
  until INTEGER NOT NULL CHECK (until > since),
  -- Milliseconds of it that were observed; 0 is a gap.
  seen INTEGER NOT NULL CHECK (seen BETWEEN 0 AND until - since),
  -- Why it was not observed, or not whole; null when it was.
  reason TEXT,
  reads INTEGER NOT NULL,
  -- Rows that were not understood.
  missed INTEGER NOT NULL,
  CHECK (reason IS NOT NULL OR seen = until - since),
  PRIMARY KEY (subject, since)
) STRICT, WITHOUT ROWID;

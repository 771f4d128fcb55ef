-- What tells a clock that was ahead for a while from one that is behind. Instants are epoch milliseconds.

-- When the clock was looked at last.
CREATE TABLE clock_look (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  at INTEGER NOT NULL
) STRICT;

-- Times at which nobody looked: the hub was off, or the clock was put forward over them.
CREATE TABLE clock_gap (
  from_at INTEGER NOT NULL,
  to_at INTEGER NOT NULL
) STRICT;

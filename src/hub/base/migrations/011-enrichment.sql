-- What is known of a destination beyond the local data, by its source; `until` is when to ask again.
-- A row of nulls: asked, and there is nothing.
CREATE TABLE destination_answer (
  destination_id INTEGER NOT NULL REFERENCES destination (id),
  kind TEXT NOT NULL CHECK (kind IN ('dns', 'ptr', 'rdap', 'geo')),
  at INTEGER NOT NULL,
  until INTEGER NOT NULL,
  host TEXT,
  country TEXT,
  org TEXT,
  lat REAL,
  lon REAL,
  city TEXT,
  PRIMARY KEY (destination_id, kind)
) STRICT, WITHOUT ROWID;

-- Which data the dictionaries were described from: destinations from `next_id` on still wait for this version, none when
-- it is null.
CREATE TABLE enrichment_state (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  version TEXT NOT NULL,
  next_id INTEGER
) STRICT;

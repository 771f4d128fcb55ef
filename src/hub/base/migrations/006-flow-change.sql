-- What the summary is made from faster than by reading rows one by one; all of it can be rebuilt from flow and flow_hour.

-- Which flows each transaction changed, so that whoever keeps flows in memory reads these again.
CREATE TABLE flow_change (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- Ids, 4 bytes each, the lowest first; NULL when any flow may have changed.
  flows BLOB,
  -- Flows named in this row and all before it.
  total INTEGER NOT NULL
) STRICT;

-- Hours that have ended, packed (src/hub/record/connections/store/hour-pack.ts). An hour without a row is read from flow_hour.
CREATE TABLE flow_hour_pack (
  hour INTEGER PRIMARY KEY,
  -- Flow ids and how often each was observed.
  flows BLOB NOT NULL,
  -- First and last sighting of each, in the same order.
  spans BLOB NOT NULL
) STRICT;

-- Where in flow_change each run of the hub began. What was kept outside of this database names a run and a position in the
-- log of changes: it belongs to this database when that run had come so far here.
CREATE TABLE flow_change_run (
  id INTEGER PRIMARY KEY,
  -- Random, so that two databases that were copied from one are told apart.
  token TEXT NOT NULL,
  -- The position of the log of changes when the run began.
  position INTEGER NOT NULL
) STRICT;

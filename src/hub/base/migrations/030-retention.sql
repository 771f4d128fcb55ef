-- What the limit of size has removed: everything before this instant, epoch milliseconds. No row: nothing so far.
CREATE TABLE retention (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  removed_before INTEGER NOT NULL
) STRICT;

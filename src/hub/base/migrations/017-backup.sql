-- Files that belong to the data and are no tables: copied into a generation when it is made, taken out when it is restored.
-- Empty in a database that is in use.
CREATE TABLE generation_document (
  name TEXT NOT NULL PRIMARY KEY CHECK (name IN ('notes', 'settings')),
  content TEXT NOT NULL
) STRICT;

-- Of each document what it lists, as rows: a reload takes them and reads only the text that has changed.

CREATE TABLE threat_rows (
  part TEXT NOT NULL,
  piece INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (part, piece)
) STRICT, WITHOUT ROWID;

-- Which readers made them. Those of another program are rebuilt from the text, which stays.
ALTER TABLE threat_part ADD COLUMN read_by TEXT;

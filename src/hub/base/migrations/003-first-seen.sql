-- When an address was first seen at all. It outlives the flows that told it.

ALTER TABLE source ADD COLUMN first_seen INTEGER;
ALTER TABLE destination ADD COLUMN first_seen INTEGER;
UPDATE source SET first_seen = (SELECT min(first_seen) FROM flow WHERE source_id = source.id);
UPDATE destination SET first_seen = (SELECT min(first_seen) FROM flow WHERE destination_id = destination.id);
CREATE INDEX source_first_seen ON source (first_seen);
CREATE INDEX destination_first_seen ON destination (first_seen);

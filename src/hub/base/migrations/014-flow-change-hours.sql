-- Which hours of the changed flows changed too, so that whoever keeps hours in memory reads only these again.

-- The hour in which each of `flows` may have been seen; NULL when none of their hours changed.
ALTER TABLE flow_change ADD COLUMN hour INTEGER;
-- Other hours: pairs of hour and flow, 4 bytes each number; NULL when there are none.
ALTER TABLE flow_change ADD COLUMN rows BLOB;

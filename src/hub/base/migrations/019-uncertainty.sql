-- How far the first and the last packet may be from first_seen and last_seen, in milliseconds: before (`early`; null: not
-- known) and after (`late`; null: nothing is known, as of flows that are older than these columns).
ALTER TABLE flow ADD COLUMN first_early INTEGER;
ALTER TABLE flow ADD COLUMN first_late INTEGER;
ALTER TABLE flow ADD COLUMN last_early INTEGER;
ALTER TABLE flow ADD COLUMN last_late INTEGER;
-- What the two were taken from: 16 * first + last, numbers of store/uncertainty.ts.
ALTER TABLE flow ADD COLUMN seen_by INTEGER;
-- Routers whose tables showed it when they were last read to the end; null: none does any more.
ALTER TABLE flow ADD COLUMN listed_by INTEGER REFERENCES observer_set (id);

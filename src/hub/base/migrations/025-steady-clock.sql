-- What the clock showed that cannot be set back (src/kernel/time/steady-clock.ts), when the clock was looked at last. What
-- expires is judged by it; NULL: as `at`.
ALTER TABLE clock_look ADD COLUMN steady_at INTEGER;

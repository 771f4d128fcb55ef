-- 1 while the hub expects the alert because the allow list of the threat settings has its destinations.
ALTER TABLE alert ADD COLUMN allowed INTEGER NOT NULL DEFAULT 0 CHECK (allowed IN (0, 1));

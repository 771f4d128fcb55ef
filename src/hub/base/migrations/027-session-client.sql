-- What the list of sessions tells people of a browser: how it named itself, and the address it logged in from. Null: not known.
ALTER TABLE session ADD COLUMN user_agent TEXT;
ALTER TABLE session ADD COLUMN address TEXT;

-- One outbox for every destination: the chat workspace, and those of the settings. Each takes its events in its own order.
-- Instants are epoch milliseconds.

CREATE TABLE outbox_message (
  id INTEGER PRIMARY KEY,
  -- `chat`, or the id of a destination of the settings.
  destination TEXT NOT NULL,
  -- Sent with every try, so that the other side takes the message once.
  client_id TEXT NOT NULL UNIQUE,
  -- The text for the chat workspace; for others the event as JSON, with the facts that were chosen.
  text TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'sent', 'given_up')),
  attempts INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  next_at INTEGER NOT NULL,
  ended_at INTEGER,
  failed_at INTEGER,
  error TEXT
) STRICT;

INSERT INTO outbox_message (id, destination, client_id, text, state, attempts, created_at, next_at, ended_at, failed_at, error)
  SELECT id, 'chat', client_id, text, state, attempts, created_at, next_at, ended_at, failed_at, error FROM chat_message;

CREATE TABLE outbox_event (
  id INTEGER PRIMARY KEY,
  destination TEXT NOT NULL,
  key TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- Everything but the key as JSON.
  content TEXT NOT NULL,
  -- The message that tells it; null while it waits.
  message_id INTEGER REFERENCES outbox_message (id),
  -- When it was given up before any message told it.
  withdrawn_at INTEGER,
  UNIQUE (destination, key)
) STRICT;

INSERT INTO outbox_event (id, destination, key, created_at, content, message_id, withdrawn_at)
  SELECT id, 'chat', key, created_at, content, message_id, withdrawn_at FROM chat_alert;

DROP TABLE chat_alert;
DROP TABLE chat_message;

CREATE INDEX outbox_message_open ON outbox_message (destination, id) WHERE state = 'open';
CREATE INDEX outbox_message_created ON outbox_message (destination, created_at);
CREATE INDEX outbox_message_ended ON outbox_message (destination, state, ended_at);
CREATE INDEX outbox_message_failed ON outbox_message (destination, failed_at) WHERE failed_at IS NOT NULL;
CREATE INDEX outbox_event_waiting ON outbox_event (destination, id) WHERE message_id IS NULL AND withdrawn_at IS NULL;
CREATE INDEX outbox_event_message ON outbox_event (message_id) WHERE message_id IS NOT NULL;

-- Routers that cannot be read, of which people were told; `network`: none can.
CREATE TABLE router_outage (
  subject TEXT PRIMARY KEY,
  -- The event that told it.
  key TEXT NOT NULL
) STRICT, WITHOUT ROWID;

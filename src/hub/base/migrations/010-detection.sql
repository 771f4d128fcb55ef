-- What was detected, what of it is told to the chat workspace, and what regular contacts are looked for in.
-- Instants are epoch milliseconds.

-- Words as they were known when it was detected.
CREATE TABLE detection (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  type TEXT NOT NULL CHECK (type IN ('threat', 'new_device', 'beacon')),
  detected_at INTEGER NOT NULL,
  src TEXT,
  src_mac TEXT,
  src_vendor TEXT,
  src_mdns_name TEXT,
  src_dns_name TEXT,
  dst TEXT,
  dst_host TEXT,
  dport INTEGER,
  proto TEXT,
  country TEXT,
  city TEXT,
  org TEXT,
  threat_source TEXT,
  threat_tag TEXT,
  threat_confidence TEXT,
  interval_ms INTEGER,
  obs_count INTEGER,
  -- Names the chat alert about it; null when none was made.
  chat_key TEXT UNIQUE,
  chat_sent INTEGER NOT NULL DEFAULT 0 CHECK (chat_sent IN (0, 1))
) STRICT;

CREATE INDEX detection_time ON detection (detected_at, id);

-- When something was told last: the same is not told again before its time is over.
CREATE TABLE detection_told (
  type TEXT NOT NULL,
  device TEXT NOT NULL,
  dst TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (type, device, dst)
) STRICT, WITHOUT ROWID;

-- One message to the chat workspace; at most one is open, and the alerts behind it wait.
CREATE TABLE chat_message (
  id INTEGER PRIMARY KEY,
  -- Sent with every try, so that the workspace takes the message once.
  client_id TEXT NOT NULL UNIQUE,
  text TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'sent', 'given_up')),
  attempts INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  next_at INTEGER NOT NULL,
  ended_at INTEGER,
  failed_at INTEGER,
  error TEXT
) STRICT;

CREATE UNIQUE INDEX chat_message_open ON chat_message (state) WHERE state = 'open';
CREATE INDEX chat_message_created ON chat_message (created_at);

CREATE TABLE chat_alert (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  -- Title, facts and body as JSON.
  content TEXT NOT NULL,
  -- The message that tells it; null while it waits.
  message_id INTEGER REFERENCES chat_message (id),
  -- When it was given up before any message told it.
  withdrawn_at INTEGER
) STRICT;

CREATE INDEX chat_alert_waiting ON chat_alert (id) WHERE message_id IS NULL AND withdrawn_at IS NULL;
CREATE INDEX chat_alert_message ON chat_alert (message_id) WHERE message_id IS NOT NULL;

-- When sessions of flows began that come again, in slots of six hours: little-endian 16-bit words, twice the second
-- within the slot, plus 1 when it is exact. The first session of a flow is not in here: `flow.first_seen` tells it.
CREATE TABLE session_start (
  slot INTEGER NOT NULL,
  flow_id INTEGER NOT NULL,
  starts BLOB NOT NULL,
  PRIMARY KEY (slot, flow_id)
) STRICT, WITHOUT ROWID;

-- Addresses and not ids: a dismissal outlives the flow.
CREATE TABLE beacon (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  src TEXT NOT NULL,
  dst TEXT NOT NULL,
  dport INTEGER NOT NULL,
  proto TEXT NOT NULL,
  interval_ms INTEGER NOT NULL,
  cov REAL NOT NULL,
  score REAL NOT NULL,
  obs_count INTEGER NOT NULL,
  first_seen INTEGER NOT NULL,
  last_seen INTEGER NOT NULL,
  detected_at INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('candidate', 'dismissed')),
  benign TEXT CHECK (benign IN ('time_service', 'domain', 'organisation')),
  UNIQUE (src, dst, dport, proto)
) STRICT;

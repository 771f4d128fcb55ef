-- Retro-matches: flows that ran before the hub knew their destination as listed. Instants are epoch milliseconds.

-- The documents of the feeds that all verdicts of the log agree with, and when their publishers confirmed them last.
-- Unlike threat_part, it stays what it was until the log has been judged by the documents that follow.
CREATE TABLE threat_agreed (
  part TEXT PRIMARY KEY,
  sha256 TEXT,
  fetched_at INTEGER NOT NULL,
  checked_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO threat_agreed (part, sha256, fetched_at, checked_at)
  SELECT part, sha256, fetched_at, coalesce(checked_at, fetched_at) FROM threat_part
  WHERE fetched_at IS NOT NULL AND EXISTS (SELECT 1 FROM threat_verdicts WHERE version <> 'under way');

-- Flows that a change of the lists made more severe, until they are safe again or deleted.
CREATE TABLE retro_match (
  flow_id INTEGER PRIMARY KEY REFERENCES flow (id) ON DELETE CASCADE,
  -- Those of the flow.
  source_id INTEGER NOT NULL,
  destination_id INTEGER NOT NULL,
  feed TEXT NOT NULL,
  cause TEXT NOT NULL CHECK (cause IN ('list', 'feed_added', 'settings')),
  -- When the publisher confirmed the earlier list last; null: none was in use.
  previous_at INTEGER,
  listed_at INTEGER NOT NULL,
  -- 1 until the card of its device and destination is made.
  pending INTEGER NOT NULL DEFAULT 1 CHECK (pending IN (0, 1))
) STRICT;

CREATE INDEX retro_match_pending ON retro_match (source_id, destination_id) WHERE pending = 1;

-- The log of detections gets a type and a column. A column cannot be added to a CHECK: the table is rebuilt.
CREATE TABLE detection_with_retro (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  type TEXT NOT NULL CHECK (type IN ('threat', 'new_device', 'beacon', 'retro_match')),
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
  chat_sent INTEGER NOT NULL DEFAULT 0 CHECK (chat_sent IN (0, 1)),
  -- Of retro-matches: flows, times and the change of the lists, as JSON of the contract.
  retro TEXT CHECK ((retro IS NOT NULL) = (type = 'retro_match'))
) STRICT;

INSERT INTO detection_with_retro SELECT *, NULL FROM detection;
-- The ids of deleted rows are not used again.
DELETE FROM sqlite_sequence WHERE name = 'detection_with_retro';
INSERT INTO sqlite_sequence (name, seq) SELECT 'detection_with_retro', seq FROM sqlite_sequence WHERE name = 'detection';
DROP TABLE detection;
ALTER TABLE detection_with_retro RENAME TO detection;
CREATE INDEX detection_time ON detection (detected_at, id);

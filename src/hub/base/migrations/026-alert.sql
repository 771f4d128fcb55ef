-- Detections by cause, with a state that people work off, and the rules that keep them quiet. Instants are epoch milliseconds.

CREATE TABLE alert (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- Kind, destination and device, as far as they tell causes apart.
  cause TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('threat', 'new_device', 'beacon', 'retro_match')),
  -- Name of the destination, or its address and port.
  target TEXT,
  -- Of kinds with one alert per device: its MAC address, or its address.
  device TEXT,
  -- 0: info, 1: warn, 2: danger.
  level INTEGER NOT NULL CHECK (level IN (0, 1, 2)),
  state TEXT NOT NULL CHECK (state IN ('open', 'acknowledged', 'resolved')),
  -- What active rules make of it while `quiet_until` lies ahead; NULL: for good.
  quiet TEXT CHECK (quiet IN ('muted', 'expected')),
  quiet_until INTEGER,
  note TEXT,
  -- When the state or what rules make of it changed last.
  state_at INTEGER NOT NULL,
  -- When it was open last; NULL: it is open, or never was.
  opened_until INTEGER,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL
) STRICT;

CREATE INDEX alert_last ON alert (last_at, id);

CREATE TABLE alert_rule (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  effect TEXT NOT NULL CHECK (effect IN ('mute', 'expect')),
  scope TEXT NOT NULL CHECK (scope IN ('alert', 'device', 'network')),
  kind TEXT,
  target TEXT,
  device TEXT,
  until INTEGER,
  reason TEXT,
  alert_id INTEGER REFERENCES alert (id) ON DELETE SET NULL,
  actor TEXT,
  created_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT;

CREATE TABLE alert_event (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  alert_id INTEGER NOT NULL REFERENCES alert (id) ON DELETE CASCADE,
  at INTEGER NOT NULL,
  actor TEXT,
  action TEXT NOT NULL,
  note TEXT,
  until INTEGER,
  rule_id INTEGER REFERENCES alert_rule (id) ON DELETE SET NULL,
  -- Of the alert before it.
  state_before TEXT NOT NULL,
  note_before TEXT,
  undone_at INTEGER
) STRICT;

CREATE INDEX alert_event_alert ON alert_event (alert_id, id);

ALTER TABLE detection ADD COLUMN alert_id INTEGER REFERENCES alert (id) ON DELETE SET NULL;

-- Alerts of the detections so far. New devices, and what was seen last more than a week before the newest detection, begin
-- as resolved: nobody waits for them.
INSERT INTO alert (cause, kind, target, device, level, state, state_at, first_at, last_at)
  SELECT cause, type, target, device, max(level),
    CASE WHEN type <> 'new_device' AND max(detected_at) >= (SELECT max(detected_at) FROM detection) - 604800000
      THEN 'open' ELSE 'resolved' END,
    max(detected_at), min(detected_at), max(detected_at)
  FROM (
    SELECT type, detected_at, target, CASE WHEN type IN ('new_device', 'beacon') THEN mac END AS device,
      concat_ws('|', type, target, CASE WHEN type IN ('new_device', 'beacon') THEN mac END) AS cause,
      CASE WHEN threat_confidence = 'high' THEN 2 WHEN type = 'new_device' THEN 0 ELSE 1 END AS level
    FROM (SELECT *, lower(coalesce(dst_host, dst || ' ' || dport)) AS target, coalesce(src_mac, src, '') AS mac FROM detection)
  ) GROUP BY cause;

UPDATE detection SET alert_id = (
  SELECT id FROM alert WHERE cause = concat_ws('|', detection.type, lower(coalesce(dst_host, dst || ' ' || dport)),
    CASE WHEN detection.type IN ('new_device', 'beacon') THEN coalesce(src_mac, src, '') END));

CREATE INDEX detection_alert ON detection (alert_id, detected_at, id);

-- An alert goes with its last detection: retention needs to know nothing of alerts.
CREATE TRIGGER detection_last_of_alert AFTER DELETE ON detection
WHEN old.alert_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM detection WHERE alert_id = old.alert_id)
BEGIN
  DELETE FROM alert WHERE id = old.alert_id;
END;

-- A dismissed beacon is expected, and back.
INSERT INTO alert_rule (effect, scope, kind, target, device, alert_id, created_at)
  SELECT DISTINCT 'expect', 'alert', 'beacon', a.target, a.device, a.id, a.last_at
  FROM beacon b JOIN detection l ON l.type = 'beacon' AND l.src = b.src AND l.dst = b.dst AND l.dport = b.dport AND l.proto = b.proto
    JOIN alert a ON a.id = l.alert_id
  WHERE b.status = 'dismissed';
UPDATE alert SET quiet = 'expected' WHERE id IN (SELECT alert_id FROM alert_rule);

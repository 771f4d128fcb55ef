-- A verdict belongs to the flow: a feed lists an address with a port, and the same address on another port is another
-- matter. Equal verdicts share a row; a flow without one is safe.

CREATE TABLE threat (
  id INTEGER PRIMARY KEY,
  -- 1 warn, 2 danger.
  level INTEGER NOT NULL CHECK (level IN (1, 2)),
  confidence TEXT NOT NULL CHECK (confidence IN ('low', 'high')),
  source TEXT NOT NULL CHECK (source IN ('feed_c2', 'feed_ioc', 'feed_url', 'feed_drop')),
  tag TEXT CHECK (tag <> ''),
  match_type TEXT NOT NULL CHECK (match_type IN ('ip', 'domain', 'cidr')),
  match_value TEXT NOT NULL,
  port INTEGER CHECK (port BETWEEN 0 AND 65535),
  url TEXT CHECK (url <> '')
) STRICT;

-- NULLs would not be equal to each other.
CREATE UNIQUE INDEX threat_verdict ON threat (
  match_value, level, confidence, source, match_type, coalesce(tag, ''), coalesce(port, -1), coalesce(url, '')
);

INSERT INTO threat (level, confidence, source, tag, match_type, match_value, port, url)
SELECT DISTINCT threat_level, threat_confidence, threat_source, nullif(threat_tag, ''), threat_match_type,
  threat_match_value, threat_port, nullif(threat_url, '')
FROM destination WHERE threat_level > 0;

ALTER TABLE flow ADD COLUMN threat_id INTEGER REFERENCES threat (id);
UPDATE flow SET threat_id = (
  SELECT t.id FROM destination d JOIN threat t ON t.match_value = d.threat_match_value AND t.level = d.threat_level
    AND t.confidence = d.threat_confidence AND t.source = d.threat_source AND t.match_type = d.threat_match_type
    AND t.tag IS nullif(d.threat_tag, '') AND t.port IS d.threat_port AND t.url IS nullif(d.threat_url, '')
  WHERE d.id = flow.destination_id
) WHERE destination_id IN (SELECT id FROM destination WHERE threat_level > 0);

-- A column that a CHECK of its table names cannot be dropped: the table is written anew.
CREATE TABLE destination_without_threat (
  id INTEGER PRIMARY KEY,
  address TEXT NOT NULL UNIQUE,
  host TEXT,
  country TEXT,
  org TEXT,
  lat REAL,
  lon REAL,
  city TEXT,
  first_seen INTEGER
) STRICT;
INSERT INTO destination_without_threat
SELECT id, address, host, country, org, lat, lon, city, first_seen FROM destination ORDER BY id;
DROP TABLE destination;
ALTER TABLE destination_without_threat RENAME TO destination;
CREATE INDEX destination_first_seen ON destination (first_seen);
CREATE INDEX destination_host ON destination (host, address);
CREATE INDEX destination_country ON destination (country);
CREATE INDEX destination_org ON destination (org);

DROP INDEX flow_seen;
CREATE INDEX flow_seen ON flow (
  last_seen, first_seen, destination_id, source_id, dport, proto, observer_set_id, ttl, threat_id
);
-- Flows that are not safe are few: their index holds all that filters ask for.
CREATE INDEX flow_threat ON flow (
  threat_id, last_seen, first_seen, destination_id, source_id, dport, proto, observer_set_id
) WHERE threat_id IS NOT NULL;

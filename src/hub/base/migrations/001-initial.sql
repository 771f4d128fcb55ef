-- The connection log: words once in dictionaries, a flow once as integers, its history in hourly buckets.
-- Instants are epoch milliseconds; an hour is the number of whole hours since the epoch.

CREATE TABLE source (
  id INTEGER PRIMARY KEY,
  address TEXT NOT NULL UNIQUE,
  mac TEXT,
  vendor TEXT,
  dns_name TEXT,
  mdns_name TEXT,
  device_id TEXT
) STRICT;

CREATE INDEX source_mac ON source (mac) WHERE mac IS NOT NULL;

CREATE TABLE destination (
  id INTEGER PRIMARY KEY,
  address TEXT NOT NULL UNIQUE,
  host TEXT,
  country TEXT,
  org TEXT,
  lat REAL,
  lon REAL,
  city TEXT,
  -- 0 safe, 1 warn, 2 danger; the other threat columns are filled exactly when it is not 0.
  threat_level INTEGER NOT NULL DEFAULT 0 CHECK (threat_level BETWEEN 0 AND 2),
  threat_confidence TEXT CHECK (threat_confidence IN ('low', 'high')),
  threat_source TEXT CHECK (threat_source IN ('feed_c2', 'feed_ioc', 'feed_url', 'feed_drop')),
  threat_tag TEXT,
  threat_match_type TEXT CHECK (threat_match_type IN ('ip', 'domain', 'cidr')),
  threat_match_value TEXT,
  threat_port INTEGER,
  threat_url TEXT,
  CHECK (
    threat_level = 0
    OR (
      threat_confidence IS NOT NULL
      AND threat_source IS NOT NULL
      AND threat_match_type IS NOT NULL
      AND threat_match_value IS NOT NULL
    )
  )
) STRICT;

CREATE INDEX destination_threat ON destination (threat_level) WHERE threat_level > 0;

CREATE TABLE observer (
  id INTEGER PRIMARY KEY,
  router_id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('vendor_a', 'vendor_b', 'agent')),
  -- Last known display name: history keeps it after the router is deleted.
  name TEXT
) STRICT;

-- `members` is canonical: observer ids ascending, joined by commas. A flow names its whole set with one integer.
CREATE TABLE observer_set (
  id INTEGER PRIMARY KEY,
  members TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE flow (
  id INTEGER PRIMARY KEY,
  source_id INTEGER NOT NULL REFERENCES source (id),
  destination_id INTEGER NOT NULL REFERENCES destination (id),
  dport INTEGER NOT NULL CHECK (dport BETWEEN 0 AND 65535),
  proto TEXT NOT NULL,
  sport INTEGER CHECK (sport BETWEEN 0 AND 65535),
  ttl INTEGER,
  first_seen INTEGER NOT NULL,
  last_seen INTEGER NOT NULL CHECK (last_seen >= first_seen),
  observer_set_id INTEGER NOT NULL REFERENCES observer_set (id),
  agent_host TEXT,
  process TEXT,
  pid INTEGER,
  -- Decimal text: sums of unsigned 64-bit counters do not fit an INTEGER.
  bytes_in TEXT,
  bytes_out TEXT,
  UNIQUE (source_id, destination_id, dport, proto)
) STRICT;

-- Covers the count of a window and streams the default order.
CREATE INDEX flow_seen ON flow (last_seen, first_seen);
CREATE INDEX flow_destination ON flow (destination_id);

-- No foreign key: a check of `flow` would have to find its buckets, and the key begins with the hour.
CREATE TABLE flow_hour (
  hour INTEGER NOT NULL,
  flow_id INTEGER NOT NULL,
  -- Batches that showed traffic in this hour; 0 when only the start of the flow is known to lie in it.
  observations INTEGER NOT NULL,
  first INTEGER NOT NULL,
  last INTEGER NOT NULL CHECK (last >= first),
  bytes INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (hour, flow_id)
) STRICT, WITHOUT ROWID;

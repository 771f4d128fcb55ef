-- Who is on the LAN: a device, its interfaces, and who held an address when. Three things, because addresses change hands,
-- machines have several interfaces, and some make up a new MAC every day. Instants are epoch milliseconds.

CREATE TABLE device (
  id INTEGER PRIMARY KEY,
  device_id TEXT NOT NULL UNIQUE,
  -- The device this one is shown as: itself, or the end of its chain of merges.
  root INTEGER NOT NULL,
  first_seen INTEGER NOT NULL,
  last_seen INTEGER NOT NULL CHECK (last_seen >= first_seen),
  -- Set of bits, in the order of `deviceSources` of the contract.
  sources INTEGER NOT NULL DEFAULT 0,
  -- As shown: its own, else of what was merged into it.
  dns_name TEXT,
  mdns_name TEXT,
  netbios_name TEXT,
  archived_at INTEGER,
  -- A merge is this pointer and nothing else: whatever belongs to a device stays its own, so that undoing loses nothing.
  merged_into INTEGER REFERENCES device (id),
  -- A note was written for the whole since the merge: the note of this device is not added to it.
  note_covered INTEGER NOT NULL DEFAULT 0 CHECK (note_covered IN (0, 1)),
  CHECK (merged_into IS NULL OR (archived_at IS NOT NULL AND merged_into <> id))
) STRICT;

CREATE INDEX device_root ON device (root);
CREATE INDEX device_merged ON device (merged_into) WHERE merged_into IS NOT NULL;

CREATE TABLE interface (
  id INTEGER PRIMARY KEY,
  mac TEXT NOT NULL UNIQUE,
  -- The device it was first seen as, for good. A MAC that several machines use belongs to none.
  device INTEGER REFERENCES device (id),
  kind TEXT NOT NULL CHECK (kind IN ('stable', 'private', 'virtual', 'shared')),
  vendor TEXT,
  dhcp_name TEXT,
  client_id TEXT,
  mesh_name TEXT,
  mdns_name TEXT,
  netbios_name TEXT,
  wifi_node TEXT,
  wifi_band TEXT CHECK (wifi_band IN ('2.4', '5', '6')),
  wifi_signal INTEGER,
  first_seen INTEGER NOT NULL,
  last_seen INTEGER NOT NULL CHECK (last_seen >= first_seen),
  CHECK (device IS NOT NULL OR kind = 'shared')
) STRICT;

CREATE INDEX interface_device ON interface (device);

-- One row per address and holder; who comes back after another gets a new one.
CREATE TABLE lease (
  id INTEGER PRIMARY KEY,
  address TEXT NOT NULL,
  family INTEGER NOT NULL CHECK (family IN (4, 6)),
  device INTEGER NOT NULL REFERENCES device (id),
  -- As the neighbour table showed it; null while no table has.
  mac TEXT,
  -- What a resolver or a log called the address.
  name TEXT,
  -- The router that said so last: it alone ends what it said. The same address may be in use behind another router.
  observer_id TEXT NOT NULL,
  since INTEGER NOT NULL,
  last_seen INTEGER NOT NULL,
  -- When another one took the address; null while it is held.
  until INTEGER
) STRICT;

CREATE INDEX lease_address ON lease (address, since);
CREATE INDEX lease_mac ON lease (mac) WHERE mac IS NOT NULL;
CREATE INDEX lease_device ON lease (device, family, last_seen);

CREATE TABLE device_observer (
  device INTEGER NOT NULL REFERENCES device (id),
  observer_id TEXT NOT NULL,
  PRIMARY KEY (device, observer_id)
) STRICT, WITHOUT ROWID;

-- An Agent knows its own interfaces: all of them are one device.
CREATE TABLE device_agent (
  agent_id TEXT NOT NULL PRIMARY KEY,
  device INTEGER NOT NULL REFERENCES device (id)
) STRICT, WITHOUT ROWID;

CREATE TABLE merge_candidate (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- Of the two, the one whose `device_id` is the smaller text.
  a INTEGER NOT NULL REFERENCES device (id),
  b INTEGER NOT NULL REFERENCES device (id),
  score REAL NOT NULL,
  -- JSON arrays of sentences.
  reasons TEXT NOT NULL,
  counter_reasons TEXT NOT NULL,
  -- Polls in which both showed traffic from different addresses of one subnet.
  together INTEGER NOT NULL DEFAULT 0,
  status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'approved', 'rejected')),
  created_at INTEGER NOT NULL,
  resolved_at INTEGER,
  UNIQUE (a, b)
) STRICT;

-- Every merge that was made, and whether it was undone.
CREATE TABLE device_merge (
  id INTEGER PRIMARY KEY,
  keep INTEGER NOT NULL REFERENCES device (id),
  dropped INTEGER NOT NULL REFERENCES device (id),
  merged_at INTEGER NOT NULL,
  -- The candidate it approved; null when it was pending for nobody.
  candidate INTEGER REFERENCES merge_candidate (id),
  undone_at INTEGER
) STRICT;

CREATE INDEX device_merge_dropped ON device_merge (dropped) WHERE undone_at IS NULL;

-- Since when a source belongs to whom its words describe; null: since ever.
ALTER TABLE source ADD COLUMN held_since INTEGER;

-- Who held an address, with the words of today: what flows are described by that were last seen before that.
CREATE VIEW source_past AS
SELECT l.address, l.since, l.until, l.mac, i.vendor, r.dns_name, r.mdns_name, r.device_id
FROM lease l
JOIN device d ON d.id = l.device
JOIN device r ON r.id = d.root
LEFT JOIN interface i ON i.mac = l.mac;

-- Endpoint Agents: enrolment, credentials, what they delivered, and the router sessions that are compared with it.
-- Instants are epoch milliseconds. Hashes are HMAC-SHA-256 with the pepper of the hub, lower-case hex.

CREATE TABLE agent (
  id INTEGER PRIMARY KEY,
  agent_id TEXT NOT NULL UNIQUE,
  platform TEXT NOT NULL CHECK (platform IN ('macos', 'windows', 'linux')),
  host_name TEXT NOT NULL CHECK (length(host_name) BETWEEN 1 AND 255),
  os_version TEXT NOT NULL CHECK (length(os_version) BETWEEN 1 AND 64),
  agent_version TEXT NOT NULL CHECK (length(agent_version) BETWEEN 1 AND 64),
  -- Of the bearer; NULL until it is collected.
  token_hash TEXT UNIQUE,
  -- Of the bearer before, while the new one has not been used; rotated_at is set with it.
  previous_hash TEXT UNIQUE,
  rotated_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  last_seen_at INTEGER,
  revoked_at INTEGER,
  -- How far its clock was ahead of the hub's at the latest batch.
  skew_ms INTEGER,
  -- Its batches up to this one are recorded as flows.
  recorded_batch INTEGER NOT NULL DEFAULT 0,
  CHECK ((previous_hash IS NULL) = (rotated_at IS NULL))
) STRICT;

CREATE TABLE agent_code (
  id INTEGER PRIMARY KEY,
  code_hash TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  failures INTEGER NOT NULL DEFAULT 0 CHECK (failures BETWEEN 0 AND 5),
  burned_at INTEGER,
  used_at INTEGER
) STRICT;

CREATE TABLE agent_request (
  id INTEGER PRIMARY KEY,
  request_id TEXT NOT NULL UNIQUE,
  claim_hash TEXT NOT NULL,
  platform TEXT NOT NULL CHECK (platform IN ('macos', 'windows', 'linux')),
  host_name TEXT NOT NULL CHECK (length(host_name) BETWEEN 1 AND 255),
  os_version TEXT NOT NULL CHECK (length(os_version) BETWEEN 1 AND 64),
  agent_version TEXT NOT NULL CHECK (length(agent_version) BETWEEN 1 AND 64),
  -- Of the address it came from.
  address_hash TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'rejected', 'expired')),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  -- Set by the approval; the bearer is to be collected until then.
  collect_until INTEGER,
  agent INTEGER REFERENCES agent (id),
  claimed_at INTEGER,
  CHECK ((status = 'approved') <= (agent IS NOT NULL))
) STRICT;

CREATE TABLE agent_batch (
  id INTEGER PRIMARY KEY,
  agent INTEGER NOT NULL REFERENCES agent (id),
  batch_id TEXT NOT NULL,
  -- SHA-256 of what was delivered.
  content BLOB NOT NULL CHECK (length(content) = 32),
  accepted INTEGER NOT NULL,
  duplicate INTEGER NOT NULL,
  sent_at INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  UNIQUE (agent, batch_id)
) STRICT;

CREATE INDEX agent_batch_agent ON agent_batch (agent);

CREATE TABLE agent_observation (
  batch INTEGER NOT NULL,
  -- In the batch, from 0.
  place INTEGER NOT NULL,
  agent INTEGER NOT NULL,
  -- UUID, 16 bytes.
  observation_id BLOB NOT NULL CHECK (length(observation_id) = 16),
  proto TEXT NOT NULL CHECK (proto IN ('TCP', 'UDP')),
  local_address TEXT NOT NULL CHECK (length(local_address) BETWEEN 2 AND 45),
  local_port INTEGER NOT NULL CHECK (local_port BETWEEN 0 AND 65535),
  remote_address TEXT NOT NULL CHECK (length(remote_address) BETWEEN 2 AND 45),
  remote_port INTEGER NOT NULL CHECK (remote_port BETWEEN 1 AND 65535),
  process_id INTEGER NOT NULL CHECK (process_id BETWEEN 0 AND 2147483647),
  process TEXT NOT NULL CHECK (length(process) BETWEEN 1 AND 256),
  bundle_id TEXT CHECK (length(bundle_id) BETWEEN 1 AND 255),
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL CHECK (last_at >= first_at),
  -- Decimal text: unsigned 64-bit counters do not fit an INTEGER.
  bytes_in TEXT CHECK (bytes_in NOT GLOB '*[^0-9]*' AND length(bytes_in) BETWEEN 1 AND 20),
  bytes_out TEXT CHECK (bytes_out NOT GLOB '*[^0-9]*' AND length(bytes_out) BETWEEN 1 AND 20),
  collector TEXT NOT NULL,
  confidence TEXT NOT NULL CHECK (confidence IN ('exact', 'sampled')),
  PRIMARY KEY (batch, place)
) STRICT, WITHOUT ROWID;

-- An observation is stored once, in whichever batch it comes.
CREATE UNIQUE INDEX agent_observation_id ON agent_observation (observation_id, agent);

-- Addresses of machines with an Agent: what routers see of these is stored session by session.
CREATE TABLE agent_address (
  address TEXT NOT NULL,
  agent INTEGER NOT NULL REFERENCES agent (id),
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (address, agent)
) STRICT, WITHOUT ROWID;

CREATE TABLE router_session (
  observer INTEGER NOT NULL REFERENCES observer (id),
  src TEXT NOT NULL,
  sport INTEGER NOT NULL,
  dst TEXT NOT NULL,
  dport INTEGER NOT NULL,
  proto TEXT NOT NULL,
  first_seen INTEGER NOT NULL,
  last_seen INTEGER NOT NULL CHECK (last_seen >= first_seen),
  PRIMARY KEY (src, dst, dport, proto, sport, observer, first_seen)
) STRICT, WITHOUT ROWID;

CREATE INDEX router_session_seen ON router_session (last_seen);

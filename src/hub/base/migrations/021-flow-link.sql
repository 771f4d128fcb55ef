-- Connections that two routers translate one after the other: a flow of the inner router is a flow of the outer one.
CREATE TABLE flow_link (
  id INTEGER PRIMARY KEY,
  inner_flow INTEGER NOT NULL REFERENCES flow (id) ON DELETE CASCADE,
  inner_observer INTEGER NOT NULL REFERENCES observer (id),
  outer_flow INTEGER NOT NULL REFERENCES flow (id) ON DELETE CASCADE,
  outer_observer INTEGER NOT NULL REFERENCES observer (id),
  -- When both tables showed it, to the hour.
  seen_at INTEGER NOT NULL,
  -- Of one session: the port of the source, what the inner router translates it to, and what the outer one does.
  sport INTEGER,
  port INTEGER,
  beyond_address TEXT,
  beyond_port INTEGER,
  UNIQUE (inner_flow, inner_observer, outer_observer)
) STRICT;

CREATE INDEX flow_link_outer ON flow_link (outer_flow);

-- The addresses that a router translates sources to, and when its table showed them, to the hour.
CREATE TABLE router_address (
  id INTEGER PRIMARY KEY,
  observer INTEGER NOT NULL REFERENCES observer (id),
  address TEXT NOT NULL CHECK (length(address) BETWEEN 2 AND 45),
  first_seen INTEGER NOT NULL,
  last_seen INTEGER NOT NULL CHECK (last_seen >= first_seen),
  UNIQUE (observer, address)
) STRICT;

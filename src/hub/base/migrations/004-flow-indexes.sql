-- One index holds all that filters ask of a flow, in the order of time: counts and pages of any window read it alone.
-- The others find the flows of one port or protocol, and do not change when a flow is seen again.

DROP INDEX flow_seen;
CREATE INDEX flow_seen ON flow (last_seen, first_seen, destination_id, source_id, dport, proto, observer_set_id, ttl);
CREATE INDEX flow_dport ON flow (dport);
CREATE INDEX flow_proto ON flow (proto);
CREATE INDEX destination_host ON destination (host, address);
CREATE INDEX destination_country ON destination (country);
CREATE INDEX destination_org ON destination (org);

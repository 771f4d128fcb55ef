// The table of ClickHouse that the sink fills and long-range queries read: one row for each flow and hour.

/** The only table; in the database of the settings. */
export const tableName = 'flow_hour';
/** With `--replicated`: what lies on each server; `flow_hour` is then the Distributed table over them. */
export const localTableName = 'flow_hour_local';

export interface Column {
  name: string;
  type: string;
  codec?: string;
  comment: string;
}

/** In the order of the table. Texts that are not known are empty; no column is Nullable. Instants are UTC. */
export const columns = [
  { name: 'hub', type: 'LowCardinality(String)', comment: 'MONITOR_CLICKHOUSE_HUB of the hub that sent the row' },
  { name: 'hour', type: "DateTime('UTC')", codec: 'Delta, ZSTD', comment: 'start of the hour' },
  {
    name: 'flow',
    type: 'UInt64',
    comment: 'digest of source, destination, port and protocol: the same in every hour and every hub',
  },
  { name: 'version', type: 'UInt64', comment: 'of rows that are sent again, the greatest holds' },
  { name: 'src', type: 'LowCardinality(String)', comment: 'canonical address' },
  { name: 'dst', type: 'String', codec: 'ZSTD', comment: 'canonical address' },
  { name: 'dport', type: 'UInt16', comment: '0 where the protocol has no ports' },
  { name: 'proto', type: 'LowCardinality(String)', comment: 'upper case' },
  { name: 'observations', type: 'UInt32', comment: 'batches that showed traffic in the hour; 0: only its start' },
  { name: 'first_seen', type: "DateTime64(3, 'UTC')", codec: 'Delta, ZSTD', comment: 'first sighting in the hour' },
  { name: 'last_seen', type: "DateTime64(3, 'UTC')", codec: 'Delta, ZSTD', comment: 'last sighting in the hour' },
  { name: 'observers', type: 'Array(LowCardinality(String))', comment: 'ids of routers that saw the flow, sorted' },
  { name: 'source', type: 'LowCardinality(String)', comment: 'kinds of observers, as the API says them' },
  { name: 'src_mac', type: 'LowCardinality(String)', comment: 'lower-case colon form' },
  { name: 'src_vendor', type: 'LowCardinality(String)', comment: 'maker of the card' },
  { name: 'src_dns_name', type: 'LowCardinality(String)', comment: '' },
  { name: 'src_mdns_name', type: 'LowCardinality(String)', comment: '' },
  { name: 'device', type: 'LowCardinality(String)', comment: 'id of the device that held the source address' },
  { name: 'dst_host', type: 'String', codec: 'ZSTD', comment: 'host name of the destination' },
  { name: 'country', type: 'LowCardinality(String)', comment: 'ISO 3166 two-letter code' },
  { name: 'org', type: 'LowCardinality(String)', comment: 'organisation of the destination' },
  {
    name: 'threat_level',
    type: "Enum8('safe' = 0, 'warn' = 1, 'danger' = 2)",
    comment: 'verdict of the time of sending',
  },
  { name: 'threat_confidence', type: 'LowCardinality(String)', comment: 'low, high, or empty when safe' },
  { name: 'threat_source', type: 'LowCardinality(String)', comment: 'kind of feed, empty when safe' },
  { name: 'threat_tag', type: 'LowCardinality(String)', comment: '' },
  { name: 'threat_match', type: 'LowCardinality(String)', comment: 'what of the feed matched' },
  { name: 'threat_match_type', type: 'LowCardinality(String)', comment: 'ip, domain or cidr, empty when safe' },
  { name: 'threat_port', type: 'Int32', comment: 'that the feed lists, -1: none' },
  { name: 'threat_url', type: 'String', codec: 'ZSTD', comment: '' },
  { name: 'city', type: 'LowCardinality(String)', comment: '' },
  { name: 'lat', type: 'Float64', codec: 'ZSTD', comment: 'degrees, nan: not known' },
  { name: 'lon', type: 'Float64', codec: 'ZSTD', comment: 'degrees, nan: not known' },
  { name: 'ttl', type: 'Int32', codec: 'ZSTD', comment: 'remaining NAT timeout in seconds, -1: not known' },
  { name: 'agent_host', type: 'LowCardinality(String)', comment: 'machine whose Agent saw it' },
  { name: 'process', type: 'LowCardinality(String)', comment: 'program that the Agent named' },
] as const satisfies readonly Column[];

export type ColumnName = (typeof columns)[number]['name'];

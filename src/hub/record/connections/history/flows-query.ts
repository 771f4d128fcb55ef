// The flows of a window in ClickHouse: one row each, with the labels of its newest hour, as the log has them.
import type { tableName } from '../../sink/schema.ts';

const table: typeof tableName = 'flow_hour';

export interface HistoryWindow {
  /** Both inclusive, epoch milliseconds. */
  from: number;
  to: number;
  /** 1…240. */
  buckets: number;
  /** Addresses of devices, spelled as the database spells them. An empty list means all devices. */
  src?: readonly string[];
  target?: string | undefined;
  country?: string | undefined;
  /** Id of a router. */
  router?: string | undefined;
}

/** Every value of a query is a parameter of it: https://clickhouse.com/docs/interfaces/cli#cli-queries-with-parameters. */
export function toParameters(hub: string, window: HistoryWindow) {
  const { from, to, buckets, src = [], target = '', country = '', router = '' } = window;
  return { hub, from, to, buckets, src, target, country, router };
}

/**
 * A flow counts when an hour, clipped to its sightings, overlaps the window; its first and last sighting are those of all its
 * hours, as in the log. Rows that were sent again are there once (FINAL).
 */
export const flowsQuery = `(SELECT * FROM (
  SELECT any(src) AS f_src, any(dst) AS f_dst, any(dport) AS f_port, any(proto) AS f_proto,
    min(first_ms) AS f_first, max(last_ms) AS f_last, argMax(observers, hour) AS f_observers, argMax(source, hour) AS f_kinds,
    max((hour, src_mac, src_vendor, src_dns_name, src_mdns_name)) AS f_names,
    argMax(dst_host, hour) AS f_host, argMax(country, hour) AS f_country, argMax(org, hour) AS f_org,
    argMax(city, hour) AS f_city, argMax(lat, hour) AS f_lat, argMax(lon, hour) AS f_lon, argMax(ttl, hour) AS f_ttl,
    argMax(toInt8(threat_level), hour) AS f_level,
    argMax((toInt8(threat_level), threat_confidence, threat_source, threat_tag, threat_match_type, threat_match, threat_port,
      threat_url), hour) AS f_threat,
    sumIf(observations, is_in) AS f_observations, countIf(is_in) AS f_hours,
    groupUniqArrayArrayIf(range(toUInt32(bucket), toUInt32(bucket_end)), is_in) AS f_buckets,
    if(f_org != '', f_org, if(f_host != '', f_host, f_dst)) AS f_target
  FROM (SELECT *, toUnixTimestamp64Milli(first_seen) AS first_ms, toUnixTimestamp64Milli(last_seen) AS last_ms,
      first_ms <= {to:Int64} AND last_ms >= {from:Int64} AS is_in,
      {to:Int64} - {from:Int64} + 1 AS length,
      if(is_in, intDiv((greatest(first_ms, {from:Int64}) - {from:Int64}) * {buckets:Int64}, length), 0) AS bucket,
      if(is_in, intDiv((least(last_ms, {to:Int64}) - {from:Int64}) * {buckets:Int64}, length) + 1, 0) AS bucket_end
    FROM ${table} FINAL WHERE hub = {hub:String})
  GROUP BY flow HAVING f_hours > 0)
WHERE (empty({src:Array(String)}) OR has({src:Array(String)}, f_src)) AND ({target:String} = '' OR f_target = {target:String})
  AND ({country:String} = '' OR f_country = {country:String})
  AND ({router:String} = '' OR has(f_observers, {router:String})))`;

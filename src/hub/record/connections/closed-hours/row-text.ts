// A flow in an hour as the tab-separated texts of its columns (https://clickhouse.com/docs/interfaces/formats/TabSeparated).
import type { Connection } from '#contract/model.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { sha256 } from '#kernel/text/digest.ts';
import { isoTime } from '#kernel/time/clock.ts';
import { hourMs } from '#kernel/time/time.ts';
import type { ColumnName } from '../../sink/schema.ts';
import { type ConnectionRow, connectionColumns, type RowLabels, readRowLabels, toConnection } from '../query/row.ts';
import type { HourRows } from '../store/hour-pack.ts';

type Value = string | number | readonly string[] | null | undefined;

/** Values of the columns from the observers on, which are the same in every hour of a flow. */
const flowValues = {
  observers: ({ observedBy }) => observedBy,
  source: ({ source }) => source,
  src_mac: ({ srcMac }) => srcMac,
  src_vendor: ({ srcVendor }) => srcVendor,
  src_dns_name: ({ srcDnsName }) => srcDnsName,
  src_mdns_name: ({ srcMdnsName }) => srcMdnsName,
  device: ({ srcDeviceId }) => srcDeviceId,
  dst_host: ({ dstHost }) => dstHost,
  country: ({ country }) => country,
  org: ({ org }) => org,
  threat_level: ({ threatLevel }) => threatLevel,
  threat_confidence: ({ threat }) => threat?.confidence,
  threat_source: ({ threat }) => threat?.source,
  threat_tag: ({ threat }) => threat?.tag,
  threat_match: ({ threat }) => threat?.matchValue,
  agent_host: ({ agentHost }) => agentHost,
  process: ({ process }) => process,
  threat_match_type: ({ threat }) => threat?.matchType,
  threat_port: ({ threat }) => threat?.port ?? -1,
  threat_url: ({ threat }) => threat?.url,
  city: ({ city }) => city,
  lat: ({ lat }) => lat ?? 'nan',
  lon: ({ lon }) => lon ?? 'nan',
  ttl: ({ ttl }) => ttl ?? -1,
} as const satisfies Partial<Record<ColumnName, (flow: Connection) => Value>>;
const valueGetters = Object.values(flowValues);

/** The columns in the order of the texts; `version` is put between the two parts of a `HourText`. */
export const hourColumns: readonly ColumnName[] = [
  'hub',
  'hour',
  'flow',
  'version',
  'src',
  'dst',
  'dport',
  'proto',
  'observations',
  'first_seen',
  'last_seen',
  ...(Object.keys(flowValues) as (keyof typeof flowValues)[]),
];

/** The columns before and after the version. */
export interface HourText {
  before: string;
  after: string;
}

/** Flows whose texts are cached: a scan has more of them than memory should hold. */
const maxCached = 50_000;

/** `reader` must hold one snapshot. The texts of flows are cached: most flows come again in the next hour. */
export function createRowTexts(reader: Reader, hub: string) {
  const find = reader.prepare(
    `SELECT ${connectionColumns} FROM flow f JOIN source s ON s.id = f.source_id
     JOIN destination d ON d.id = f.destination_id WHERE f.id = +?`,
  );
  const labels = readRowLabels(reader);
  const cache = new Map<number, FlowTexts | null>();
  const findTexts = (flow: number): FlowTexts | null => {
    let texts = cache.get(flow);
    if (texts === undefined) {
      const row = find.get(flow) as ConnectionRow | undefined;
      texts = row === undefined ? null : toFlowTexts(row, labels);
      if (cache.size >= maxCached) {
        cache.clear();
      }
      cache.set(flow, texts);
    }
    return texts;
  };
  return {
    /** Yields the rows of flows that are still in the log, by ascending number. */
    *formatHour(hour: number, rows: HourRows): Generator<HourText, void> {
      const start = hour * hourMs;
      const prefix = `${formatValue(hub)}\t${formatInstant(start).slice(0, 19)}\t`;
      for (let row = 0; row < rows.length; row += 1) {
        const flow = findTexts(rows.flow[row] as number);
        if (flow !== null) {
          const first = formatInstant(start + (rows.first[row] as number));
          const last = formatInstant(start + (rows.last[row] as number));
          const after = `${flow.ends}\t${rows.observations[row]}\t${first}\t${last}\t${flow.rest}`;
          yield { before: `${prefix}${flow.key}`, after };
        }
      }
    },
  };
}

interface FlowTexts {
  key: string;
  /** Source, destination, port, protocol. */
  ends: string;
  /** From the observers on. */
  rest: string;
}

function toFlowTexts(row: ConnectionRow, labels: RowLabels): FlowTexts {
  const flow = toConnection(row, labels);
  const ends = [flow.src, flow.dst, flow.dport, flow.proto].map(formatValue).join('\t');
  const rest = valueGetters.map((getValue) => formatValue(getValue(flow)));
  return { key: hashFlowKey(ends), ends, rest: rest.join('\t') };
}

/** The first 64 bits of a digest: the same ends have the same key in every hub, whatever number their logs give them. */
function hashFlowKey(ends: string): string {
  return BigInt(`0x${sha256(ends).slice(0, 16)}`).toString();
}

/** `2026-11-25 14:00:00.000`: ClickHouse takes no fractional numbers. */
function formatInstant(at: number): string {
  return isoTime(at).replace('T', ' ').slice(0, 23);
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r', '\0': '\\0' };

/** Empty for what is not known. */
function formatValue(value: Value): string {
  if (typeof value === 'object' && value !== null) {
    return `[${value.map((text) => `'${formatValue(text).replaceAll("'", "\\'")}'`).join(',')}]`;
  }
  return String(value ?? '').replaceAll(/[\\\t\n\r\0]/g, (character) => escapes[character] as string);
}

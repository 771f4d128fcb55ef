// A flow in an hour as the tab-separated texts of its columns (https://clickhouse.com/docs/interfaces/formats/TabSeparated).

import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { sha256 } from '#kernel/text/digest.ts';
import { isoTime } from '#kernel/time/clock.ts';
import { hourMs } from '#kernel/time/time.ts';
import type { ColumnName } from '../../sink/schema.ts';
import { type RowLabels, readRowLabels, sourceLabel, unobserved } from '../query/row.ts';
import type { HourRows } from '../store/hour-pack.ts';

/** The columns in the order of the texts; `version` is put between the two parts of a `HourText`. */
export const hourColumns = [
  ...([
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
  ] as const),
  ...(['observers', 'source', 'src_mac', 'src_vendor', 'src_dns_name', 'src_mdns_name', 'device'] as const),
  ...(['dst_host', 'country', 'org', 'threat_level', 'threat_confidence', 'threat_source', 'threat_tag'] as const),
  ...(['threat_match', 'agent_host', 'process'] as const),
  ...(['threat_match_type', 'threat_port', 'threat_url', 'city', 'lat', 'lon', 'ttl'] as const),
] as const satisfies readonly ColumnName[];

/** The columns before the version, and those behind it. */
export interface HourText {
  before: string;
  behind: string;
}

/** What is known of a flow, in the order of the columns from `src` on; null where nothing is. */
type FlowWords = [
  ...[src: string, dst: string, dport: number, proto: string, observerSet: number, threat: number | null],
  ...[lat: number | null, lon: number | null, ttl: number | null],
  ...(string | null)[],
];

const words = `SELECT s.address, d.address, f.dport, f.proto, f.observer_set_id, f.threat_id, d.lat, d.lon, f.ttl,
    ${sourceLabel('mac')}, ${sourceLabel('vendor')}, ${sourceLabel('dns_name')}, ${sourceLabel('mdns_name')},
    ${sourceLabel('device_id')}, d.host, d.country, d.org, f.agent_host, f.process, d.city
  FROM flow f JOIN source s ON s.id = f.source_id JOIN destination d ON d.id = f.destination_id WHERE f.id = +?`;

/** Flows whose texts are cached: a scan has more of them than memory should hold. */
const mostKnown = 50_000;

/** For one snapshot: it keeps the texts of flows, which come again in the next hour. */
export function createRowTexts(reader: Reader, hub: string) {
  const find = reader.prepare(words).raw();
  const labels = readRowLabels(reader);
  const known = new Map<number, FlowTexts | null>();
  const textsOf = (flow: number): FlowTexts | null => {
    let texts = known.get(flow);
    if (texts === undefined) {
      const found = find.get(flow) as FlowWords | undefined;
      texts = found === undefined ? null : flowTexts(found, labels);
      if (known.size >= mostKnown) {
        known.clear();
      }
      known.set(flow, texts);
    }
    return texts;
  };
  return {
    /** Rows of flows that are still in the log, by ascending number. */
    *ofHour(hour: number, rows: HourRows): Generator<HourText, void> {
      const start = hour * hourMs;
      const prefix = `${escaped(hub)}\t${instant(start).slice(0, 19)}\t`;
      for (let row = 0; row < rows.length; row += 1) {
        const flow = textsOf(rows.flow[row] as number);
        if (flow !== null) {
          const seen = [rows.first[row], rows.last[row]].map((at) => instant(start + (at as number)));
          const behind = `${flow.ends}\t${rows.observations[row]}\t${seen[0]}\t${seen[1]}\t${flow.rest}`;
          yield { before: `${prefix}${flow.key}`, behind };
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

function flowTexts(
  [src, dst, dport, proto, set, threatId, lat, lon, ttl, ...others]: FlowWords,
  labels: RowLabels,
): FlowTexts {
  const [mac, vendor, dnsName, mdnsName, device, host, country, org, agentHost, process, city] = others;
  const observed = labels.observers.get(set) ?? unobserved;
  const threat = threatId === null ? undefined : labels.threats.get(threatId);
  const ends = [src, dst, String(dport), proto].map(escaped).join('\t');
  const rest = [
    `[${observed.observedBy.map((id) => `'${escaped(id).replaceAll("'", "\\'")}'`).join(',')}]`,
    ...[observed.source, mac, vendor, dnsName, mdnsName, device, host, country, org].map(escaped),
    ...[threat?.level ?? 'safe', threat?.confidence, threat?.source, threat?.tag, threat?.matchValue].map(escaped),
    ...[agentHost, process, threat?.matchType].map(escaped),
    ...[String(threat?.port ?? -1), escaped(threat?.url), escaped(city)],
    ...[String(lat ?? 'nan'), String(lon ?? 'nan'), String(ttl ?? -1)],
  ];
  return { key: flowKey(ends), ends, rest: rest.join('\t') };
}

/** The same for the same ends in every hub, whatever number the log has given them: the first 64 bits of a digest. */
function flowKey(ends: string): string {
  return BigInt(`0x${sha256(ends).slice(0, 16)}`).toString();
}

/** `2026-11-25 14:00:00.000`: fractional numbers are not taken. */
function instant(at: number): string {
  return isoTime(at).replace('T', ' ').slice(0, 23);
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r', '\0': '\\0' };

/** Empty for what is not known. */
function escaped(text: string | null | undefined): string {
  return (text ?? '').replaceAll(/[\\\t\n\r\0]/g, (character) => escapes[character] as string);
}

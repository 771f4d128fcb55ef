// What packet inspection writes: sessions of Yamaha's dynamic filters, server names in Suricata's EVE log.
import { z } from 'zod';
import { canonicalIp, isPrivateIp } from '#kernel/net/address.ts';
import { parseHostName } from '#kernel/net/host-name.ts';
import { parseJson } from '#kernel/text/json.ts';
import { readInput } from '#kernel/text/problem.ts';
import { utcTime } from '#kernel/time/clock.ts';
import { dayMs } from '#kernel/time/time.ts';
import type { Finding, LineReader } from './findings.ts';

/** `[INSPECT] LAN2[out][101100] TCP 192.168.100.3:54874 > 198.51.100.25:443 (2026/03/01 11:58:42)`; IPv6 as `addr.port`. */
const session =
  /\[INSPECT\] \S+\[(in|out)\]\[\d+\] (\w+) (\S+)[.:](\d{1,5}) > (\S+)[.:](\d{1,5}) \((\d{4})\/(\d\d)\/(\d\d) (\d\d):(\d\d):(\d\d)\)/;
/** What syslog wrote before it: `Mar  1 11:59:00 192.0.2.1 `, with or without priority and sender. */
const written = /^(?:<\d{1,3}>)?(?:([A-Z][a-z]{2}) +(\d{1,2}) (\d\d):(\d\d):(\d\d) +)?(?:(\S+) +)?\[INSPECT\]/;
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const tlsEvent = z.object({
  event_type: z.literal('tls'),
  src_ip: z.string(),
  dest_ip: z.string(),
  tls: z.object({ sni: z.string() }),
});

export function createInspectLogReader(): LineReader {
  return {
    read: (line) => (line.startsWith('{') ? readEvent(line) : readSession(line)),
  };
}

function readSession(line: string): Finding[] | null {
  const found = session.exec(line);
  if (!found) {
    return line.includes('[INSPECT]') ? [] : null;
  }
  const [, way, proto = '', from = '', sport, to = '', dport] = found;
  const src = canonicalIp(from);
  const dst = canonicalIp(to);
  const sourcePort = Number(sport);
  const destinationPort = Number(dport);
  if (way !== 'out' || !src || !dst || !/^(?:TCP|UDP)$/.test(proto) || Math.max(sourcePort, destinationPort) > 65_535) {
    return [];
  }
  const [, month, day, ...clock] = written.exec(line) ?? [];
  const sender = clock.pop() ?? null;
  return [
    {
      kind: 'session',
      sender,
      proto,
      src,
      sport: sourcePort,
      dst,
      dport: destinationPort,
      durationMs: month === undefined ? null : duration(found.slice(7).map(Number), [month, day ?? '', ...clock]),
    },
  ];
}

/** Router and syslog write the same local time; the year of the end is that of the start, or the next one. */
function duration([year = 0, month = 1, day = 1, ...start]: number[], [name = '', date = '', ...end]: string[]) {
  const startedAt = utcTime(year, month, day, ...start);
  const endIn = (endYear: number) => utcTime(endYear, months.indexOf(name) + 1, Number(date), ...end.map(Number));
  const lasted = endIn(year) < startedAt ? endIn(year + 1) - startedAt : endIn(year) - startedAt;
  return months.includes(name) && lasted <= dayMs ? lasted : null;
}

/** Suricata: `{"event_type":"tls","src_ip":…,"dest_ip":…,"tls":{"sni":…}}`; other events have no finding. */
function readEvent(line: string): Finding[] | null {
  // A text that begins with a brace is an object, or no JSON.
  const event = parseJson(line) as object | undefined;
  if (event === undefined || !('event_type' in event)) {
    return null;
  }
  const parsed = readInput(tlsEvent, event);
  const address = parsed.success ? canonicalIp(parsed.data.dest_ip) : null;
  const name = parsed.success ? parseHostName(parsed.data.tls.sni) : null;
  const client = parsed.success ? canonicalIp(parsed.data.src_ip) : null;
  return address !== null && name !== null && !isPrivateIp(address)
    ? [{ kind: 'name', address, name, ...(client && { client }) }]
    : [];
}

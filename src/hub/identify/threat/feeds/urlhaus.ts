// URLhaus: URLs that distribute malware; host and port of each (urlhaus-api.abuse.ch).
import { dayMs } from '#kernel/time/time.ts';
import { parseListedIp, parseListedName } from '../address.ts';
import type { DatedIndicator, Emit, Indicator, Parsed } from '../indicator.ts';
import { parseRows, readCsv } from './csv.ts';
import { parseFeedTime } from './time.ts';

/** Many hosts are infected devices with changing addresses: older entries lose weight. */
const freshDays = 7;

export function parseUrlhaus(text: string, emit: Emit<DatedIndicator>): Parsed {
  const table = readCsv(text, ['dateadded', 'url', 'url_status', 'threat', 'tags']);
  if ('problem' in table) {
    return table;
  }
  return parseRows(table, ([added = '', url = '', status = '', threat = '', tags = '']) => {
    const host = parseHost(url);
    if (!host) {
      return false;
    }
    const addedAt = host.kind === 'ip' && status === 'online' ? parseFeedTime(added) : null;
    // Names are stable; the device behind an address changes.
    emit({
      feed: 'feed_url',
      kind: host.kind,
      value: host.value,
      port: host.port,
      exact: host.kind === 'domain' || addedAt !== null ? 2 : 1,
      loose: 1,
      tag: tags === '' || tags === 'None' ? threat : tags,
      url,
      freshUntil: addedAt === null ? null : addedAt + freshDays * dayMs,
    });
    return true;
  });
}

/** Host and port of a URL, without the cost of a URL object or a regular expression. */
function parseHost(url: string): Pick<Indicator, 'kind' | 'value' | 'port'> | null {
  const colon = url.indexOf('://');
  const standardPort = colon < 0 ? undefined : findStandardPort(url.slice(0, colon));
  if (standardPort === undefined) {
    return null;
  }
  const end = findAuthorityEnd(url, colon + 3);
  const at = url.indexOf('@', colon + 3);
  const start = at < 0 || at > end ? colon + 3 : at + 1;
  const place = url.slice(start, end);
  const hostEnd = place.startsWith('[') ? place.indexOf(']') + 1 : place.indexOf(':');
  const host = hostEnd < 0 ? place : place.slice(0, hostEnd);
  const port = host.length === place.length ? standardPort : parsePort(place.slice(host.length));
  if (port < 1 || port > 65_535) {
    return null;
  }
  const ip = parseListedIp(host);
  const value = ip ?? parseListedName(host);
  return value === null ? null : { kind: ip === null ? 'domain' : 'ip', value, port: ip === null ? 0 : port };
}

/** Of `:8080`; 0 when it is none. */
function parsePort(text: string): number {
  return /^:\d{1,5}$/.test(text) ? Number(text.slice(1)) : 0;
}

function findStandardPort(scheme: string): number | undefined {
  return standardPorts.get(scheme) ?? standardPorts.get(scheme.toLowerCase());
}

function findAuthorityEnd(url: string, from: number): number {
  for (let at = from; at < url.length; at += 1) {
    const code = url.charCodeAt(at);
    if (code === slash || code === question || code === hash) {
      return at;
    }
  }
  return url.length;
}

const slash = 47;
const question = 63;
const hash = 35;

const standardPorts: ReadonlyMap<string, number> = new Map([
  ['http', 80],
  ['https', 443],
  ['ftp', 21],
]);

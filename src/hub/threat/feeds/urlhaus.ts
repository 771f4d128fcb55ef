// URLhaus: addresses that hand out malware; of each the host and the port (urlhaus-api.abuse.ch).
import { parseListedIp, parseListedName } from '../address.ts';
import type { Grade, Indicator, Parsed } from '../indicator.ts';
import { readCsv } from './csv.ts';
import { dayMs, parseFeedTime } from './time.ts';

/** Many hosts are infected devices with addresses that change: what was added longer ago is worth less. */
const freshDays = 7;

/** `now` in epoch milliseconds. */
export function parseUrlhaus(text: string, now: number): Parsed {
  const table = readCsv(text, ['dateadded', 'url', 'url_status', 'threat', 'tags']);
  if ('problem' in table) {
    return table;
  }
  const indicators: Indicator[] = [];
  const counts = { rows: 0, bad: 0 };
  for (const row of table.rows) {
    counts.rows += 1;
    const [added = '', url = '', status = '', threat = '', tags = ''] = row ?? [];
    const host = row === null ? null : hostOf(url);
    if (!host) {
      counts.bad += 1;
      continue;
    }
    const addedAt = parseFeedTime(added);
    const isFresh = addedAt !== null && now - addedAt <= freshDays * dayMs;
    const exact: Grade = host.kind === 'domain' || (status === 'online' && isFresh) ? 2 : 1;
    const tag = tags === '' || tags === 'None' ? threat : tags;
    indicators.push({ feed: 'feed_url', ...host, exact, loose: 1, tag, url });
  }
  return { indicators, ...counts };
}

/** Host and port of a web address, without the cost of a URL object. */
function hostOf(url: string): Pick<Indicator, 'kind' | 'value' | 'port'> | null {
  const [, scheme = '', host = '', digits] =
    /^(https?|ftp):\/\/(?:[^/@?#]*@)?(\[[^\]]+\]|[^/:?#]+)(?::(\d{1,5}))?(?=[/?#]|$)/i.exec(url) ?? [];
  const port = digits === undefined ? standardPorts[scheme.toLowerCase()] : Number(digits);
  if (port === undefined || port < 1 || port > 65_535) {
    return null;
  }
  const ip = parseListedIp(host);
  const value = ip ?? parseListedName(host);
  return value === null ? null : { kind: ip === null ? 'domain' : 'ip', value, port: ip === null ? 0 : port };
}

const standardPorts: Readonly<Record<string, number>> = { http: 80, https: 443, ftp: 21 };

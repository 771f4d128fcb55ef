// Feodo Tracker: command-and-control servers, address and port (feodotracker.abuse.ch/downloads/ipblocklist.csv).
import { dayMs } from '#kernel/time/time.ts';
import { parseListedIp } from '../address.ts';
import type { DatedIndicator, Emit, Parsed } from '../indicator.ts';
import { parseRows, readCsv } from './csv.ts';
import { parseFeedTime } from './time.ts';

/** Days after which a server that was not seen online is no danger. */
const freshDays = 30;

/** The list may be empty: its publisher documents so. */
export function parseFeodo(text: string, emit: Emit<DatedIndicator>): Parsed {
  const table = readCsv(text, ['dst_ip', 'dst_port', 'c2_status', 'last_online', 'malware']);
  if ('problem' in table) {
    return table;
  }
  const counts = parseRows(table, ([address = '', port = '', status = '', lastOnline = '', malware = '']) => {
    const value = parseListedIp(address);
    if (value === null || !/^\d{1,5}$/.test(port)) {
      return false;
    }
    const isOnline = status === 'online';
    const seenAt = parseFeedTime(lastOnline);
    emit({
      feed: 'feed_c2',
      kind: 'ip',
      value,
      port: Number(port),
      exact: isOnline || seenAt !== null ? 2 : 1,
      loose: 1,
      tag: malware,
      url: '',
      freshUntil: isOnline || seenAt === null ? null : seenAt + freshDays * dayMs,
    });
    return true;
  });
  const [, announced] = /^END (\d+) entries/.exec(table.trailer) ?? [];
  if (announced === undefined || Number(announced) !== counts.rows) {
    return { problem: `it has ${counts.rows} rows, and its end says ${announced ?? 'nothing'}` };
  }
  return counts;
}

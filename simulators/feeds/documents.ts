// Feeds as their publishers write them: banner, header, quoting, line ends and trailer of each (formats: docs of each feed).
import { isoTime } from '#kernel/time/clock.ts';
import type { Rows } from './listing.ts';

/** `2026-11-19 14:28:39`. */
const stamp = (ms: number) => isoTime(ms).slice(0, 19).replace('T', ' ');
const quoted = (cells: readonly (string | number)[], between = ',') =>
  cells.map((cell) => `"${String(cell).replaceAll('"', '""')}"`).join(between);
const rule = '#'.repeat(64);

function banner(title: string, at: number): string[] {
  const line = (text: string) => `# ${text.padEnd(61)}#`;
  return [
    rule,
    line(title),
    line(`Last updated: ${stamp(at)} UTC`),
    line(''),
    line('Terms of use: see the publisher'),
    rule,
  ];
}

/** Feodo Tracker: the header is a row of its own, not a comment. */
export function c2Csv(rows: Rows['c2'], at: number): string {
  const lines = rows.map(({ ip, port, online, lastOnlineAt, malware }) =>
    quoted([
      '2026-01-13 21:41:15',
      ip,
      port,
      online ? 'online' : 'offline',
      isoTime(lastOnlineAt ?? at).slice(0, 10),
      malware,
    ]),
  );
  const header = '"first_seen_utc","dst_ip","dst_port","c2_status","last_online","malware"';
  return crlf([
    ...banner('Feodo Tracker Botnet C2 IP Blocklist (CSV)', at),
    header,
    ...lines,
    `# END ${rows.length} entries`,
  ]);
}

/** ThreatFox: the header is a comment, a space follows each comma, `None` stands for nothing. */
export function iocCsv(rows: Rows['ioc'], at: number): string {
  const header =
    '# "first_seen_utc","ioc_id","ioc_value","ioc_type","threat_type","fk_malware","malware_alias","malware_printable","last_seen_utc","confidence_level","is_compromised","reference","tags","anonymous","reporter"';
  const lines = rows.map(({ value, type, threat, malware, confidence, compromised }, index) =>
    quoted(
      [
        stamp(at),
        1_999_991 + index,
        value,
        type,
        threat,
        `win.${malware.toLowerCase()}`,
        'None',
        malware,
        index % 2 === 0 ? stamp(at) : '',
        confidence,
        compromised ? 'True' : 'False',
        'None',
        index % 3 === 0 ? 'c2,rat' : 'None',
        index % 2,
        'reporter1',
      ],
      ', ',
    ),
  );
  return crlf([
    ...banner('ThreatFox IOCs: recent additions (CSV)', at),
    header,
    ...lines,
    `# Number of entries: ${rows.length}`,
  ]);
}

/** URLhaus: the header is a comment without quotes. */
export function urlCsv(rows: Rows['url'], at: number): string {
  const lines = rows.map(({ url, online, addedAt, tags }, index) => {
    const added = stamp(addedAt ?? at);
    const id = 4_000_001 + index;
    return quoted([
      id,
      added,
      url,
      online ? 'online' : 'offline',
      online ? stamp(at) : added,
      'malware_download',
      tags,
      `https://urlhaus.abuse.ch/url/${id}/`,
      'reporterA',
    ]);
  });
  const header = '# id,dateadded,url,url_status,last_online,threat,tags,urlhaus_link,reporter';
  return crlf([...banner('URLhaus Database Dump (CSV - recent URLs only)', at), header, ...lines]);
}

/** Spamhaus DROP: one JSON object a line, the last one about the list. */
export function dropJson(rows: Rows['drop'], at: number): string {
  const lines = rows.map(({ cidr, sbl }) => JSON.stringify({ cidr, sblid: sbl, rir: 'ripencc' }));
  const about = {
    type: 'metadata',
    timestamp: Math.floor(at / 1000),
    size: lines.join('\n').length,
    records: rows.length,
    copyright: '(c) 2026 The Spamhaus Project SLU',
    terms: 'https://www.spamhaus.org/drop/terms/',
  };
  return `${[...lines, JSON.stringify(about)].join('\n')}\n`;
}

export function falsePositivesCsv(rows: Rows['falsePositives'], at: number): string {
  const header = '"time_stamp","removal_id","platform","entry_type","entry_value","removed_by","removal_notes"';
  const lines = rows.map(({ type, value, platform }, index) =>
    quoted([`${stamp(at)} UTC`, 1001 + index, platform, type, value, 'admin', 'False positive']),
  );
  return crlf([...banner('abuse.ch False Positive List', at), header, ...lines]);
}

function crlf(lines: readonly string[]): string {
  return `${lines.join('\r\n')}\r\n`;
}

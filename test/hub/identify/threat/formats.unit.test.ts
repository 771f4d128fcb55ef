// Readers of the feeds' formats: what is taken, what is left, and what is refused.
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { parseListedSocket } from '#hub/identify/threat/address.ts';
import { checkDocument } from '#hub/identify/threat/documents.ts';
import { parseAllowed, parseFalsePositives } from '#hub/identify/threat/feeds/false-positives.ts';
import { parseFeodo } from '#hub/identify/threat/feeds/feodo.ts';
import { parseSpamhaus } from '#hub/identify/threat/feeds/spamhaus.ts';
import { parseThreatFox } from '#hub/identify/threat/feeds/threatfox.ts';
import { unpack } from '#hub/identify/threat/feeds/unpack.ts';
import { parseUrlhaus } from '#hub/identify/threat/feeds/urlhaus.ts';
import type { DatedIndicator, Emit, Exception, Parsed } from '#hub/identify/threat/indicator.ts';
import { providers } from '#hub/identify/threat/reputation/services.ts';
import { createZip } from '#simulators/feeds/zip.ts';

const now = Date.UTC(2026, 10, 19, 15, 0, 0);

function read(parse: (text: string, take: Emit<DatedIndicator>) => Parsed, text: string) {
  const indicators: unknown[] = [];
  const parsed = parse(text, (one) => indicators.push([one.value, one.port, exactNow(one), one.loose, one.tag]));
  return { ...parsed, indicators };
}

function exactNow({ exact, freshUntil }: DatedIndicator): number {
  return freshUntil !== null && now > freshUntil ? Math.min(exact, 1) : exact;
}

describe('Feodo Tracker', () => {
  const header = '"first_seen_utc","dst_ip","dst_port","c2_status","last_online","malware"';
  const rows = [
    '"2026-01-13 21:41:15","192.0.2.44","443","online","2026-11-18","QakBot"',
    '"2022-06-04 21:24:53","198.51.100.17","8080","offline","2026-11-01","Emotet"',
    '"2022-06-04 21:24:53","198.51.100.18","8080","offline","2026-09-07","Emotet"',
  ];
  const list = (lines: readonly string[], end = lines.length, eol = '\n') =>
    ['####', '# Last updated: 2026-11-19 14:28:39 UTC #', header, ...lines, `# END ${end} entries`, ''].join(eol);

  test('a server online, or in the last 30 days, is danger at its port; else a warning', () => {
    for (const eol of ['\n', '\r\n']) {
      expect(read(parseFeodo, list(rows, 3, eol))).toEqual({
        rows: 3,
        bad: 0,
        indicators: [
          ['192.0.2.44', 443, 2, 1, 'QakBot'],
          ['198.51.100.17', 8080, 2, 1, 'Emotet'],
          ['198.51.100.18', 8080, 1, 1, 'Emotet'],
        ],
      });
    }
  });

  test('an empty list is one; half a list is not', () => {
    expect(read(parseFeodo, list([]))).toEqual({ rows: 0, bad: 0, indicators: [] });
    expect(read(parseFeodo, list(rows, 4))).toMatchObject({ problem: 'it has 3 rows, and its end says 4' });
    expect(read(parseFeodo, list(rows).slice(0, 200))).toHaveProperty('problem');
  });
});

describe('ThreatFox', () => {
  const columns = ['first_seen_utc', 'ioc_id', 'ioc_value', 'ioc_type', 'threat_type', 'fk_malware', 'malware_alias'];
  const header = [...columns, 'malware_printable', 'last_seen_utc', 'confidence_level', 'is_compromised', 'tags'];
  const line = (cells: readonly string[]) => cells.map((cell) => `"${cell}"`).join(', ');
  const row = (value: string, type: string, threat: string, level: string, compromised = 'False') =>
    line([
      '2026-11-18 04:31:23',
      '1',
      value,
      type,
      threat,
      'win.rat',
      'None',
      'Rat, "the"'.replaceAll('"', '""'),
      '',
      level,
      compromised,
      'a,b',
    ]);
  const list = (rows: readonly string[], names = header) =>
    ['# banner', `# ${names.map((name) => `"${name}"`).join(',')}`, ...rows, ''].join('\r\n');

  test('confidence, kind of threat and compromised sites decide; what no connection meets is left', () => {
    const parsed = read(
      parseThreatFox,
      list([
        row('203.0.113.77:8443', 'ip:port', 'botnet_cc', '100'),
        row('203.0.113.78:80', 'ip:port', 'botnet_cc', '50'),
        row('203.0.113.79:80', 'ip:port', 'botnet_cc', '49'),
        row('203.0.113.80:80', 'ip:port', 'payload_delivery', '100'),
        row('203.0.113.81:80', 'ip:port', 'botnet_cc', '75', 'True'),
        row('[2001:DB8::1]:443', 'ip:port', 'botnet_cc', '90'),
        row('CDN.Update.example', 'domain', 'botnet_cc', '75'),
        row('a'.repeat(64), 'sha256_hash', 'payload', '100'),
        row('192.168.1.1:80', 'ip:port', 'botnet_cc', '100'),
        'not a row at all',
      ]),
    );
    expect(parsed).toEqual({
      rows: 10,
      bad: 2,
      indicators: [
        ['203.0.113.77', 8443, 2, 1, 'Rat, "the"'],
        ['203.0.113.78', 80, 1, 1, 'Rat, "the"'],
        ['203.0.113.80', 80, 1, 1, 'Rat, "the"'],
        ['203.0.113.81', 80, 1, 1, 'Rat, "the"'],
        ['2001:db8::1', 443, 2, 1, 'Rat, "the"'],
        ['cdn.update.example', 0, 2, 1, 'Rat, "the"'],
      ],
    });
  });

  test('an export of before, without is_compromised, and one with its columns in another order are read', () => {
    const old = header.filter((name) => name !== 'is_compromised');
    const cells: Record<string, string> = {
      ioc_value: '203.0.113.77:1',
      ioc_type: 'ip:port',
      threat_type: 'botnet_cc',
      fk_malware: 'win.rat',
      malware_printable: 'None',
      confidence_level: '80',
    };
    for (const names of [old, [...old].reverse()]) {
      const text = list([line(names.map((name) => cells[name] ?? 'x'))], names);
      expect(read(parseThreatFox, text).indicators).toEqual([['203.0.113.77', 1, 2, 1, 'win.rat']]);
    }
    expect(read(parseThreatFox, '# "a","b"\n"1", "2"\n')).toHaveProperty('problem');
  });
});

test('URLhaus: a host is danger at its port while it is fresh and online, a name always', () => {
  const lines = [
    '# id,dateadded,url,url_status,last_online,threat,tags,urlhaus_link,reporter',
    '"1","2026-11-19 12:05:20","http://203.0.113.120:58801/i","online","","malware_download","elf,Mozi","l","r"',
    '"2","2026-11-01 12:05:20","http://203.0.113.121/i","online","","malware_download","None","l","r"',
    '"3","2026-11-19 12:05:20","https://203.0.113.122/i","offline","","malware_download","exe","l","r"',
    '"4","2026-11-01 11:54:17","https://files.host.example:8443/u?x=1","offline","","malware_download","exe","l","r"',
    '"5","2026-11-19 12:05:20","ftp://u@[2001:db8::9]/i","online","","malware_download","","l","r"',
    '"6","2026-11-19 12:05:20","gopher://203.0.113.1/","online","","malware_download","","l","r"',
    '',
  ];
  expect(read(parseUrlhaus, lines.join('\r\n'))).toEqual({
    rows: 6,
    bad: 1,
    indicators: [
      ['203.0.113.120', 58801, 2, 1, 'elf,Mozi'],
      ['203.0.113.121', 80, 1, 1, 'malware_download'],
      ['203.0.113.122', 443, 1, 1, 'exe'],
      ['files.host.example', 0, 2, 1, 'exe'],
      ['2001:db8::9', 21, 2, 1, 'malware_download'],
    ],
  });
});

test('Spamhaus DROP: ranges of both kinds; too wide and private ones are bad rows; the end must agree', () => {
  const of = (cidr: string) => JSON.stringify({ cidr, sblid: 'SBL1', rir: 'x' });
  const list = (cidrs: readonly string[], records = cidrs.length) =>
    `${[...cidrs.map(of), JSON.stringify({ type: 'metadata', records })].join('\n')}\n`;
  const ranges = ['192.0.2.9/24', '2001:db8:bad::/48', '128.0.0.0/7', '10.1.0.0/16', '192.168.0.0/15', 'nonsense'];
  expect(read(parseSpamhaus, list(ranges))).toEqual({
    rows: 6,
    bad: 4,
    indicators: [
      ['192.0.2.0/24', 0, 2, 2, 'SBL1'],
      ['2001:db8:bad::/48', 0, 2, 2, 'SBL1'],
    ],
  });
  expect(read(parseSpamhaus, list(ranges, 7))).toMatchObject({ problem: 'it has 6 records, and its end says 7' });
  expect(read(parseSpamhaus, `${of('192.0.2.0/24')}\n`)).toHaveProperty('problem');
  const noEnd = { problem: 'its last line does not say how many records it has' };
  for (const end of [
    '',
    '<html>',
    'null',
    '5',
    '{"type":"metadata"}',
    '{"type":"metadata","records":0.5}',
    '{"records":0}',
  ]) {
    expect(read(parseSpamhaus, end), end).toEqual({ ...noEnd, indicators: [] });
  }
  const lines = ['null', '{', '{"sblid":"SBL1"}', '{"cidr":5}', '{"cidr":"192.0.2.0/24","sblid":5}'];
  const text = [...lines, JSON.stringify({ type: 'metadata', records: 5 })].join('\n\n');
  expect(read(parseSpamhaus, text)).toEqual({ rows: 5, bad: 4, indicators: [['192.0.2.0/24', 0, 2, 2, '']] });
});

test('false positives and the allow list name addresses, ranges, names and web addresses', () => {
  const header = '"time_stamp","removal_id","platform","entry_type","entry_value","removed_by","removal_notes"';
  const row = (type: string, value: string) => `"2026-11-19 00:00:00 UTC","1","ThreatFox","${type}","${value}","a","b"`;
  const rows = [
    row('domain', 'Good.example.'),
    row('ip:port', '192.0.2.1:443'),
    row('ip', '192.0.2.2'),
    row('md5_hash', 'x'),
  ];
  const exceptions: Exception[] = [];
  const text = [header, ...rows, row('url', 'http://a.example/x'), ''].join('\n');
  const parsed = parseFalsePositives(text, (one) => exceptions.push(one));
  expect({ ...parsed, exceptions }).toEqual({
    rows: 5,
    bad: 0,
    exceptions: [
      { kind: 'domain', value: 'good.example', port: 0 },
      { kind: 'ip', value: '192.0.2.1', port: 443 },
      { kind: 'ip', value: '192.0.2.2', port: 0 },
      { kind: 'url', value: 'http://a.example/x', port: 0 },
    ],
  });
  expect(['*.example.com', '198.51.100.0/24', '2001:DB8::1'].map((text) => parseAllowed(text)?.value)).toEqual([
    'example.com',
    '198.51.100.0/24',
    '2001:db8::1',
  ]);
  expect(['10.0.0.1', 'localhost', '0.0.0.0/0', 'a b'].map(parseAllowed)).toEqual([null, null, null, null]);
});

describe('a document', () => {
  const feodo = '# x\n"dst_ip","dst_port","c2_status","last_online","malware"\n# END 0 entries\n';
  const drop = (count: number) =>
    [
      ...Array.from({ length: count }, (_, index) => JSON.stringify({ cidr: `198.51.${index}.0/24` })),
      JSON.stringify({ type: 'metadata', records: count }),
      '',
    ].join('\n');
  const check = (part: 'c2' | 'drop_v4', body: Uint8Array | string, before = 0) =>
    checkDocument({ part, body: typeof body === 'string' ? Buffer.from(body) : body, before });

  test('is unpacked whichever way it is packed, up to a limit', () => {
    const text = 'x'.repeat(1000);
    expect(unpack(gzipSync(text), 1000)).toEqual({ text });
    expect(unpack(createZip('full.csv', Buffer.from(text)), 1000)).toEqual({ text });
    for (const packed of [gzipSync(text), createZip('full.csv', Buffer.from(text))]) {
      expect(unpack(packed, 999)).toHaveProperty('problem');
      expect(unpack(packed.subarray(0, packed.length - 9), 1000)).toHaveProperty('problem');
    }
  });

  test('is refused when it is a web page, nothing, half, mostly noise or a small rest of what it was', () => {
    expect(check('c2', '<!DOCTYPE html><p>Maintenance')).toEqual({ problem: 'it is a web page' });
    expect(check('c2', '')).toEqual({ problem: 'it has 0 bytes' });
    expect(check('c2', feodo)).toMatchObject({ entries: 0 });
    expect(check('c2', feodo.slice(0, -3))).toHaveProperty('problem');
    expect(check('drop_v4', drop(0))).toEqual({ problem: 'it lists nothing' });
    expect(check('drop_v4', drop(20), 100)).toMatchObject({ entries: 20 });
    expect(check('drop_v4', drop(19), 100)).toEqual({ problem: 'it has 19 entries, and had 100 before' });
    const noise = drop(20).replaceAll('198.51.3.0', 'noise');
    expect(check('drop_v4', noise)).toEqual({ problem: '1 of its 20 rows cannot be read' });
  });
});

test('addresses with a port are written in two ways, and in no other', () => {
  expect(['192.0.2.1:80', '[2001:db8::1]:443'].map(parseListedSocket)).toEqual([
    { ip: '192.0.2.1', port: 80 },
    { ip: '2001:db8::1', port: 443 },
  ]);
  const wrong = [
    '192.0.2.1',
    '192.0.2.1:',
    '192.0.2.1:0',
    '192.0.2.1:65536',
    '192.0.2.01:80',
    '2001:db8::1:443',
    ':80',
    '',
  ];
  expect(wrong.map(parseListedSocket)).toEqual(wrong.map(() => null));
});

test('what reputation services say is shown without characters that turn or hide text', () => {
  const unseen = '\u202e\u200b\x1b[2J\u009b\u2028';
  const isp = `Host${unseen}ing`;
  const data = { abuseConfidenceScore: 1, isp, domain: isp, usageType: isp, countryCode: isp };
  const attributes = {
    last_analysis_stats: { malicious: 0, suspicious: 0, harmless: 0, undetected: 0 },
    country: isp,
    network: isp,
    as_owner: isp,
  };
  const pulses = [{ id: isp, name: isp, TLP: isp }];
  const answers = [
    providers.rep_a.read({ data }),
    providers.rep_b.read({ data: { attributes } }),
    providers.rep_c.read({ country_code: isp, asn: isp, pulse_info: { count: 1, pulses } }),
  ];
  for (const answer of answers) {
    const texts = Object.values({ ...answer, ...Object(answer && 'pulses' in answer ? answer.pulses[0] : {}) });
    expect(texts.filter((text) => typeof text === 'string' && /[\p{C}\p{Zl}\p{Zp}]/u.test(text))).toEqual([]);
    expect(texts).toContainEqual(expect.stringContaining('\ufffd'));
  }
});

// Followed logs, threat feeds, reputation services, the mesh access point.

import { gzipSync } from 'node:zlib';
import { limits } from '#contract/limits.ts';
import { createDhcpLogReader } from '#hub/collect/data-sources/dhcp-log.ts';
import { createDnsLogReader } from '#hub/collect/data-sources/dns-log.ts';
import type { Finding, LineReader } from '#hub/collect/data-sources/findings.ts';
import { createInspectLogReader } from '#hub/collect/data-sources/inspect-log.ts';
import { parseNetwork } from '#hub/collect/mesh/network.ts';
import { parseListedAddress, parseListedName, parseListedSocket } from '#hub/identify/threat/address.ts';
import { parseBlocked } from '#hub/identify/threat/block-list/entry.ts';
import { checkDocument } from '#hub/identify/threat/documents.ts';
import { documentNames } from '#hub/identify/threat/feed-documents.ts';
import { parseAllowed } from '#hub/identify/threat/feeds/false-positives.ts';
import { providers } from '#hub/identify/threat/reputation/services.ts';
import { openRows } from '#hub/identify/threat/tables/rows.ts';
import { isLocalIp } from '#kernel/net/address.ts';
import { createZip } from '#simulators/feeds/zip.ts';
import { boundedLines, strangeAddress, strangeMac, strangePort, toJson, tooMany, toText } from '../checks.ts';
import { defineTarget } from '../target.ts';

/** The tail drops longer ones. */
const linesOf = (input: Buffer) => boundedLines(input, limits.logLine);

function findingFault(found: readonly Finding[], input: Buffer): string | null {
  const addresses = found.flatMap((one) => (one.kind === 'session' ? [one.src, one.dst] : [one.address]));
  const names = found.flatMap((one) => (one.kind === 'session' || one.name === null ? [] : [one.name]));
  const strange = names.find((name) => !/^[a-z0-9_.-]{1,253}$/.test(name));
  return (
    strangeAddress(addresses) ??
    strangeMac(found.flatMap((one) => (one.kind === 'host' ? [one.mac] : []))) ??
    strangePort(found.flatMap((one) => (one.kind === 'session' ? [one.sport, one.dport] : []))) ??
    (strange === undefined ? null : `the name ${JSON.stringify(strange)} is none`) ??
    tooMany('findings', found.length, linesOf(input).length)
  );
}

function logTarget(name: string, create: () => LineReader, seeds: readonly string[], words: readonly string[]) {
  return defineTarget({
    name: `log-${name}`,
    modules: [`src/hub/collect/data-sources/${name}-log.ts`],
    seeds: [...seeds, seeds.join('\n')],
    words,
    growth: 64,
    parse(input) {
      const reader = create();
      return linesOf(input).flatMap((line) => reader.read(line) ?? []);
    },
    fault: findingFault,
  });
}

const logs = [
  logTarget(
    'dns',
    createDnsLogReader,
    [
      'Mar  1 12:00:00 dnsmasq[532]: reply www.example.com is <CNAME>\nMar  1 12:00:00 dnsmasq[532]: reply edge7.cdn.example is 203.0.113.5',
      'Mar  1 12:00:00 dnsmasq[532]: 17 192.168.1.5/50123 reply Files.Example.COM. is 203.0.113.5',
      'Mar  1 12:00:00 dnsmasq[532]: DHCP 192.168.1.7 is laptop.lan',
    ],
    ['dnsmasq[1]: ', 'reply ', 'cached-stale ', '/etc/hosts ', ' is ', '<CNAME>', 'NXDOMAIN', '2001:db8::2'],
  ),
  logTarget(
    'dhcp',
    createDhcpLogReader,
    [
      '<190>[DHCPD] LAN1(port4) Allocates 192.168.100.4: 00:A0:DE:01:02:03',
      'Mar  1 dnsmasq-dhcp[9]: 2887 DHCPACK(br0) 192.168.1.5 00:a0:de:01:02:03 Laptop',
      'Mar  1 dhcpd[7]: DHCPACK on 192.168.1.7 to 00:a0:de:01:02:03 (phone) via eth0',
    ],
    ['[DHCPD] ', 'Extends ', 'dhcpd: ', 'DHCPACK on ', ' via', '00-a0-de-01-02-03', '(', ')'],
  ),
  logTarget(
    'inspect',
    createInspectLogReader,
    [
      'Mar  1 11:59:42 192.0.2.1 [INSPECT] LAN2[out][101100] TCP 192.168.100.3:54874 > 198.51.100.25:443 (2026/03/01 11:58:42)',
      '[INSPECT] PP[01][out][31] UDP 2001:db8:1::5.56609 > 2001:DB8:2::9.443 (2026/09/06 12:33:02)',
      '{"event_type":"tls","src_ip":"192.168.1.5","dest_ip":"203.0.113.5","tls":{"sni":"Shop.Example"}}',
    ],
    ['[INSPECT] ', '[out]', '[in]', ' > ', '(2026/02/31 25:61:61)', 'Dec 31 23:59:59 ', '"tls"', '"sni":', '65536'],
  ),
];

const csv: Readonly<Record<string, string>> = {
  c2: '# Last updated\n"first_seen_utc","dst_ip","dst_port","c2_status","last_online","malware"\n"2026-01-13 21:41:15","203.0.113.44","443","online","2026-11-18","QakBot"\n# END 1 entries\n',
  ioc_recent:
    '# banner\n# "first_seen_utc","ioc_id","ioc_value","ioc_type","threat_type","fk_malware","malware_alias","malware_printable","last_seen_utc","confidence_level","is_compromised","tags"\n"2026-11-18 04:31:23", "1", "203.0.113.77:8443", "ip:port", "botnet_cc", "win.rat", "None", "Rat ""the""", "", "100", "False", "a,b"\n',
  url: '# id,dateadded,url,url_status,last_online,threat,tags,urlhaus_link,reporter\n"1","2026-11-18 04:31:23","http://203.0.113.9:8080/a.sh","online","","malware_download","elf,mirai","https://x.example/","y"\n',
  drop_v4:
    '{"cidr":"203.0.113.0/24","sblid":"SBL1","rir":"x"}\n{"type":"metadata","timestamp":1,"size":1,"records":1}\n',
};
const feedSeeds = (part: string): (string | Buffer)[] => {
  const text =
    csv[part === 'ioc_full' ? 'ioc_recent' : part === 'drop_v6' ? 'drop_v4' : part] ?? 'a.example\n203.0.113.0/24\n';
  const asV6 = part === 'drop_v6' ? text.replace('203.0.113.0/24', '2001:db8::/32') : text;
  return [asV6, gzipSync(asV6), createZip('full.csv', Buffer.from(asV6))];
};

const feeds = documentNames.map((part) =>
  defineTarget({
    name: `feed-${part.replaceAll('_', '-')}`,
    modules: [
      ...['csv', 'feodo', 'threatfox', 'urlhaus', 'spamhaus', 'false-positives', 'time', 'unpack'].map(
        (one) => `src/hub/identify/threat/feeds/${one}.ts`,
      ),
      'src/hub/identify/threat/documents.ts',
    ],
    seeds: feedSeeds(part),
    words: [
      '"',
      '","',
      '# END 2 entries',
      '203.0.113.5',
      '2001:db8::/32',
      'http://[2001:db8::1]:80/',
      'domain',
      '"cidr":',
      'online',
    ],
    growth: 200,
    parse: (body) => checkDocument({ part, body, before: 0 }),
    fault(checked, input) {
      if ('problem' in checked) {
        return checked.problem === '' ? 'a problem without words' : null;
      }
      const again = openRows(checked.rows.packed);
      return (
        (again === null ? 'what was packed cannot be opened' : null) ??
        tooMany('entries', checked.entries, input.length * 1100)
      );
    },
  }),
);

const listed = defineTarget({
  name: 'feed-addresses',
  modules: ['src/hub/identify/threat/address.ts', 'src/hub/identify/threat/feeds/false-positives.ts'],
  seeds: ['203.0.113.5', '[2001:db8::1]:443', '203.0.113.0/24', '2001:db8::/32', 'cdn.example.net.', '1.2.3.4:80'],
  words: ['/8', '/33', '/129', ':', '::', '.', '%eth0', 'xn--', '00', '0x7f.1'],
  isVisible: true,
  parse(input) {
    const text = toText(input).trim();
    return [parseListedAddress(text), parseListedSocket(text), parseListedName(text), parseAllowed(text)] as const;
  },
  fault: ([address, socket]) =>
    strangeAddress([socket?.ip, address?.kind === 'ip' ? address.value : null]) ??
    (address?.kind === 'cidr' && parseListedAddress(address.value)?.value !== address.value
      ? `the range ${address.value} is not read as itself`
      : null) ??
    strangePort([socket?.port]),
});

const blocked = defineTarget({
  name: 'block-list-entries',
  modules: ['src/hub/identify/threat/block-list/entry.ts'],
  seeds: [
    '203.0.113.5',
    '203.0.113.0/24',
    '2001:db8::/32',
    '2001:db8::7',
    'evil.example.',
    '192.168.0.1',
    '64:ff9b::/96',
  ],
  words: ['/8', '/7', '/18', '/19', '/0', '::ffff:', '10.', '127.', '.local', '\n', ';', ' ', '*.'],
  isVisible: true,
  parse: (input) => parseBlocked(toText(input)),
  fault(entry) {
    if ('problem' in entry) {
      return null;
    }
    const again = parseBlocked(entry.value);
    const address = entry.kind === 'domain' ? null : (entry.value.split('/')[0] ?? '');
    return (
      ('problem' in again || again.value !== entry.value ? `${entry.value} is not read as itself` : null) ??
      (/^[\da-z_.:/-]+$/.test(entry.value) ? null : `${entry.value} would be more than one word of a list`) ??
      (address !== null && isLocalIp(address) ? `${address} is of a local network` : null)
    );
  },
});

const reputation = defineTarget({
  name: 'reputation-answers',
  modules: ['src/hub/identify/threat/reputation/services.ts'],
  isJson: true,
  isVisible: true,
  seeds: [
    '{"data":{"abuseConfidenceScore":1,"totalReports":2,"lastReportedAt":"2026-03-01T12:00:00+00:00","countryCode":"DE","isp":"x","domain":"x.example","usageType":"y"}}',
    '{"data":{"attributes":{"last_analysis_stats":{"malicious":1,"suspicious":0,"harmless":1,"undetected":2},"reputation":-1,"country":"DE","network":"203.0.113.0/24","as_owner":"x","last_analysis_date":1772366400}}}',
    '{"reputation":0,"country_code":"DE","asn":"AS1 x","pulse_info":{"count":1,"pulses":[{"id":"1","name":"n","created":"2026-03-01T12:00:00","TLP":"white"}]}}',
  ],
  parse: (input) => Object.values(providers).map(({ read }) => read(toJson(input))),
});

const mesh = defineTarget({
  name: 'mesh-network',
  modules: ['src/hub/collect/mesh/network.ts'],
  isJson: true,
  isVisible: true,
  seeds: [
    '{"nodes":[{"id":"n1","name":"Living room","mac":"00:00:5e:00:53:01","role":"main","online":true}],"clients":[{"mac":"00:00:5e:00:53:02","ip":"192.168.1.5","name":"tv","node":"n1","band":"5","signal":-50,"idleSec":3}]}',
  ],
  words: ['"nodes":', '"clients":', '"mac":', '"2.4"', 'null'],
  parse: (input) => parseNetwork(toJson(input)),
  fault: (network) =>
    network &&
    (strangeMac([...network.nodes, ...network.clients].map(({ mac }) => mac)) ??
      strangeAddress(network.clients.map(({ ip }) => ip)) ??
      tooMany(
        'clients of nodes',
        network.nodes.reduce((sum, { clients }) => Math.max(sum, clients), 0),
        network.clients.length,
      )),
});

export const logAndFeedTargets = [...logs, ...feeds, listed, blocked, reputation, mesh];

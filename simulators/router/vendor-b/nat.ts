// vendor_b's NAT table as text, in the dialects of IOS and IOS-XE, plain and verbose.
import type { NatEntry, WorldView } from '../model.ts';
import { getDialect, getPlatform, getPort } from './platforms.ts';
import { ageText, hoursText, shortTime } from './time.ts';

interface Layout {
  header: string;
  protocolColumns: number;
  columns: number;
}

const ios: Layout = {
  header: 'Pro Inside global      Inside local       Outside local      Outside global',
  protocolColumns: 3,
  columns: 18,
};

const iosXe: Layout = {
  header: 'Pro  Inside global         Inside local          Outside local         Outside global',
  protocolColumns: 4,
  columns: 21,
};

interface Listing {
  world: WorldView;
  /** Router time minus simulator time, ms. */
  shift: number;
  inside: string;
  outside: string;
}

/** `show ip nat translations [vrf NAME] [verbose]`. Ages are worked out when a row is printed. */
export function* translations(world: WorldView, verbose: boolean, vrf?: string): Generator<string> {
  const { settings } = world;
  const dialect = getDialect(settings);
  const isXe = dialect === 'xe16' || dialect === 'xe17';
  const layout = isXe ? iosXe : ios;
  const record = dialect === 'xe17' ? recordXe17 : dialect === 'xe16' ? recordXe16 : recordIos;
  const listing: Listing = {
    world,
    shift: world.routerNow() - world.now(),
    inside: getPort(settings, 'lan').name,
    outside: getPort(settings, 'wan').name,
  };
  let count = 0;
  for (const entry of world.nat()) {
    if ((vrf !== undefined && entry.vrf !== vrf) || (!entry.fixed && world.ttl(entry) <= 0)) {
      continue;
    }
    if (count === 0) {
      yield layout.header;
    }
    count += 1;
    yield row(layout, entry, settings.wanAddress);
    if (verbose) {
      yield* record(listing, entry);
    }
  }
  if (isXe) {
    yield '';
    yield `Total number of translations: ${count}`;
  }
}

/** `show ip nat translations total`, IOS-XE only. */
export function translationTotal(world: WorldView): readonly string[] {
  return [`Total number of translations: ${world.nat().length}`];
}

export function natStatistics(world: WorldView): readonly string[] {
  const entries = world.nat();
  const fixed = entries.filter((entry) => entry.fixed);
  const dynamic = entries.length - fixed.length;
  const extended = dynamic + fixed.filter(({ outerAddress }) => outerAddress === undefined).length;
  const { peak, peakAt, hits, punted, expired } = world.natCounters();
  const outside = getPort(world.settings, 'wan').name;
  const inside = getPlatform(world.settings).ports.filter(({ role }) => role === 'lan' || role === 'second-lan');
  const since = ageText(Math.max(0, Math.floor((world.now() - peakAt) / 1000)));
  return [
    `Total active translations: ${entries.length} (${fixed.length} static, ${dynamic} dynamic; ${extended} extended)`,
    `Peak translations: ${peak + fixed.length}, occurred ${since} ago`,
    'Outside interfaces:',
    `  ${outside}`,
    'Inside interfaces: ',
    `  ${inside.map(({ name }) => name).join(', ')}`,
    `Hits: ${hits}  Misses: 0`,
    `CEF Translated packets: ${hits - punted}, CEF Punted packets: ${punted}`,
    `Expired translations: ${expired}`,
    'Dynamic mappings:',
    '-- Inside Source',
    `[Id: 2] access-list 1 interface ${outside} refcount ${dynamic}`,
    '',
    'Total doors: 0',
    'Appl doors: 0',
    'Normal doors: 0',
    'Queued Packets: 0',
  ];
}

function row({ protocolColumns, columns }: Layout, entry: NatEntry, wan: string): string {
  const [global, local, seen, remote] = cells(entry, wan);
  const protocol = (entry.outerAddress === undefined ? entry.proto : '---').padEnd(protocolColumns);
  return `${protocol} ${global.padEnd(columns)} ${local.padEnd(columns)} ${seen.padEnd(columns)} ${remote}`;
}

/** Inside global, inside local, outside local, outside global. The numbers of ICMP are query ids and may differ. */
function cells(entry: NatEntry, wan: string): readonly [string, string, string, string] {
  const { src, sport, dst, dport, outerPort } = entry;
  if (entry.outerAddress !== undefined) {
    return [entry.outerAddress, src, '---', '---'];
  }
  if (entry.fixed) {
    return [`${wan}:${outerPort}`, `${src}:${sport}`, '---', '---'];
  }
  switch (entry.proto) {
    case 'tcp':
    case 'udp':
      return [`${wan}:${outerPort}`, `${src}:${sport}`, `${dst}:${dport}`, `${dst}:${dport}`];
    case 'icmp':
      return [`${wan}:${outerPort}`, `${src}:${sport}`, `${dst}:${sport}`, `${dst}:${outerPort}`];
    case 'esp':
    case 'gre':
      return [`${wan}:0`, `${src}:0`, `${dst}:0`, `${dst}:0`];
  }
}

function secondsSince(world: WorldView, at: number): number {
  return Math.max(0, Math.floor((world.now() - at) / 1000));
}

function* recordIos({ world }: Listing, entry: NatEntry): Generator<string> {
  const create = ageText(secondsSince(world, entry.createdAt));
  const use = ageText(secondsSince(world, entry.lastPacketAt));
  yield entry.fixed
    ? `    create ${create}, use ${use} timeout:0, `
    : `    create ${create}, use ${use} timeout:${world.timeout(entry) * 1000}, ` +
      `left ${ageText(Math.ceil(world.ttl(entry)))}, Map-Id(In): 2, `;
  yield '    flags: ';
  const flags = entry.fixed ? 'static' : entry.closing ? 'extended, timing-out' : 'extended';
  yield `${flags}, use_count: 0, entry-id: ${entry.id}, lc_entries: 0`;
}

function timesXe({ world, shift }: Listing, entry: NatEntry): string {
  const left = entry.fixed ? '00:00:00' : hoursText(Math.ceil(world.ttl(entry)));
  const create = shortTime(world, entry.createdAt + shift);
  return `  create: ${create}, use: ${shortTime(world, entry.lastPacketAt + shift)}, timeout: ${left}`;
}

function entryIdXe({ id }: NatEntry): string {
  return `0x${(0xe8000000 + id * 0xd0).toString(16)}`;
}

function* recordXe16(listing: Listing, entry: NatEntry): Generator<string> {
  yield timesXe(listing, entry);
  yield '  Map-Id(In): 1';
  yield `  Mac-Address: 0000.0000.0000    Input-IDB: ${entry.fixed ? '' : listing.inside}`;
  yield `  entry-id: ${entryIdXe(entry)}, use_count:1`;
  yield '';
}

function* recordXe17(listing: Listing, entry: NatEntry): Generator<string> {
  const { packetsIn, bytesIn, packetsOut, bytesOut } = entry;
  yield timesXe(listing, entry);
  yield '  RuleID : 4';
  yield `  Flags: ${entry.fixed ? 'static' : 'unknown'}`;
  yield '  ALG Application Type: NA';
  yield '  WLAN-Flags: unknown';
  yield `  Mac-Address: 0000.0000.0000    Input-IDB: ${entry.fixed ? '' : listing.inside}`;
  yield `  entry-id: ${entryIdXe(entry)}, use_count:${entry.fixed ? 0 : 1}`;
  yield `  In_pkts: ${packetsIn} In_bytes: ${bytesIn}, Out_pkts: ${packetsOut} Out_bytes: ${bytesOut}`;
  yield `  Output-IDB: ${entry.fixed ? '' : listing.outside}`;
  yield '';
}

// The block list as the texts that routers and resolvers read. Each has comments and is the same for the same list.
import type { BlockFormat } from '#contract/block-list.ts';
import { isoTime } from '#kernel/time/clock.ts';
import { type Blocked, isIpv6 } from './entry.ts';

export interface GivenList {
  entries: readonly Blocked[];
  /** Epoch milliseconds in whole seconds; 0: nothing was ever on it. */
  changedAt: number;
}

/** A line for each entry that the format can express, and what stands around them. */
interface Format {
  comment: string;
  has: (entry: Blocked) => boolean;
  lines: (entries: readonly Blocked[], changedAt: number) => readonly string[];
}

const isName = ({ kind }: Blocked) => kind === 'domain';
const isAddress = (entry: Blocked) => !isName(entry);

/** The first of our filters: numbers up to 65535 exist on every model, and the web GUI makes none in this range. */
const firstFilter = 60_001;
/** The line that permits the rest comes first, so that no moment denies everything; its number puts it last. */
const lastLine = 1_000_000;

const formats: Readonly<Record<BlockFormat, Format>> = {
  plain: { comment: '#', has: () => true, lines: (entries) => entries.map(({ value }) => value) },
  hosts: { comment: '#', has: isName, lines: (entries) => entries.map(({ value }) => `0.0.0.0 ${value}`) },
  rpz: {
    comment: ';',
    has: () => true,
    lines: (entries, changedAt) => [
      '$TTL 300',
      `@ SOA localhost. hostmaster.localhost. ${changedAt / 1000} 3600 600 86400 300`,
      '@ NS localhost.',
      ...entries.map((entry) => `${isName(entry) ? entry.value : formatRpzAddress(entry.value)} CNAME .`),
    ],
  },
  yamaha: {
    comment: '#',
    has: isAddress,
    lines: (entries) =>
      splitByVersion(entries).flatMap((values, at) =>
        values.map((value, index) => `${at === 0 ? 'ip' : 'ipv6'} filter ${firstFilter + index} reject * ${value}`),
      ),
  },
  cisco: {
    comment: '!',
    has: isAddress,
    lines(entries) {
      const [ipv4 = [], ipv6 = []] = splitByVersion(entries);
      return [
        'no ip access-list extended GATEHOUSE-BLOCK',
        'ip access-list extended GATEHOUSE-BLOCK',
        ` ${lastLine} permit ip any any`,
        ...ipv4.map((value, index) => ` ${index + 1} deny ip any ${formatWildcard(value)}`),
        'no ipv6 access-list GATEHOUSE-BLOCK-V6',
        'ipv6 access-list GATEHOUSE-BLOCK-V6',
        ` permit ipv6 any any sequence ${lastLine}`,
        ...ipv6.map((value, index) => ` deny ipv6 any ${formatIpv6Target(value)} sequence ${index + 1}`),
      ];
    },
  },
};

export function formatBlockList(name: BlockFormat, { entries, changedAt }: GivenList): string {
  const { comment, has, lines } = formats[name];
  const shown = entries.filter(has);
  const left = entries.length - shown.length;
  const comments = [
    `Block list of Gatehouse${changedAt === 0 ? '' : `, as it is since ${isoTime(changedAt)}`}: ${countEntries(shown)}.`,
    ...(left === 0 ? [] : [`Left out, because this format cannot express them: ${left}.`]),
    'The hub changes nothing by itself: it blocks where somebody loads this list.',
  ];
  return `${[...comments.map((text) => `${comment} ${text}`), ...lines(shown, changedAt)].join('\n')}\n`;
}

function countEntries(entries: readonly Blocked[]): string {
  const count = (wanted: Blocked['kind']) => entries.filter(({ kind }) => kind === wanted).length;
  return `addresses: ${count('ip')}, networks: ${count('cidr')}, names: ${count('domain')}`;
}

/** The addresses and networks of IPv4, and those of IPv6. */
function splitByVersion(entries: readonly Blocked[]): readonly [string[], string[]] {
  const values = entries.map(({ value }) => value);
  return [values.filter((value) => !isIpv6(value)), values.filter(isIpv6)];
}

function splitLength(value: string): { address: string; length: number } {
  const [address = '', length] = value.split('/');
  return { address, length: length === undefined ? (isIpv6(value) ? 128 : 32) : Number(length) };
}

/**
 * Returns the name by which a response policy zone blocks answers with this address, such as `32.80.113.0.203.rpz-ip`
 * for 203.0.113.80. The zeros that IPv6 leaves out are `zz` in it.
 */
function formatRpzAddress(value: string): string {
  const { address, length } = splitLength(value);
  const parts = isIpv6(address) ? address.replace('::', ':zz:').split(':') : address.split('.');
  const labels = parts.filter((part) => part !== '').reverse();
  return `${length}.${labels.join('.')}.rpz-ip`;
}

function formatWildcard(value: string): string {
  const { address, length } = splitLength(value);
  const wildcard = 2 ** (32 - length) - 1;
  const octets = [24, 16, 8, 0].map((shift) => (wildcard >>> shift) & 255);
  return length === 32 ? `host ${address}` : `${address} ${octets.join('.')}`;
}

function formatIpv6Target(value: string): string {
  const { address, length } = splitLength(value);
  return length === 128 ? `host ${address}` : value;
}

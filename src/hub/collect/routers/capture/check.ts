// Tells what the driver reads of a capture, row by row, and what it does not.
import type { Bundle } from '#capture/bundle.ts';
import { visibleText } from '#kernel/text/visible-text.ts';
import type { Lease, Neighbour, Session, Snapshot, UnreadReason } from '../driver.ts';
import { toPublicNotes } from '../notes.ts';
import { printable } from '../reader.ts';
import { type PlayedRead, readPlayed } from './played.ts';

/** Returns the lines of `gatehouse capture check`. They hold no control characters. */
export async function describeCapture(bundle: Bundle, signal: AbortSignal): Promise<string[]> {
  const { index } = bundle;
  const read = await readPlayed(bundle, signal);
  const cut = index.exchanges.filter(({ ending }) => ending !== 'prompt');
  const lines = [
    `${index.kind} ${index.model || 'of unknown model'}, ${index.exchanges.length} answers`,
    ...cut.map(({ command, file, ending }) => `cut: ${file}: "${command}" ended ${describeEnding(ending)}`),
    ...index.missing.map((command) => `missing: "${command}" was not answered, because the capture ended early`),
    ...describeRead(read),
  ];
  return lines.map((line) => visibleText(line, 1000, '.'));
}

function describeEnding(ending: 'closed' | 'silent' | 'prompt'): string {
  return ending === 'closed' ? 'when the router closed the connection' : 'in silence';
}

function describeRead({ snapshot, failure, unread }: PlayedRead): string[] {
  if (!snapshot) {
    const sessions = failure?.sessions ?? [];
    return [
      `not read to the end (${failure?.failure}): ${failure?.message}`,
      ...describeRows('sessions read before', sessions.map(formatSession)),
      ...describeUnread(unread),
    ];
  }
  return [
    ...describeRows('sessions', snapshot.sessions.map(formatSession)),
    ...describeRows('neighbours', (snapshot.neighbours ?? []).map(formatNeighbour)),
    ...describeRows('leases', (snapshot.leases ?? []).map(formatLease)),
    ...describeUnread(unread),
    ...describeOtherTables(snapshot, unread),
    ...toPublicNotes(snapshot.notes).notes.map((note) => `note: ${note}`),
    describeCompleteness(snapshot),
  ];
}

const reasons: Readonly<Record<UnreadReason, string>> = {
  'damaged row': 'it begins like a row, and its cells cannot be read',
  'cut by a log line': "a line of the router's log stands inside of it",
  'piece of a row': 'it looks like the rest of a row, which is left out with it',
  'other text': 'it is no row, header or closing line',
  'unsupported form': 'port ranges, IPv6 and names of services are not supported',
};

function describeUnread(unread: PlayedRead['unread']): string[] {
  const rows = unread.map(({ line, reason }) => `${printable(line.trim())}   <- ${reasons[reason]}`);
  return rows.length === 0 ? [] : describeRows('not read of the NAT table', rows);
}

/** Lines of other tables that were not read, and lines that are no text. The driver keeps a few samples of them. */
function describeOtherTables({ unparsed }: Snapshot, unread: PlayedRead['unread']): string[] {
  const ofTable = unread.filter(({ reason }) => reason !== 'unsupported form');
  const lines = new Set(ofTable.map(({ line }) => printable(line)));
  const count = unparsed.count - ofTable.length;
  const samples = unparsed.samples.filter((line) => !lines.has(line)).map((line) => `  ${line}`);
  return count <= 0 ? [] : [`not read besides, of other tables or with bytes that are no text: ${count}`, ...samples];
}

function describeCompleteness({ complete, declared, sessions }: Snapshot): string {
  const stated = declared === null ? '' : `; the router declares ${declared}`;
  return complete
    ? `The table is complete: ${sessions.length} sessions${stated}.`
    : `The table is not complete: ${sessions.length} sessions${stated}. It was cut, rows were damaged, or there are fewer than declared.`;
}

function describeRows(what: string, rows: readonly string[]): string[] {
  return [`${what}: ${rows.length}`, ...rows.map((row) => `  ${row}`)];
}

function formatSession({
  proto,
  src,
  sport,
  dst,
  dport,
  outerAddress,
  outerPort,
  ttl,
  ageSec,
  idleSec,
}: Session): string {
  const times = Object.entries({ left: ttl, age: ageSec, idle: idleSec }).filter(([, seconds]) => seconds !== null);
  const outer = outerAddress === null ? '' : ` as ${outerAddress} ${outerPort ?? ''}`.trimEnd();
  return `${proto} ${src} ${sport ?? '-'} -> ${dst} ${dport}${outer}${times.map(([name, seconds]) => ` ${name} ${seconds} s`).join('')}`;
}

function formatNeighbour({ address, mac, interfaceName }: Neighbour): string {
  return `${address} ${mac} ${interfaceName}`;
}

function formatLease({ address, mac, clientId, name }: Lease): string {
  return `${address} ${mac ?? clientId ?? '-'} ${name ?? ''}`.trimEnd();
}

// Tells what the driver reads of a capture, row by row, and what it does not.
import type { Bundle } from '#capture/bundle.ts';
import type { Lease, Neighbour, Session, Snapshot, Unparsed } from '../driver.ts';
import { toPublicNotes } from '../notes.ts';
import { type PlayedRead, readPlayed } from './played.ts';

/** The lines of `gatehouse capture check`. */
export async function describeCapture(bundle: Bundle, signal: AbortSignal): Promise<string[]> {
  const { index } = bundle;
  const read = await readPlayed(bundle, signal);
  const cut = index.exchanges.filter(({ ending }) => ending !== 'prompt');
  return [
    `${index.kind} ${index.model || 'of unknown model'}, ${index.exchanges.length} answers`,
    ...cut.map(({ command, file, ending }) => `cut: ${file}: "${command}" ended ${describeEnding(ending)}`),
    ...index.missing.map((command) => `missing: "${command}" was not answered, because the capture ended early`),
    ...describeRead(read),
  ];
}

function describeEnding(ending: 'closed' | 'silent' | 'prompt'): string {
  return ending === 'closed' ? 'when the router closed the connection' : 'in silence';
}

function describeRead({ snapshot, failure }: PlayedRead): string[] {
  if (!snapshot) {
    const sessions = failure?.sessions ?? [];
    return [
      `not read to the end (${failure?.failure}): ${failure?.message}`,
      ...describeRows('sessions read before', sessions.map(formatSession)),
    ];
  }
  return [
    ...describeRows('sessions', snapshot.sessions.map(formatSession)),
    ...describeRows('neighbours', (snapshot.neighbours ?? []).map(formatNeighbour)),
    ...describeRows('leases', (snapshot.leases ?? []).map(formatLease)),
    ...describeUnread('not understood: damaged, or text of another kind', snapshot.unparsed),
    ...describeUnread('of a form that is not supported: port ranges, IPv6, names of services', snapshot.unsupported),
    ...toPublicNotes(snapshot.notes).notes.map((note) => `note: ${note}`),
    describeCompleteness(snapshot),
  ];
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

function describeUnread(why: string, { count, samples }: Unparsed): string[] {
  const more = count > samples.length ? [`  and ${count - samples.length} more`] : [];
  return count === 0 ? [] : [`not read, ${why}: ${count}`, ...samples.map((line) => `  ${line}`), ...more];
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

// Reads the NAT table of a vendor_a router, on request its neighbours and leases, too. Needs no administrator rights.
import type { RouterNote } from '#contract/router-notes.ts';
import { toSnapshot } from './asking.ts';
import { type CollectOptions, type RouterDriver, type Shell, ShellError, type Snapshot } from './driver.ts';
import { listTableNotes, mergeUnparsed } from './reader.ts';
import {
  adoptCharacterSet,
  askIfKnown,
  checkedDescriptor,
  configLines,
  listDescriptors,
  type NatRead,
  readEnvironment,
  readNat,
} from './vendor-a/commands.ts';
import { detectVendorA } from './vendor-a/detection.ts';
import { parseVendorADhcp } from './vendor-a/dhcp.ts';
import { parseVendorAArp, parseVendorANdp } from './vendor-a/neighbours.ts';
import { parseMasqueradeSummary } from './vendor-a/summary.ts';

/** From this many pages on, paging is slow enough to tell the operator. */
const manyPages = 20;
/** The router's own default, for a descriptor whose timer is not configured. */
const defaultNatTimerSec = 900;

export const vendorA: RouterDriver = { kind: 'vendor_a', detect: detectVendorA, collect };

async function collect(shell: Shell, options: CollectOptions): Promise<Snapshot> {
  const { memory, settings } = options;
  const descriptor = checkedDescriptor(settings.nat);
  memory.model ??= (await readEnvironment(shell, options)).model;
  await adoptCharacterSet(shell, options);
  if (memory.natTimerSec === undefined) {
    const timer = (await configLines(shell, 'nat descriptor timer', options)).timers.get(descriptor);
    memory.natTimerSec = timer === undefined ? defaultNatTimerSec : timer;
  }
  const natRead = await readNat(shell, descriptor, options);
  await checkDescriptor(shell, descriptor, natRead, options);
  const { table } = natRead;
  const fullTableNotes = await readFullTableNotes(shell, descriptor, table.staticRows, options);
  const neighbours = options.neighbours ? await readNeighbours(shell, options) : null;
  const leases = options.leases ? parseVendorADhcp(await askIfKnown(shell, 'show status dhcp', options)) : null;
  const notes: RouterNote[] = [
    ...fullTableNotes,
    ...(natRead.pages < manyPages ? [] : [{ code: 'table_in_pages', pages: natRead.pages } as const]),
    ...listTableNotes(table, natRead.pressedAgain),
    ...(neighbours?.notes ?? []),
  ];
  return toSnapshot(shell, memory.model, { table, neighbours, leases, notes });
}

/**
 * Throws when the NAT descriptor does not exist. An empty table may also mean an idle network, so the router's list of
 * descriptors decides. `noisy` lines were damaged, but show that the table has rows.
 */
async function checkDescriptor(
  shell: Shell,
  descriptor: string,
  natRead: NatRead,
  options: CollectOptions,
): Promise<void> {
  const { table, error, noisy } = natRead;
  if (error === 'privilege') {
    throw new ShellError(
      'show_refused',
      'This user may not read the NAT table. Enter a user that may run the `show` commands of the router.',
    );
  }
  if (error === null && (table.sessions.length > 0 || table.staticRows > 0 || noisy > 0)) {
    return;
  }
  const listed = await listDescriptors(shell, options);
  if (error === null && listed.some((summary) => summary.descriptor === descriptor)) {
    return;
  }
  const candidates = [...new Set(listed.map((summary) => summary.descriptor))];
  const advice =
    candidates.length === 0 ? 'The router lists none.' : `The router has ${candidates.join(', ')}: choose one of them.`;
  const reason = candidates.length === 0 ? 'no_descriptors' : 'descriptor_missing';
  throw new ShellError(reason, `NAT descriptor ${descriptor} is not in use on the router. ${advice}`, {
    descriptor,
    candidates: candidates.join(', '),
  });
}

/** The router's summary counts only sessions; static mappings take entries of the table, too. */
async function readFullTableNotes(
  shell: Shell,
  descriptor: string,
  staticRows: number,
  options: CollectOptions,
): Promise<RouterNote[]> {
  const lines = await askIfKnown(shell, `show nat descriptor masquerade session ${descriptor} summary`, options);
  const full = parseMasqueradeSummary(lines).filter(({ current, max }) => current + staticRows >= max);
  return full.map(({ current, max }) => ({ code: 'table_full', used: current + staticRows, most: max }));
}

async function readNeighbours(shell: Shell, options: CollectOptions) {
  const arp = parseVendorAArp(await askIfKnown(shell, 'show arp', options));
  // The ages in the ARP table count back from here, not from the end of the next command.
  const at = options.now();
  const ndp = parseVendorANdp(await askIfKnown(shell, 'show ipv6 neighbor cache', options));
  const found = [...arp.neighbours, ...ndp.neighbours];
  const { declared } = arp;
  const read = arp.neighbours.length;
  const notes = declared !== null && read < declared ? [{ code: 'arp_incomplete', read, declared } as const] : [];
  return { found, at, notes, unparsed: mergeUnparsed(arp.unparsed, ndp.unparsed) };
}

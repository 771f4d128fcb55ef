// vendor_a's driver: one detailed NAT table, neighbours now and then, everything at user level.
import { toSnapshot } from './asking.ts';
import { type CollectOptions, type RouterDriver, type Shell, ShellError, type Snapshot } from './driver.ts';
import { logLineNotes, lostKeyNotes, mergeUnparsed, unsupportedNotes } from './reader.ts';
import {
  askIfKnown,
  checkedDescriptor,
  configLines,
  followCharacterSet,
  listDescriptors,
  type NatRead,
  readEnvironment,
  readNat,
} from './vendor-a/commands.ts';
import { detectVendorA } from './vendor-a/detection.ts';
import { parseVendorADhcp } from './vendor-a/dhcp.ts';
import { parseVendorAArp, parseVendorANdp } from './vendor-a/neighbours.ts';
import { parseMasqueradeSummary } from './vendor-a/summary.ts';

export const vendorA: RouterDriver = { kind: 'vendor_a', detect: detectVendorA, collect };

async function collect(shell: Shell, options: CollectOptions): Promise<Snapshot> {
  const { memory, settings } = options;
  const descriptor = checkedDescriptor(settings.nat);
  memory.model ??= (await readEnvironment(shell, options)).model;
  await followCharacterSet(shell, options);
  if (memory.natTimerSec === undefined) {
    const timer = (await configLines(shell, 'nat descriptor timer', options)).timers.get(descriptor);
    memory.natTimerSec = timer === undefined ? 900 : timer;
  }
  const read = await readNat(shell, descriptor, options);
  await checkDescriptor(shell, descriptor, read, options);
  const full = await tableFull(shell, descriptor, read.table.staticRows, options);
  const neighbours = options.neighbours ? await readNeighbours(shell, options) : null;
  const leases = options.leases ? parseVendorADhcp(await askIfKnown(shell, 'show status dhcp', options)) : null;
  const { table } = read;
  const notes = [
    ...full,
    ...pagingNotes(read.pages),
    ...lostKeyNotes(read.pressedAgain),
    ...logLineNotes(table.logLines),
    ...unsupportedNotes(table.unsupported),
    ...(neighbours?.notes ?? []),
  ];
  return toSnapshot(shell, memory.model, { table, neighbours, leases, notes });
}

/** An empty answer may mean an idle network or a descriptor that is gone: only the device's own list can tell. */
async function checkDescriptor(
  shell: Shell,
  descriptor: string,
  read: NatRead,
  options: CollectOptions,
): Promise<void> {
  const { table, error, noisy } = read;
  if (error === 'privilege') {
    throw new ShellError(
      'privilege',
      'This user may not read the NAT table. Give it a login that may use `show` commands.',
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
  throw new ShellError('descriptor_missing', `NAT descriptor ${descriptor} is not in use on the router. ${advice}`, {
    descriptor,
    candidates: candidates.join(', '),
  });
}

/** Static mappings take room in the table but are not counted in its summary. */
async function tableFull(
  shell: Shell,
  descriptor: string,
  staticRows: number,
  options: CollectOptions,
): Promise<string[]> {
  const lines = await askIfKnown(shell, `show nat descriptor masquerade session ${descriptor} summary`, options);
  const full = parseMasqueradeSummary(lines).filter(({ current, max }) => current + staticRows >= max);
  return full.map(
    ({ current, max }) => `The NAT table is full: ${current} of ${max} sessions. New connections are refused.`,
  );
}

async function readNeighbours(shell: Shell, options: CollectOptions) {
  const arp = parseVendorAArp(await askIfKnown(shell, 'show arp', options));
  const at = options.now();
  const ndp = parseVendorANdp(await askIfKnown(shell, 'show ipv6 neighbor cache', options));
  const found = [...arp.neighbours, ...ndp.neighbours];
  const missing = arp.declared !== null && arp.neighbours.length < arp.declared;
  const notes = missing ? [`Only ${arp.neighbours.length} of ${arp.declared} ARP entries could be read.`] : [];
  return { found, at, notes, unparsed: mergeUnparsed(arp.unparsed, ndp.unparsed) };
}

/** Pages from which on asking for each of them is worth a word. */
const manyPages = 20;

function pagingNotes(pages: number): string[] {
  return pages < manyPages
    ? []
    : [
        `The router shows its table in ${pages} pages; its owner can make reading faster with \`console lines infinity\`.`,
      ];
}

// Everything that is ever typed on a vendor_b router: `show …`, `terminal …` for this session only, and `enable`.
import type { RouterNote } from '#contract/router-notes.ts';
import { createAsking, type TableAnswer } from '../asking.ts';
import { type CollectOptions, type Shell, ShellError } from '../driver.ts';
import { wrongVendor } from '../kinds.ts';
import { listTableNotes } from '../reader.ts';
import { parseNatStatistics } from './device.ts';
import { parseVendorBError, type VendorBError } from './error.ts';
import { createTranslationReader, type Translations } from './nat.ts';
import { parseClock } from './timers.ts';

const { ask, askIfKnown, readTable } = createAsking('vendor_b', parseVendorBError);

export { askIfKnown };

/** Asks for unpaged, unbroken output of this session, once per connection. The pager is answered if that is denied. */
export async function prepare(shell: Shell, options: CollectOptions): Promise<void> {
  const { memory, signal } = options;
  if (memory.prepared === shell) {
    return;
  }
  if (/Yamaha Corporation|^\S+ Rev\.\d/im.test(shell.banner)) {
    throw wrongVendor('vendor_b');
  }
  await ask(shell, 'terminal length 0', signal);
  if ((await ask(shell, 'terminal width 0', signal)).error !== null) {
    await ask(shell, 'terminal width 511', signal);
  }
  memory.prepared = shell;
}

export interface TableRead extends TableAnswer<Translations, VendorBError> {
  notes: readonly RouterNote[];
}

const verboseCommand = 'show ip nat translations verbose';
const plainCommand = 'show ip nat translations';

/**
 * Reads the table with its times; raises the privilege when that is refused and a secret is known; falls back to the
 * plain table and remembers it. Throws `privilege` when this user cannot read the table at all.
 */
export async function readTranslations(shell: Shell, options: CollectOptions): Promise<TableRead> {
  const { memory, settings, signal } = options;
  const statistics = parseNatStatistics(await askIfKnown(shell, 'show ip nat statistics', options));
  const clock = await readClock(shell, options);
  const { now, onUnread } = options;
  const expecting = { routerNow: clock.routerNow, expected: statistics.total, now, onUnread };
  const read = (command: string) => readTable(shell, command, createTranslationReader(expecting), signal);
  let table = memory.refused.has(verboseCommand) ? null : await read(verboseCommand);
  if (table?.error && !shell.privileged() && settings.enablePass !== null && settings.enablePass !== '') {
    await shell.escalate('enable', settings.enablePass, signal);
    table = await read(verboseCommand);
  }
  const verbose = table !== null && table.error === null;
  if (table === null || table.error !== null) {
    memory.refused.add(verboseCommand);
    table = await read(plainCommand);
  }
  if (table.error !== null) {
    throw unreadable(shell, table.error);
  }
  const { limit } = statistics;
  const full: RouterNote[] =
    limit && limit.used >= limit.max ? [{ code: 'table_full', used: limit.used, most: limit.max }] : [];
  return { ...table, notes: [...full, ...listReadNotes(table, verbose, clock)] };
}

type ClockRead = Awaited<ReturnType<typeof readClock>>;

/** The router's local time from now on: newer images print times of day, which mean nothing without it. */
async function readClock(shell: Shell, options: CollectOptions) {
  const clock = parseClock(await askIfKnown(shell, 'show clock', options));
  const readAt = options.now();
  return {
    routerNow: () => (clock ? clock.localAt + options.now() - readAt : null),
    isSet: clock?.isSet ?? true,
  };
}

function listReadNotes(
  read: TableAnswer<Translations, VendorBError>,
  verbose: boolean,
  clock: ClockRead,
): RouterNote[] {
  const notes: RouterNote[] = [];
  if (!verbose) {
    notes.push({ code: 'no_times' });
  }
  if (read.table.absoluteTimes && !clock.isSet) {
    notes.push({ code: 'clock_not_set' });
  }
  if (read.table.merged) {
    notes.push({ code: 'cells_merged' });
  }
  if (read.pages > 0) {
    notes.push({ code: 'paging_stays_on' });
  }
  return [...notes, ...listTableNotes(read.table, read.pressedAgain)];
}

function unreadable(shell: Shell, error: VendorBError): ShellError {
  if (error === 'authorization' || !shell.privileged()) {
    return new ShellError(
      'privilege',
      'This user may not read the NAT table. Enter the enable secret for this router, or give the user the privilege.',
    );
  }
  return new ShellError(
    'unreadable',
    'The router does not know the command that shows its NAT table. Check that it translates addresses.',
  );
}

// Prepares the terminal of a vendor_b router and reads its NAT table. ../vendor-b.ts types the other `show` commands.
import type { RouterNote } from '#contract/router-notes.ts';
import { createAsking, type TableAnswer } from '../asking.ts';
import { type CollectOptions, type Shell, ShellError } from '../driver.ts';
import { wrongVendor } from '../kinds.ts';
import { listTableNotes } from '../reader.ts';
import { type NatStatistics, parseNatStatistics } from './device.ts';
import { parseVendorBError, type VendorBError } from './error.ts';
import { createTranslationReader, type Translations } from './nat.ts';
import { parseClock } from './timers.ts';

const { ask, askIfKnown, readTable } = createAsking('vendor_b', parseVendorBError);

export { askIfKnown };

/**
 * Asks once per connection for output without pages or line breaks; the shell answers the pager where that is refused.
 * Throws ShellError `wrong_vendor` for a Yamaha router.
 */
export async function prepareTerminal(shell: Shell, options: CollectOptions): Promise<void> {
  const { memory, signal } = options;
  if (memory.prepared === shell) {
    return;
  }
  // A Yamaha banner has a line such as `RTX1210 Rev.14.01.42` and a copyright line.
  if (/Yamaha Corporation|^\S+ Rev\.\d/im.test(shell.banner)) {
    throw wrongVendor('vendor_b');
  }
  await ask(shell, 'terminal length 0', signal);
  if ((await ask(shell, 'terminal width 0', signal)).error !== null) {
    // Width 0 means no limit; 511 columns is what the hub asks for when it opens the shell.
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
 * Reads the NAT table; without times when the router refuses them even after `enable`. Throws ShellError `privilege` or
 * `unreadable` when it refuses the table, `escalation_failed` when it refuses the enable secret, and `wrong_vendor`.
 */
export async function readTranslations(shell: Shell, options: CollectOptions): Promise<TableRead> {
  const { memory, settings, signal, now, onUnread } = options;
  const { total, limit } = parseNatStatistics(await askIfKnown(shell, 'show ip nat statistics', options));
  const { routerNow, isSet: isClockSet } = await readClock(shell, options);
  const readerOptions = { routerNow, expected: total, now, onUnread };
  const read = (command: string) => readTable(shell, command, createTranslationReader(readerOptions), signal);
  let answer = memory.refused.has(verboseCommand) ? null : await read(verboseCommand);
  if (answer?.error && !shell.privileged() && settings.enablePass) {
    await shell.escalate('enable', settings.enablePass, signal);
    answer = await read(verboseCommand);
  }
  const hasTimes = answer?.error === null;
  if (answer?.error !== null) {
    memory.refused.add(verboseCommand);
    answer = await read(plainCommand);
  }
  if (answer.error !== null) {
    throw createRefusalError(shell, answer.error);
  }
  return { ...answer, notes: listReadNotes(answer, { hasTimes, isClockSet, limit }) };
}

/** Newer images print times of day: their ages are counted from `routerNow`, the router's local time. */
async function readClock(shell: Shell, options: CollectOptions) {
  const clock = parseClock(await askIfKnown(shell, 'show clock', options));
  const readAt = options.now();
  return {
    routerNow: () => (clock ? clock.localAt + options.now() - readAt : null),
    isSet: clock?.isSet ?? true,
  };
}

interface ReadState extends Pick<NatStatistics, 'limit'> {
  hasTimes: boolean;
  isClockSet: boolean;
}

function listReadNotes(
  { table, pages, pressedAgain }: TableAnswer<Translations, VendorBError>,
  { hasTimes, isClockSet, limit }: ReadState,
): RouterNote[] {
  const notes: RouterNote[] = [];
  if (limit && limit.used >= limit.max) {
    notes.push({ code: 'table_full', used: limit.used, most: limit.max });
  }
  if (!hasTimes) {
    notes.push({ code: 'no_times' });
  }
  if (table.absoluteTimes && !isClockSet) {
    notes.push({ code: 'clock_not_set' });
  }
  if (table.merged) {
    notes.push({ code: 'cells_merged' });
  }
  if (pages > 0) {
    notes.push({ code: 'paging_stays_on' });
  }
  return [...notes, ...listTableNotes(table, pressedAgain)];
}

function createRefusalError(shell: Shell, error: VendorBError): ShellError {
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

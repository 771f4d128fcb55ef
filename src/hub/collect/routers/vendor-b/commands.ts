// Everything that is ever typed on a vendor_b router: `show …`, `terminal …` for this session only, and `enable`.
import { type CollectOptions, type Shell, ShellError } from '../driver.ts';
import { requireKind, wrongVendor } from '../kinds.ts';
import { logLineNotes, lostKeyNotes, unsupportedNotes } from '../reader.ts';
import { parseNatStatistics } from './device.ts';
import { parseVendorBError, type VendorBError } from './error.ts';
import { createTranslationReader, type TranslationOptions, type Translations } from './nat.ts';
import { parseClock } from './timers.ts';

export interface Answer {
  lines: string[];
  error: VendorBError | null;
}

/** Runs a short command. Throws `wrong_vendor` when the answer is the other kind's refusal. */
export async function ask(shell: Shell, command: string, signal: AbortSignal): Promise<Answer> {
  const { lines } = await shell.run(command, { signal });
  requireKind('vendor_b', lines);
  return { lines, error: lines.map(parseVendorBError).find((error) => error !== null) ?? null };
}

/** The lines of an answer; none when the command was refused, now or earlier on this connection. */
export async function askIfKnown(shell: Shell, command: string, options: CollectOptions): Promise<string[]> {
  if (options.memory.refused.has(command)) {
    return [];
  }
  const answer = await ask(shell, command, options.signal);
  if (answer.error !== null) {
    options.memory.refused.add(command);
    return [];
  }
  return answer.lines;
}

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

export interface TableRead {
  table: Translations;
  error: VendorBError | null;
  pages: number;
  pressedAgain: number;
  verbose: boolean;
  notes: string[];
}

const verboseCommand = 'show ip nat translations verbose';
const plainCommand = 'show ip nat translations';

/**
 * Reads the table with its times; raises the privilege when that is refused and a secret is known; falls back to the
 * plain table and remembers it. Throws `privilege` when this user cannot read the table at all.
 */
export async function readTranslations(shell: Shell, options: CollectOptions): Promise<TableRead> {
  const { memory, settings, signal } = options;
  const statistics = await readStatistics(shell, options);
  const clock = await readClock(shell, options);
  const expecting = { routerNow: clock.routerNow, expected: statistics.total, now: options.now };
  const read = (command: string) => readTable(shell, command, expecting, signal);
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
  const full =
    limit && limit.used >= limit.max ? [`The NAT table is full: ${limit.used} of ${limit.max} entries.`] : [];
  return { ...table, verbose, notes: [...full, ...describeRead(table, verbose, clock)] };
}

async function readStatistics(shell: Shell, options: CollectOptions) {
  return parseNatStatistics(await askIfKnown(shell, 'show ip nat statistics', options));
}

interface ClockRead {
  routerNow: () => number | null;
  isSet: boolean;
}

/** The router's local time from now on: newer images print times of day, which mean nothing without it. */
async function readClock(shell: Shell, options: CollectOptions): Promise<ClockRead> {
  const clock = parseClock(await askIfKnown(shell, 'show clock', options));
  const readAt = options.now();
  return {
    routerNow: () => (clock ? clock.localAt + options.now() - readAt : null),
    isSet: clock?.isSet ?? true,
  };
}

type Read = Pick<TableRead, 'table' | 'error' | 'pages' | 'pressedAgain'>;

async function readTable(
  shell: Shell,
  command: string,
  options: TranslationOptions,
  signal: AbortSignal,
): Promise<Read> {
  const reader = createTranslationReader(options);
  let error: VendorBError | null = null;
  const onLine = (line: string) => {
    const refusal = parseVendorBError(line);
    error ??= refusal;
    if (refusal === null) {
      reader.push(line);
    }
  };
  const { noisy, pages, pressedAgain } = await shell.run(command, { signal, onLine }).catch((thrown) => {
    throw thrown instanceof ShellError ? thrown.after(reader.end({ cut: true, noisy: 0 }).sessions) : thrown;
  });
  return { table: reader.end({ cut: false, noisy }), error, pages, pressedAgain };
}

function describeRead(read: Read, verbose: boolean, clock: ClockRead): string[] {
  const notes: string[] = [];
  if (!verbose) {
    notes.push('The router shows its NAT table without times to this user; when a session was last used is not known.');
  }
  if (read.table.absoluteTimes && !clock.isSet) {
    notes.push("The router's clock is not set. Ages are taken from it as it stands; set up NTP on the router.");
  }
  if (read.table.merged) {
    notes.push(
      'The cells of the NAT table run into each other, as a training simulator prints them. Such a table cannot be read.',
    );
  }
  if (read.pages > 0) {
    notes.push('The router shows its tables page by page: `terminal length 0` is denied to this user.');
  }
  const { logLines, unsupported } = read.table;
  return [...notes, ...logLineNotes(logLines), ...unsupportedNotes(unsupported), ...lostKeyNotes(read.pressedAgain)];
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

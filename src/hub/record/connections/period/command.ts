// `gatehouse replay export`: writes a part of the log as a file that simulators play.
import { anonymisePeriod } from '#capture/anonymise-period.ts';
import { createMapping } from '#capture/mapping.ts';
import { formatPeriod, mostPeriod } from '#capture/period.ts';
import { createFile, isThere } from '#kernel/files/files.ts';
import { runCommandGroup } from '#kernel/process/command-group.ts';
import { runProgram, UsageError } from '#kernel/process/program.ts';
import { ReadConnection } from '#kernel/sqlite/sqlite.ts';
import { randomHex } from '#kernel/text/secret.ts';
import { parseIsoTime } from '#kernel/time/clock.ts';
import { hourMs } from '#kernel/time/time.ts';
import { dataOption, findDatabase } from '../../../base/storage/commands/places.ts';
import { type HourRange, readLogPeriod } from './read-log.ts';

const groupUsage = `Usage: gatehouse replay COMMAND [options]

Takes a part of the log out, so that simulators play it to another hub.

Commands
  export      write a period of the log as a file

gatehouse sim vendor_a --period FILE plays it; so do vendor_b and agent.
`;

const exportUsage = `Usage: gatehouse replay export --from TIME --to TIME --output FILE [options]

Writes the connections of a period as JSON lines: who saw them, their addresses and ports, when they were seen, and the
programs that Agents named. The period is taken in whole hours. The hub may run meanwhile.

Options
  --from TIME    start of the period, such as 2026-03-01T08:00:00Z; the hour that holds it is the first one
  --to TIME      end of the period; the hour that holds the millisecond before it is the last one
  --output FILE  the file to make; it must not exist
  --anonymise    replaces addresses, MACs and names as gatehouse capture does, by a random mapping that is not kept
${dataOption.replace('--data DIR  ', '--data DIR     ')}
  --help         this text
  --version      the version
`;

const options = {
  from: { type: 'string' },
  to: { type: 'string' },
  output: { type: 'string' },
  anonymise: { type: 'boolean', default: false },
  data: { type: 'string' },
} as const;

/** Resolves to the exit code. */
export function runReplay(argv: readonly string[]): Promise<number> {
  return runCommandGroup(argv, { name: 'gatehouse replay', usage: groupUsage, commands: { export: runExport } });
}

function runExport(argv: readonly string[]): Promise<number> {
  const program = { name: 'replay export', usage: exportUsage, options };
  return runProgram(argv, program, async ({ from, to, output, anonymise, data }) => {
    const range = parseRange(from, to);
    if (output === undefined) {
      throw new UsageError('--output is missing: name the file to make');
    }
    if (isThere(output)) {
      throw new UsageError(`--output ${output} is there already: name another file, or remove it`);
    }
    const { leftOut, ...log } = readDatabase(findDatabase(data), range);
    const period = anonymise ? anonymisePeriod(createMapping(randomHex(64)), log) : log;
    const bytes = Buffer.from(formatPeriod(period));
    if (bytes.length > mostPeriod.bytes) {
      throw new Error(`the period takes ${bytes.length} bytes, more than ${mostPeriod.bytes}: choose a shorter one`);
    }
    createFile(output, bytes);
    const { connections, hosts, header } = period;
    const counts = `${connections.length} connections, ${hosts.length} hosts, ${header.observers.length} routers and Agents`;
    process.stdout.write(`${output}: ${counts}, from ${header.from} to ${header.to}\n`);
    if (leftOut > 0) {
      process.stdout.write(
        `${leftOut} connections were left out: simulated routers do not translate their protocols\n`,
      );
    }
  });
}

function readDatabase(file: string, range: HourRange) {
  const reader = new ReadConnection(file, 4096);
  try {
    reader.begin();
    return readLogPeriod(reader, range);
  } finally {
    reader.close();
  }
}

function parseRange(from: string | undefined, to: string | undefined): HourRange {
  const range = {
    from: Math.floor(parseTime('from', from) / hourMs),
    to: Math.ceil(parseTime('to', to) / hourMs),
  };
  if (range.to <= range.from) {
    throw new UsageError('--to must be later than --from');
  }
  return range;
}

function parseTime(name: string, text: string | undefined): number {
  const at = text === undefined ? null : parseIsoTime(text);
  if (at === null) {
    const fault = text === undefined ? 'is missing: it takes' : 'must be';
    throw new UsageError(`--${name} ${fault} a date and time with offset, such as 2026-03-01T08:00:00Z`);
  }
  return at;
}

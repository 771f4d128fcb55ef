// `gatehouse sim lab`: the simulators of a scenario and what happens to them, until its timeline ends.
import { existsSync, globSync } from 'node:fs';
import path from 'node:path';
import { messageOf } from '#kernel/errors.ts';
import { writeText } from '#kernel/files/files.ts';
import { listenFailure } from '#kernel/http/listen-failure.ts';
import { mustBe } from '#kernel/process/env.ts';
import { urlOption, wholeOption } from '#kernel/process/option-value.ts';
import { type OptionValues, runProgram, UsageError } from '#kernel/process/program.ts';
import { stopSignal } from '#kernel/process/stop-signal.ts';
import { parseIsoTime, systemClock, utcTime } from '#kernel/time/clock.ts';
import { requireLoopback } from '../support/loopback.ts';
import { createPacedClock, createSteppedClock } from './clock.ts';
import { duration } from './duration.ts';
import { type Journal, prepareOutputs } from './outputs.ts';
import { type ReadScenario, readScenario } from './read.ts';
import { runTimeline } from './run.ts';

const shipped = path.join(import.meta.dirname, '../scenarios');

const formatUsage = (program: string) => `Usage: ${program} SCENARIO [options]

Starts the simulators of a scenario, does to them what its timeline says, and ends with it. SCENARIO is a YAML file, or
the name of one that is shipped. It prints a JSON line for each simulator, then notable events on stderr.
Exit code 0: every step was done; 1: a step failed, or was not reached; 2: the file or an option is wrong, and nothing started.

  --list                   the scenarios that are shipped
  --seed N                 seed of all that is random, instead of that of the scenario; the same seed gives the same journal
  --speed N                so many times faster than the wall clock, 0.01 to 100000 (1); max: from event to event, waiting
                           only for the hub of Agents
  --start TIME             time of the clock at the start: now, or such as 2026-01-05T00:00:00Z
  --duration D             when it ends, such as 90s or 2h, instead of what the scenario says
  --hub URL                the hub of its Agents, instead of what the scenario says
  --free-ports             takes any free ports, instead of those of the scenario
  --ready-file FILE        writes the JSON lines to this file when all simulators listen; one of an earlier run is removed first
  --journal FILE           writes what is done and what happens to this file, one JSON line each
  --host A                 address to listen on (127.0.0.1)
  --help                   this text
  --version                the version
`;

interface LabOptions {
  read: ReadScenario;
  start: number;
  /** null: without waiting. */
  speed: number | null;
  host: string;
  readyFile: string | undefined;
  journal: Journal;
}

const options = {
  list: { type: 'boolean' },
  seed: { type: 'string' },
  speed: { type: 'string', default: '1' },
  start: { type: 'string' },
  duration: { type: 'string' },
  hub: { type: 'string' },
  'free-ports': { type: 'boolean' },
  'ready-file': { type: 'string' },
  journal: { type: 'string' },
  host: { type: 'string', default: '127.0.0.1' },
} as const;

/** Runs a scenario with the arguments of `program`, the words that the user typed before them; resolves to the exit code. */
export function runScenario(argv: readonly string[], program: string): Promise<number> {
  const explain = (error: unknown) =>
    listenFailure(error, { port: 'port in the scenario', host: '--host' }) ?? messageOf(error);
  const operands = { name: 'scenario', most: 1 };
  const about = { name: 'sim lab', typed: program, usage: formatUsage(program), options, operands, explain };
  return runProgram(argv, about, async (values, [name]) => {
    if (values.list) {
      process.stdout.write(listShipped());
    } else {
      await playScenario(checkOptions(values, name), stopSignal());
    }
  });
}

/** Throws a UsageError for an option or a scenario that cannot be used. */
function checkOptions(values: OptionValues<typeof options>, name: string | undefined): LabOptions {
  if (name === undefined) {
    throw new UsageError('needs a scenario');
  }
  const speed = values.speed === 'max' ? null : parseSpeed(values.speed);
  const overrides = {
    seed: values.seed === undefined ? undefined : wholeOption('seed', values.seed, [0, 0xffff_ffff]),
    duration: values.duration === undefined ? undefined : parseDuration(values.duration),
    hub: values.hub === undefined ? undefined : urlOption('hub', values.hub, 'a hub'),
    freePorts: values['free-ports'],
  };
  const start = values.start === undefined ? undefined : parseStart(values.start);
  const file = findScenario(name);
  const read = readScenario(file, overrides);
  if (speed === null) {
    requireEnd(read);
  }
  const ownStart = read.scenario.start;
  const usualStart = ownStart === undefined ? utcTime(2026, 1, 5) : (parseIsoTime(ownStart) ?? 0);
  const { host, journal, 'ready-file': readyFile } = values;
  requireLoopback(host);
  return {
    read,
    start: start ?? usualStart,
    speed,
    host,
    readyFile,
    journal: prepareOutputs(file, { readyFile, journal }),
  };
}

function parseSpeed(text: string): number {
  const speed = /^\d{1,6}(?:\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (speed < 0.01 || speed > 100_000) {
    throw new UsageError(`--speed ${mustBe('max or a number from 0.01 to 100000', text)}`);
  }
  return speed;
}

function parseDuration(text: string): number {
  const parsed = duration.safeParse(text);
  if (!parsed.success) {
    throw new UsageError(`--duration ${parsed.error.issues[0]?.message}`);
  }
  return parsed.data;
}

function parseStart(text: string): number {
  const start = text === 'now' ? systemClock.now() : parseIsoTime(text);
  if (start === null) {
    throw new UsageError(`--start ${mustBe('now or a time such as 2026-01-05T00:00:00Z', text)}`);
  }
  return start;
}

/** Throws for a scenario without an end: a clock that jumps would never come to it. */
function requireEnd({ end }: ReadScenario): void {
  if (end === null) {
    throw new UsageError('--speed max needs an end: give --duration, or the scenario a duration or a timeline');
  }
}

/** The file of this name, else the shipped scenario. Throws a UsageError when there is neither. */
function findScenario(name: string): string {
  const own = path.join(shipped, `${name}.yaml`);
  if (existsSync(name)) {
    return name;
  }
  if (/^[a-z-]+$/.test(name) && existsSync(own)) {
    return own;
  }
  throw new UsageError(
    `there is no file ${name}, and no scenario of this name is shipped; --list names those that are`,
  );
}

function listShipped(): string {
  const names = globSync('*.yaml', { cwd: shipped }).map((file) => path.basename(file, '.yaml'));
  const width = Math.max(...names.map(({ length }) => length)) + 1;
  return names
    .sort()
    .map((name) => `${name.padEnd(width)} ${readScenario(path.join(shipped, `${name}.yaml`)).scenario.about ?? ''}\n`)
    .join('');
}

async function playScenario(options: LabOptions, stop: AbortSignal): Promise<void> {
  const { read, start, speed, host, readyFile } = options;
  const clock = speed === null ? createSteppedClock(start) : createPacedClock(start, speed);
  using journal = options.journal;
  await runTimeline({
    read,
    clock,
    host,
    stop,
    onReady(lines) {
      const text = lines.map((line) => `${line}\n`).join('');
      if (readyFile !== undefined) {
        writeText(readyFile, text);
      }
      process.stdout.write(text);
      if (clock.hold && read.simulators.some(({ command }) => command.kind === 'agent')) {
        process.stderr.write(
          'the clock stands until the hub has decided on every Agent that applied: approve them there\n',
        );
      }
    },
    onJournal: journal.append,
  });
}

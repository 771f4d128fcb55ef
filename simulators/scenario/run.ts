// Runs a scenario that was read: its simulators, then its timeline, with a journal of both.
import { once } from 'node:events';
import { messageOf } from '#kernel/errors.ts';
import type { StartLine } from '../command.ts';
import { releaseHostKeys, takeHostKey } from '../router/ssh/server.ts';
import { pickDefined } from '../support/change.ts';
import { reportEntry } from '../support/report-entry.ts';
import { createShiftedClock } from '../support/shifted-clock.ts';
import type { ScenarioClock } from './clock.ts';
import { formatDuration } from './duration.ts';
import { describeEnd } from './ending.ts';
import type { Instance, PlannedSimulator } from './plan.ts';
import type { ReadScenario } from './read.ts';
import { type Target, verbs } from './steps.ts';
import type { TimelineEvent } from './timeline.ts';

export interface RunOptions {
  read: ReadScenario;
  clock: ScenarioClock;
  host: string;
  stop: AbortSignal;
  /** Called with the lines of all simulators when all listen. */
  onReady: (lines: readonly string[]) => void;
  /** Called with each line of the journal. */
  onJournal: (line: string) => void;
}

type Note = (simulator: string, kind: string, details: Readonly<Record<string, unknown>>) => void;

/**
 * Resolves at the end of the scenario, or when `stop` is aborted after the last step. Rejects when a simulator cannot start,
 * when a step fails, and when `stop` is aborted before.
 */
export async function runTimeline(options: RunOptions): Promise<void> {
  const { read, clock, stop } = options;
  const start = clock.now();
  let isOver = false;
  const note: Note = (simulator, kind, details) => {
    // What simulators say of their own end comes in no order, and may come after the journal is closed.
    if (isOver) {
      return;
    }
    options.onJournal(JSON.stringify({ at: clock.now() - start, simulator, kind, ...details }));
    reportEntry(simulator, { at: clock.now(), kind, ...details });
  };
  await using stack = new AsyncDisposableStack();
  const targets = new Map<string, Target>();
  let left = read.events.length;
  try {
    await clock.runAt(start, async () => options.onReady(await startAll(options, { stack, targets, note })), stop);
    for (const event of read.events) {
      await clock.runAt(start + event.at, () => runStep(event, { read, targets, note }), stop);
      left -= 1;
    }
    if (read.end !== null) {
      await clock.runAt(start + read.end, () => noteEnds(targets, note), stop);
    } else if (!stop.aborted) {
      await once(stop, 'abort');
    }
  } catch (error) {
    if (!stop.aborted) {
      throw error;
    }
    if (left > 0) {
      const at = formatDuration(clock.now() - start);
      throw new Error(`${messageOf(stop.reason)} at ${at}: ${left} of ${read.events.length} steps were not reached`);
    }
  } finally {
    isOver = true;
  }
}

async function noteEnds(targets: ReadonlyMap<string, Target>, note: Note): Promise<void> {
  for (const [name, { kind, control }] of targets) {
    note(name, 'end', describeEnd(kind, control));
  }
}

interface StartParts {
  stack: AsyncDisposableStack;
  targets: Map<string, Target>;
  note: Note;
}

/** Resolves to the lines that tell where each simulator is, in the order of the file. */
async function startAll(options: RunOptions, parts: StartParts): Promise<string[]> {
  const lines: string[] = [];
  for (const simulator of options.read.simulators) {
    const { command, instances } = simulator;
    const router = await shareHostKey(simulator, parts.stack);
    // Each is awaited, so that each is ended.
    const started = await Promise.allSettled(
      instances.map((instance) => startInstance({ ...simulator, ...router }, instance, options, parts)),
    );
    for (const [index, result] of started.entries()) {
      if (result.status === 'rejected') {
        throw result.reason;
      }
      const name = instances[index]?.name ?? simulator.name;
      const { line, ...target } = result.value;
      parts.targets.set(name, target);
      lines.push(JSON.stringify({ name, simulator: command.kind, ...line }));
    }
  }
  return lines;
}

/** Replicas have one host key: to make one for each would be nearly all of their start. */
async function shareHostKey({ router, instances, hostKeyBits }: PlannedSimulator, stack: AsyncDisposableStack) {
  if (hostKeyBits === undefined || instances.length === 1) {
    return {};
  }
  const hostKey = await takeHostKey(hostKeyBits);
  stack.defer(() => releaseHostKeys(hostKeyBits, [hostKey]));
  return { router: { ...router, hostKey } };
}

async function startInstance(
  { command, seed, router, start }: PlannedSimulator,
  { name, port, controlPort, seedOffset }: Instance,
  { read, host, clock: scenarioClock }: RunOptions,
  { stack, note }: StartParts,
): Promise<Target & { line: StartLine }> {
  const { kind, faults } = command;
  const clock = createShiftedClock(scenarioClock);
  let control: Target['control'] | undefined;
  const line = await start({
    options: { host, port, clock, onEntry: ({ at: _at, kind: event, ...details }) => note(name, event, details) },
    ...pickDefined({ router }),
    onControl: (served) => {
      control = served;
    },
    controlPort,
    faults,
    seed: (seed ?? read.seed) + seedOffset,
    stack,
  });
  if (control === undefined) {
    throw new Error(`${name} serves no control surface`);
  }
  return { kind, faults, clock, control, line };
}

interface StepParts {
  read: ReadScenario;
  targets: ReadonlyMap<string, Target>;
  note: Note;
}

/** Does a step on each of its simulators. Rejects with the place of the step in the file when that fails. */
async function runStep({ at, step: index }: TimelineEvent, { read, targets, note }: StepParts): Promise<void> {
  const step = read.steps[index];
  if (step === undefined) {
    throw new Error(`the timeline has no step ${index + 1}`);
  }
  const { verb, value, on, mayFail } = step;
  for (const name of on) {
    const target = targets.get(name);
    const about = { step: index + 1, does: verb };
    try {
      const result = target && (await verbs[verb].act(target, value as never));
      note(name, 'step', pickDefined({ ...about, ...(typeof result === 'object' ? result : {}) }));
    } catch (cause) {
      note(name, 'step', { ...about, failed: messageOf(cause) });
      if (!mayFail) {
        const reason = `the step ${verb} failed on ${name} at ${formatDuration(at)}: ${messageOf(cause)}`;
        throw new Error(messageOf(read.source.mistake(['timeline', index, verb], reason, 'key')), { cause });
      }
    }
  }
}

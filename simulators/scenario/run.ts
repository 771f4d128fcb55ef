// Runs a scenario that was read: its simulators, then its timeline, and tells what happens in both.
import { once } from 'node:events';
import { messageOf } from '#kernel/errors.ts';
import type { StartLine } from '../command.ts';
import { releaseHostKeys, takeHostKey } from '../router/ssh/server.ts';
import { pickDefined } from '../support/change.ts';
import { reportEntry } from '../support/report-entry.ts';
import { createShiftedClock } from '../support/shifted-clock.ts';
import type { Entry } from '../support/simulator.ts';
import type { ScenarioClock } from './clock.ts';
import { formatDuration } from './duration.ts';
import { describeEnd } from './ending.ts';
import { omitHubChoices } from './hub-choices.ts';
import type { Instance, PlannedSimulator } from './plan.ts';
import type { ReadScenario } from './read.ts';
import { type Target, verbs } from './steps.ts';
import type { TimelineEvent } from './timeline.ts';

export interface StartOptions {
  read: ReadScenario;
  clock: ScenarioClock;
  host: string;
  /** Called with all that the timeline does and that happens in the simulators; `at` is in milliseconds after the start. */
  onEntry: (simulator: string, entry: Entry) => void;
}

export interface RunningSimulator extends Target {
  /** Where it is and its credentials, as `gatehouse sim` prints them. */
  line: StartLine;
}

export interface RunningScenario extends AsyncDisposable {
  /** By their names, in the order of the file. */
  readonly simulators: ReadonlyMap<string, RunningSimulator>;
  /**
   * Does the steps of the timeline. Resolves at the end of the scenario, when `stop` is aborted after the last step, and when
   * the scenario is disposed. Rejects when a step fails, and when `stop` is aborted before the last one.
   */
  play(stop?: AbortSignal): Promise<void>;
}

export interface RunOptions extends Omit<StartOptions, 'onEntry'> {
  stop: AbortSignal;
  /** Called with the lines of all simulators when all listen. */
  onReady: (lines: readonly string[]) => void;
  /** Called with each line of the journal. */
  onJournal: (line: string) => void;
}

/** Starts a scenario and plays it to its end, with a journal. Rejects when a simulator cannot start, and as `play` does. */
export async function runTimeline({ onReady, onJournal, stop, ...options }: RunOptions): Promise<void> {
  await using running = await startScenario({
    ...options,
    onEntry(simulator, { at, ...entry }) {
      onJournal(JSON.stringify({ at, simulator, ...entry }));
      reportEntry(simulator, { at, ...entry });
    },
  });
  onReady([...running.simulators].map(([name, { kind, line }]) => JSON.stringify({ name, simulator: kind, ...line })));
  await running.play(stop);
}

type Note = (simulator: string, kind: string, details: Readonly<Record<string, unknown>>) => void;

/** Starts the simulators of a scenario that was read. Rejects when one cannot start. */
export async function startScenario(options: StartOptions): Promise<RunningScenario> {
  const { read, clock, onEntry } = options;
  const start = clock.now();
  const over = new AbortController();
  const note: Note = (simulator, kind, details) => {
    // What simulators say of their own end comes in no order.
    if (!over.signal.aborted) {
      onEntry(simulator, { at: clock.now() - start, kind, ...details });
    }
  };
  await using ending = new AsyncDisposableStack();
  const stack = ending.use(new AsyncDisposableStack());
  ending.defer(() => over.abort());
  const simulators = new Map<string, RunningSimulator>();
  await clock.runAt(start, () => startAll(options, { stack, simulators, note }), over.signal);
  const held = ending.move();
  return {
    simulators,
    async play(stop = over.signal) {
      const signal = AbortSignal.any([stop, over.signal]);
      let left = read.events.length;
      try {
        for (const event of read.events) {
          await clock.runAt(start + event.at, () => runStep(event, { read, simulators, note }), signal);
          left -= 1;
        }
        if (read.end !== null) {
          await clock.runAt(start + read.end, () => noteEnds(simulators, note), signal);
        } else if (!signal.aborted) {
          await once(signal, 'abort');
        }
      } catch (error) {
        if (!signal.aborted) {
          throw error;
        }
        if (left > 0 && !over.signal.aborted) {
          const at = formatDuration(clock.now() - start);
          throw new Error(
            `${messageOf(stop.reason)} at ${at}: ${left} of ${read.events.length} steps were not reached`,
          );
        }
      }
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

async function noteEnds(simulators: RunningScenario['simulators'], note: Note): Promise<void> {
  for (const [name, { kind, control }] of simulators) {
    note(name, 'end', describeEnd(kind, control));
  }
}

interface StartParts {
  stack: AsyncDisposableStack;
  simulators: Map<string, RunningSimulator>;
  note: Note;
}

async function startAll(options: StartOptions, parts: StartParts): Promise<void> {
  for (const simulator of options.read.simulators) {
    const { instances } = simulator;
    const router = await shareHostKey(simulator, parts.stack);
    // Each is awaited, so that each is ended.
    const started = await Promise.allSettled(
      instances.map((instance) => startInstance({ ...simulator, ...router }, instance, options, parts)),
    );
    for (const [index, result] of started.entries()) {
      if (result.status === 'rejected') {
        throw result.reason;
      }
      parts.simulators.set(instances[index]?.name ?? simulator.name, result.value);
    }
  }
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
  { command, seed, router, mesh, start }: PlannedSimulator,
  { name, port, controlPort, seedOffset }: Instance,
  { read, host, clock: scenarioClock }: StartOptions,
  { stack, note }: StartParts,
): Promise<RunningSimulator> {
  const { kind } = command;
  const onEntry = ({ at: _at, kind: event, ...details }: Entry) => {
    const kept = kind === 'agent' ? omitHubChoices(event, details) : details;
    if (kept !== null) {
      note(name, event, kept);
    }
  };
  const clock = createShiftedClock(scenarioClock);
  let control: Target['control'] | undefined;
  const line = await start({
    options: { host, port, clock, onEntry },
    ...pickDefined({ router, mesh, holdClock: scenarioClock.hold }),
    onControl: (served) => {
      control = served;
    },
    controlPort,
    seed: (seed ?? read.seed) + seedOffset,
    stack,
  });
  if (control === undefined) {
    throw new Error(`${name} serves no control surface`);
  }
  return { kind, clock, control, line };
}

interface StepParts {
  read: ReadScenario;
  simulators: RunningScenario['simulators'];
  note: Note;
}

/** Does a step on each of its simulators. Rejects with the place of the step in the file when that fails. */
async function runStep({ at, step: index }: TimelineEvent, { read, simulators, note }: StepParts): Promise<void> {
  const step = read.steps[index];
  if (step === undefined) {
    throw new Error(`the timeline has no step ${index + 1}`);
  }
  const { verb, value, on, mayFail } = step;
  for (const name of on) {
    const target = simulators.get(name);
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

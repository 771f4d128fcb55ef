// The steps of a timeline, each with what it does and the simulators that it acts on.
import { z } from 'zod';
import { messageOf } from '#kernel/errors.ts';
import { listed } from '#kernel/text/problem.ts';
import type { Source } from '#kernel/text/yaml.ts';
import { pickDefined } from '../support/change.ts';
import { requireFault } from '../support/running.ts';
import type { FaultOptions } from '../support/simulator.ts';
import { formatDuration } from './duration.ts';
import type { PlannedSimulator } from './plan.ts';
import type { Scenario, Step } from './schema.ts';
import { type VerbName, verbNames, verbs } from './steps.ts';
import { countTimes, mostEvents } from './timeline.ts';
import { listDeviceNames } from './world.ts';

export interface PlannedStep {
  verb: VerbName;
  value: unknown;
  /** Names of instances. */
  on: readonly string[];
  mayFail: boolean;
}

interface CheckContext {
  simulators: readonly PlannedSimulator[];
  source: Source;
  /** Milliseconds after the start; null: the scenario says none. */
  end: number | null;
}

type Mistake = (reason: string, ...place: string[]) => Error;

/** Throws a UsageError for the first mistake. */
export function checkSteps({ timeline = [], world = {}, duration }: Scenario, context: CheckContext): PlannedStep[] {
  const { simulators, source, end } = context;
  const names = new Set(listDeviceNames(world));
  let events = 0;
  const createMistake =
    (index: number): Mistake =>
    (reason, ...place) =>
      source.mistake(['timeline', index, ...place], reason);
  const planned = timeline.map((step, index) => {
    const mistake = createMistake(index);
    const verb = findVerb(step, mistake);
    checkTimes(step, end, mistake);
    if (duration !== undefined && step.at > duration) {
      throw mistake(`at is after the end of the scenario, which is at ${formatDuration(duration)}`, 'at');
    }
    events += countTimes(step, end);
    if (events > mostEvents) {
      throw mistake(`the timeline has more than ${mostEvents} events up to here: repeat less often`, 'every');
    }
    const chosen = chooseSimulators(step, verb, simulators, mistake);
    for (const { command } of chosen) {
      checkFault(step, command, mistake);
    }
    const on = chosen.flatMap(({ instances }) => instances.map(({ name }) => name));
    const twice = on.find((name, at) => on.indexOf(name) < at);
    if (twice !== undefined) {
      throw mistake(`on names ${twice} twice: name each simulator once`, 'on');
    }
    return { verb, value: step[verb], on, mayFail: step.mayFail ?? false };
  });
  checkSources(timeline, planned, names, createMistake);
  return planned;
}

/** Throws for a flow or beacon of a device that no step has put on the LAN of its router before. */
function checkSources(
  timeline: readonly Step[],
  planned: readonly PlannedStep[],
  names: ReadonlySet<string>,
  createMistake: (index: number) => Mistake,
): void {
  for (const [index, step] of timeline.entries()) {
    const src = step.flow?.src ?? step.beacon?.src;
    if (src === undefined || names.has(src) || z.ipv4().safeParse(src).success) {
      continue;
    }
    const { verb = 'flow', on = [] } = planned[index] ?? {};
    const joined = timeline.flatMap(({ device, at }, other) =>
      device?.name === src && (at < step.at || (at === step.at && other < index)) ? (planned[other]?.on ?? []) : [],
    );
    const router = on.find((name) => !joined.includes(name));
    if (router !== undefined) {
      const reason = `src "${src}" is neither a device that is on the LAN of ${router} by then nor an IPv4 address`;
      throw createMistake(index)(reason, verb, 'src');
    }
  }
}

function findVerb(step: Step, mistake: Mistake): VerbName {
  const [verb, second] = verbNames.filter((name) => step[name] !== undefined);
  if (verb === undefined) {
    throw mistake(`a step needs one of ${listed(verbNames)}`);
  }
  if (second !== undefined) {
    throw mistake(`a step does one thing, not both ${verb} and ${second}: write two steps`, second);
  }
  return verb;
}

function checkTimes({ at, every, until, jitter, device }: Step, end: number | null, mistake: Mistake): void {
  if (every === undefined && (until ?? jitter) !== undefined) {
    throw mistake('until and jitter need every', until === undefined ? 'jitter' : 'until');
  }
  if (every === 0) {
    throw mistake('every must be at least 1ms', 'every');
  }
  if (every !== undefined && device !== undefined) {
    throw mistake('a device joins once: leave out every', 'every');
  }
  if (every !== undefined && until === undefined && end === null) {
    throw mistake('every needs until in this step, or the scenario a duration', 'every');
  }
  if (until !== undefined && until < at) {
    throw mistake('until must not be before at', 'until');
  }
}

/** The simulators that a step names, by their names or those of single replicas; without a name the only one that fits. */
function chooseSimulators(
  { on }: Step,
  verb: VerbName,
  simulators: readonly PlannedSimulator[],
  mistake: Mistake,
): PlannedSimulator[] {
  const { kinds } = verbs[verb];
  const fits = ({ command }: PlannedSimulator) => kinds?.includes(command.kind) ?? true;
  if (on === undefined) {
    const fitting = simulators.filter(fits);
    if (fitting.length !== 1) {
      const names = fitting.map(({ name }) => name);
      const reason = names.length === 0 ? `no simulator is a ${listed(kinds ?? [])}` : `say on: ${listed(names)}`;
      throw mistake(`${verb} has no simulator to act on: ${reason}`, verb);
    }
    return fitting;
  }
  return [on].flat().map((name) => {
    const found = findNamed(name, simulators);
    if (found === null) {
      throw mistake(`on: no simulator is called ${name}; there are ${listed(simulators.map((one) => one.name))}`, 'on');
    }
    if (!fits(found)) {
      throw mistake(`on: ${verb} is for ${listed(kinds ?? [])}, and ${name} is a ${found.command.kind}`, 'on');
    }
    return found;
  });
}

function findNamed(name: string, simulators: readonly PlannedSimulator[]): PlannedSimulator | null {
  for (const simulator of simulators) {
    const instances = simulator.instances.filter((instance) => instance.name === name);
    if (simulator.name === name || instances.length > 0) {
      return simulator.name === name ? simulator : { ...simulator, instances };
    }
  }
  return null;
}

function checkFault({ fault }: Step, command: PlannedSimulator['command'], mistake: Mistake): void {
  if (fault === undefined) {
    return;
  }
  const { name, ...options } = fault;
  try {
    requireFault(command.faults, name);
    command.checkFault?.(name, pickDefined(options) as FaultOptions);
  } catch (error) {
    throw mistake(messageOf(error), 'fault', 'name');
  }
}

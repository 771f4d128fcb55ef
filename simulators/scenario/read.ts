// Reads a scenario and checks all of it, so that nothing starts when anything is wrong.
import path from 'node:path';
import { isPair, isScalar } from 'yaml';
import { UsageError } from '#kernel/process/program.ts';
import { readInput } from '#kernel/text/problem.ts';
import { parseSource, type Source } from '#kernel/text/yaml.ts';
import { readBoundedFile } from '../support/bounded-file.ts';
import { checkSteps, type PlannedStep } from './check-steps.ts';
import { toMistake } from './mistake.ts';
import { type PlannedSimulator, planSimulators } from './plan.ts';
import { type Scenario, type ScenarioSimulator, scenarioSchema } from './schema.ts';
import { listEvents, type TimelineEvent } from './timeline.ts';

export interface ReadScenario {
  scenario: Scenario;
  source: Source;
  seed: number;
  simulators: readonly PlannedSimulator[];
  steps: readonly PlannedStep[];
  events: readonly TimelineEvent[];
  /** Milliseconds after the start; null: it runs until it is interrupted. */
  end: number | null;
}

/** What the command line says instead of the file. */
export interface Overrides {
  seed?: number | undefined;
  /** Milliseconds. */
  duration?: number | undefined;
  /** Where all Agents of the scenario enrol, instead of at the hubs that it names. */
  hub?: URL | undefined;
  /** Each simulator listens on any free port, instead of the one that the scenario names. */
  freePorts?: boolean | undefined;
}

/** Throws a UsageError that names the file, line and column of the first mistake. */
export function readScenario(file: string, overrides: Overrides = {}): ReadScenario {
  const source = parseSource(
    path.basename(file),
    readBoundedFile(file, (reason) => new UsageError(`${file}: ${reason}`)),
    { isText: isOption },
  );
  const parsed = readInput(scenarioSchema, source.value);
  if (!parsed.success) {
    throw toMistake(source, parsed.error.issues[0], 'the scenario');
  }
  const scenario = { ...parsed.data, simulators: changeSimulators(parsed.data.simulators, overrides) };
  const seed = overrides.seed ?? scenario.seed ?? 1;
  const simulators = planSimulators(scenario, file, source);
  const limit = overrides.duration ?? scenario.duration ?? null;
  const steps = checkSteps(scenario, { simulators, source, end: limit });
  const events = listEvents(scenario.timeline ?? [], limit, seed);
  return { scenario, source, seed, simulators, steps, events, end: limit ?? events.at(-1)?.at ?? null };
}

/** Whether `holders` are those of an option of a simulator: codes such as 000123 and 1E9 are texts, and no numbers. */
function isOption(holders: readonly unknown[]): boolean {
  const [, , top] = holders;
  return isPair(top) && isScalar(top.key) && top.key.value === 'simulators';
}

/** Returns the simulators of the file with what a caller says instead. */
function changeSimulators(given: Scenario['simulators'], { hub, freePorts }: Overrides): Scenario['simulators'] {
  const change = (simulator: ScenarioSimulator) => ({
    ...simulator,
    ...(hub && simulator.kind === 'agent' ? { hub: hub.href } : {}),
    ...(freePorts ? Object.fromEntries(portOptions(simulator).map((option) => [option, 0])) : {}),
  });
  return Object.fromEntries(Object.entries(given).map(([name, simulator]) => [name, change(simulator)]));
}

/** Returns which options of ports a simulator has in the file, such as `port` and `control-port`. */
const portOptions = (simulator: ScenarioSimulator) => Object.keys(simulator).filter((option) => /\bport$/.test(option));

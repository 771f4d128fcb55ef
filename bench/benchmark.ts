// What a benchmark is: a name, its options, and a run that gives rows of figures.
import type { ParseArgsOptionsConfig } from 'node:util';
import { wholeOption as checkedOption } from '#kernel/process/option-value.ts';

/** Values of the command line: texts of the options that were given. */
export type Values = Readonly<Record<string, string | undefined>>;

export interface Benchmark {
  /** One line of the help. */
  summary: string;
  /** Options beside `--runs`, each with its line of the help. */
  options: Readonly<Record<string, string>>;
  /** Runs when `--runs` is absent. */
  runs: number;
  /** Columns that tell one row from another: of the runs' rows that agree in them the medians are shown. */
  by: readonly string[];
  /** Rows of all runs. Throws a UsageError that says what an option should be. */
  run(values: Values, runs: number, progress: (text: string) => void): Promise<object[]>;
}

/** The number `--name` gives; throws a UsageError when it is not a whole number from `min` to `max`. */
export function wholeOption(values: Values, name: string, standard: number, min: number, max: number): number {
  return checkedOption(name, values[name] ?? String(standard), [min, max]);
}

/** The numbers `--name` gives, separated by commas, in their order; throws a UsageError as `wholeOption` does. */
export function listOption(values: Values, name: string, standard: string, min: number, max: number): number[] {
  return (values[name] ?? standard).split(',').map((text) => checkedOption(name, text, [min, max]));
}

/** The options of all benchmarks together, as `parseArgs` wants them. */
export function toParseOptions(benchmarks: readonly Benchmark[]): ParseArgsOptionsConfig {
  const names = benchmarks.flatMap(({ options }) => Object.keys(options));
  return Object.fromEntries(['runs', ...names].map((name) => [name, { type: 'string' as const }]));
}

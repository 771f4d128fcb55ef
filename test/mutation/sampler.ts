// Plugin of StrykerJS: it asks which changes are worth a run, and hears that those outside the samples are not.
import { writeFileSync } from 'node:fs';
import { type Checker, type CheckResult, CheckStatus } from '@stryker-mutator/api/check';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import { type Change, sampleOf } from './sample.ts';

/** What the sampler writes: the changes of each seed. */
export type Samples = { seed: string; ids: string[] }[];

class Sampler implements Checker {
  async init(): Promise<void> {}

  /** All changes in one group, so that the sample is drawn from all. */
  async group(changes: Change[]): Promise<string[][]> {
    return [changes.map(({ id }) => id)];
  }

  async check(changes: Change[]): Promise<Record<string, CheckResult>> {
    const { MUTATION_COUNT: count, MUTATION_SEEDS: seeds = '', MUTATION_SAMPLES: file = '' } = process.env;
    const samples = seeds.split(',').map((seed) => ({ seed, ids: [...sampleOf(changes, Number(count), seed)] }));
    writeFileSync(file, JSON.stringify(samples));
    const sample = new Set(samples.flatMap(({ ids }) => ids));
    const outside: CheckResult = { status: CheckStatus.CompileError, reason: 'not in the sample' };
    const inside: CheckResult = { status: CheckStatus.Passed };
    return Object.fromEntries(changes.map(({ id }) => [id, sample.has(id) ? inside : outside]));
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.Checker, 'sample', Sampler)];

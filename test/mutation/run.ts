// One run of StrykerJS over an area.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { MutantResult } from '@stryker-mutator/api/core';
import { Stryker } from '@stryker-mutator/core';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { Area } from './areas.ts';
import { endingOrphans } from './orphans.ts';
import type { Samples } from './sampler.ts';

export interface RunOptions {
  count: string;
  seeds: readonly string[];
  jobs: string;
  file?: string | undefined;
}

/** What became of the changes that a seed drew. */
export interface SeedResults {
  seed: string;
  results: MutantResult[];
}

/**
 * What became of each change that was tried, by seed. The seeds share one run: a change that two of them draw is tried
 * once. Rejects when the tests are red without any change.
 */
export async function runMutation(area: Area, { count, seeds, jobs, file }: RunOptions): Promise<SeedResults[]> {
  using folder = temporaryFolder();
  const samplesFile = path.join(folder.path, 'samples.json');
  const run = randomUUID();
  // Read by the processes that StrykerJS starts: vitest.config.ts, sampler.ts. What they start has it too.
  Object.assign(process.env, {
    MUTATION_TESTS: area.tests.join(' '),
    MUTATION_COUNT: count,
    MUTATION_SEEDS: seeds.join(','),
    MUTATION_SAMPLES: samplesFile,
    MUTATION_PATIENCE_MS: String(1000 * (area.patienceS ?? 20)),
    MUTATION_ISOLATED: String(area.isAlone === true),
    MUTATION_RUN: run,
  });
  const stryker = new Stryker({
    mutate: file === undefined ? area.mutate : [file],
    testRunner: 'vitest',
    coverageAnalysis: 'perTest',
    vitest: { configFile: 'test/mutation/vitest.config.ts', related: false, pool: 'forks' },
    plugins: ['@stryker-mutator/vitest-runner', new URL('./sampler.ts', import.meta.url).href],
    checkers: ['sample'],
    reporters: ['progress-append-only'],
    // Texts are compared by the tests that are about texts; a changed word elsewhere is no fault.
    mutator: { excludedMutations: ['StringLiteral'] },
    // Half of them are its checkers, which only look whether a change is in the sample.
    concurrency: 2 * Number(jobs),
    // Node strips types itself, and threads do not run from below node_modules.
    disableTypeChecks: false,
    tempDirName: '.mutation',
    cleanTempDir: 'always',
    // Its reader of this file needs an older TypeScript, and nothing in it depends on the folder.
    tsconfigFile: 'none',
    ignorePatterns: ['bench/results'],
    timeoutMS: 20_000,
    timeoutFactor: 4,
    dryRunTimeoutMinutes: 60,
  });
  const results = await endingOrphans(`MUTATION_RUN=${run}`, stryker.runMutationTest());
  const samples = JSON.parse(readFileSync(samplesFile, 'utf8')) as Samples;
  return samples.map(({ seed, ids }) => ({ seed, results: results.filter(({ id }) => ids.includes(id)) }));
}

// Says what a run is doing when it is long, why tests were skipped, which cited tests did not run, and how it ended.
import { relative } from 'node:path';
import type { Reporter, SerializedError, TestModule, TestRunEndReason, TestSpecification, Vitest } from 'vitest/node';
import { requirements } from '../requirements.ts';
import { countCoverage } from './coverage.ts';
import {
  citationsNotRun,
  endLine,
  type FileEnd,
  filtersWithoutTests,
  progressLine,
  skippedTests,
} from './run-report.ts';
import { scanTests } from './scan-tests.ts';

export interface RunReporterOptions {
  /** Where the test files are, from the root, and how their names end. */
  folder: string;
  ending: string;
  /** A line each so often. */
  progressMs: number;
}

export class RunReporter implements Reporter {
  readonly #options: RunReporterOptions;
  readonly #startedAt = new Map<string, number>();
  #vitest: Vitest | undefined;
  #timer: NodeJS.Timeout | undefined;
  #beganAt = 0;
  #all = 0;
  #done = 0;

  constructor(options: Partial<RunReporterOptions> = {}) {
    this.#options = { folder: 'test', ending: '.test.ts', progressMs: 30_000, ...options };
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#beganAt = performance.now();
    this.#all = specifications.length;
    this.#done = 0;
    this.#startedAt.clear();
    clearInterval(this.#timer);
    this.#timer = setInterval(() => {
      const now = performance.now();
      const underWay = [...this.#startedAt].map(([file, at]) => ({ file, sinceMs: now - at }));
      console.log(progressLine(this.#done, this.#all, underWay, now - this.#beganAt));
    }, this.#options.progressMs);
    this.#timer.unref();
  }

  onTestModuleQueued(module: TestModule): void {
    this.#startedAt.set(this.#path(module.moduleId), performance.now());
  }

  onTestModuleEnd(module: TestModule): void {
    this.#startedAt.delete(this.#path(module.moduleId));
    this.#done += 1;
  }

  async onTestRunEnd(
    modules: readonly TestModule[],
    errors: readonly SerializedError[],
    reason: TestRunEndReason,
  ): Promise<void> {
    clearInterval(this.#timer);
    const vitest = this.#vitest;
    if (vitest === undefined || vitest.config.watch || reason === 'interrupted') {
      return;
    }
    const files = modules.map((module) => this.#fileEnd(module));
    const scan = scanTests(vitest.config.root, this.#options.folder, this.#options.ending);
    let faults: string[] = [];
    const filtered = isFiltered(vitest);
    if (!filtered) {
      const asked = new Set((await vitest.globTestSpecifications()).map(({ moduleId }) => this.#path(moduleId)));
      const cited = scan.citations.filter(({ where }) => asked.has(where.replace(/:\d+$/, '')));
      faults = citationsNotRun(cited, files);
    }
    for (const line of skippedTests(files, filtered)) {
      console.log(line);
    }
    for (const line of faults) {
      console.log(`citation not run: ${line}`);
    }
    const unmatched = filtersWithoutTests(
      { paths: pathFilters(vitest), name: vitest.getGlobalTestNamePattern() },
      files,
    );
    if (faults.length > 0 || unmatched.length > 0) {
      process.exitCode = 1;
    }
    console.log(
      endLine({
        command: formatCommand(vitest.projects.map(({ name }) => name)),
        files,
        errors: errors.length,
        faults: faults.length,
        unmatched,
        elapsedMs: performance.now() - this.#beganAt,
        coverage: countCoverage(requirements, scan.citations),
      }),
    );
  }

  #fileEnd(module: TestModule): FileEnd {
    const file = this.#path(module.moduleId);
    const tests = [...module.children.allTests()].map((test) => {
      const result = test.result();
      return {
        file,
        name: test.fullName,
        cites: test.meta().verifies ?? [],
        state: result.state,
        note: result.state === 'skipped' ? result.note : undefined,
      };
    });
    return { file, failed: module.state() === 'failed', tests };
  }

  #path(moduleId: string): string {
    return relative(this.#vitest?.config.root ?? '', moduleId);
  }
}

/** Parts of paths that the run was asked for; vitest has them in a field that its types leave out. */
function pathFilters(vitest: Vitest): readonly string[] {
  return (Reflect.get(vitest, 'filenamePattern') as string[] | undefined) ?? [];
}

/** Whether only some tests of the projects were asked for: by name, by file, or by what changed. */
function isFiltered(vitest: Vitest): boolean {
  const { related, changed, shard, tagsFilter } = vitest.config;
  return (
    vitest.getGlobalTestNamePattern() !== undefined ||
    pathFilters(vitest).length > 0 ||
    [related, changed, shard, tagsFilter].some(Boolean)
  );
}

/** Projects with a command of their own. `test:e2e` runs `network` after `e2e`. */
const longProjects = new Set(['e2e', 'whole', 'engine']);

/** What a person types for these projects. */
function formatCommand(projects: readonly string[]): string {
  const [first, ...others] = new Set(projects.filter((name) => name !== 'network'));
  return others.length === 0 && longProjects.has(first ?? '') ? `npm run test:${first}` : 'npm test';
}

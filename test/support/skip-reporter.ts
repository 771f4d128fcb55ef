// Prints why each skipped test did not run: a skip nobody reads is a test nobody has.
import type { Reporter, TestCase } from 'vitest/node';

export class SkipReporter implements Reporter {
  #skipped: string[] = [];

  onTestCaseResult(test: TestCase): void {
    const result = test.result();
    if (result.state === 'skipped') {
      this.#skipped.push(`skipped: ${test.fullName} (${result.note ?? 'no reason given'})`);
    }
  }

  onTestRunEnd(): void {
    for (const line of this.#skipped) {
      console.log(line);
    }
  }
}

// Every named fault of a simulator has a sentence and a test.
import { expect } from 'vitest';

/** Fails when a fault is not among the `shown` ones, or when its text is no sentence. */
export function expectAllShown(shown: ReadonlySet<string>, faults: Readonly<Record<string, string>>): void {
  expect([...shown].sort()).toEqual(Object.keys(faults).sort());
  for (const sentence of Object.values(faults)) {
    expect(sentence).toMatch(/^[A-Z].*\.$/);
  }
}

// Ties a test to the requirements it proves. The coverage test compares what is cited here with test/requirements.ts.
import { test } from 'vitest';
import { requirements } from '../requirements.ts';

const known: ReadonlySet<string> = new Set(requirements.map((requirement) => requirement.id));

/**
 * A test that proves the requirements `ids`, separated by spaces; `what` says which part of them.
 * `ids` is written as a literal, because the coverage test reads the citation from the source text.
 * Throws while the test file is collected when an id is not in the manifest.
 */
export function verifies(ids: string, what: string, body: () => void | Promise<void>, timeoutMs?: number): void {
  const unknown = ids.split(/\s+/).filter((id) => !known.has(id));
  if (unknown.length > 0) {
    throw new Error(
      `verifies('${ids}') cites what test/requirements does not state: ${unknown.map((id) => `'${id}'`).join(', ')}. Correct the id or add the requirement.`,
    );
  }
  test(`${what} [${ids}]`, body, timeoutMs);
}

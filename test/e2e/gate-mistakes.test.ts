// Each mistake of the catalogue, made where it is made: exactly its checks are red, and no run says ready.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { holds } from '#gate/check.ts';
import { mistakes } from '#gate/mistakes/catalogue.ts';
import { made } from '../gate/mistakes/catalogue.ts';
import { type GateStage, startGateStage, withDependents } from '../support/gate-stage.ts';

let gate: GateStage;
beforeAll(async () => {
  gate = await startGateStage();
}, 120_000);
afterAll(() => gate[Symbol.asyncDispose]());

test('every mistake is made, and nothing is made that the catalogue does not know', () => {
  expect(Object.keys(made).sort()).toEqual(mistakes.map(({ id }) => id).sort());
});

describe('mistakes', () => {
  test.each(mistakes)('$id: $sentence', async ({ id, red }) => {
    const mistake = made[id];
    if (!mistake) {
      throw new Error(`nothing makes ${id}: add it to test/gate/mistakes`);
    }
    await gate.restore();
    await using after = new AsyncDisposableStack();
    await mistake.make(gate.stage, after);
    const report = await gate.run();
    const failed = report.findings.filter((finding) => !holds(finding));
    expect(failed.map((finding) => finding.id)).toEqual(withDependents(red));
    expect(failed.find((finding) => finding.id === red[0])?.because).toMatch(mistake.because);
    expect(failed.filter((finding) => !red.includes(finding.id)).map(({ outcome }) => outcome)).not.toContain('fail');
    expect(JSON.parse(readFileSync(gate.stage.report, 'utf8'))).toMatchObject({ status: 'failed' });
  });
});

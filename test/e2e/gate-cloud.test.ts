// The gate under profile cloud_idp: a stage whose issuer has the name of a regional user pool, and says no PKCE methods.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { holds } from '#gate/check.ts';
import { readyStatus } from '#gate/report.ts';
import { type GateStage, startGateStage } from '../support/gate-stage.ts';

let gate: GateStage;
beforeAll(async () => {
  gate = await startGateStage('cloud_idp');
}, 120_000);
afterAll(() => gate[Symbol.asyncDispose]());

test('the honest stage is ready, by the evidence about the provider', async () => {
  await gate.restore();
  const report = await gate.run();
  expect(report.findings.filter((finding) => !holds(finding))).toEqual([]);
  expect(report.status).toBe(readyStatus);
});

// The gate under profile cloud_idp: a stage whose issuer has the name of a regional user pool, and says no PKCE methods.
import { afterAll, beforeAll, expect } from 'vitest';
import { holds } from '#gate/check.ts';
import { readyStatus } from '#gate/report.ts';
import { type GateStage, startGateStage } from '../support/gate-stage.ts';
import { verifies } from '../support/verifies.ts';

let gate: GateStage;
beforeAll(async () => {
  gate = await startGateStage('cloud_idp');
}, 120_000);
afterAll(() => gate[Symbol.asyncDispose]());

verifies('gate.run.profile', 'the stage is ready by the evidence of the provider; strict refuses it', async () => {
  await gate.restore();
  const report = await gate.run();
  expect(report.findings.filter((finding) => !holds(finding))).toEqual([]);
  expect(report).toMatchObject({
    status: readyStatus,
    oauthCompatibilityProfile: 'cloud_idp',
    checks: { authorizationCompatibility: 'idp-evidence-pass' },
  });
  await gate.restore();
  gate.stage.set({ MCP_GATE_OAUTH_COMPATIBILITY_PROFILE: 'strict' });
  const strict = await gate.run();
  expect(strict).toMatchObject({
    status: 'failed',
    oauthCompatibilityProfile: 'strict',
    checks: { authorizationCompatibility: 'fail' },
  });
  expect(strict.failedChecks).toEqual(expect.arrayContaining(['issuer.pkce', 'evidence.authorizationServerRestore']));
});

// The gate on a staged publication: it passes when everything is right. What turns its checks red: gate-mistakes.test.ts.
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { holds } from '#gate/check.ts';
import { described } from '#gate/checks.ts';
import { remarksOf } from '#gate/remarks.ts';
import { readyStatus } from '#gate/report.ts';
import { faults } from '../gate/faults.ts';
import { type GateStage, startGateStage, withDependents } from '../support/gate-stage.ts';
import { verifies } from '../support/verifies.ts';

let gate: GateStage;
beforeAll(async () => {
  gate = await startGateStage();
}, 120_000);
afterAll(() => gate[Symbol.asyncDispose]());

/** What the gate could have changed on our side. */
async function stateOfHub() {
  const { stage } = gate;
  const { identities } = await stage.admin.auth.identities({});
  const notes = path.join(stage.folder, 'data/.monitor.notes.json');
  const { routers } = await stage.admin.routers.list({});
  return {
    identities: identities.map(({ id, revokedAt }) => [id, revokedAt]),
    notes: existsSync(notes) ? readFileSync(notes, 'utf8') : null,
    routers: routers.map(({ id, enabled }) => [id, enabled]),
  };
}

verifies(
  'gate.run.inputs gate.run.staged gate.run.connect-address gate.run.canonical-name gate.run.profile gate.run.revoked-token gate.report.private gate.run.changes-nothing gate.probe.burst-fills',
  'a stage in which everything is right is ready, and the report is private and without secrets',
  async () => {
    const { stage, first } = gate;
    await gate.restore();
    const before = await stateOfHub();
    const report = await gate.run();
    expect(await stateOfHub()).toEqual(before);
    expect(report.findings.filter((finding) => !holds(finding))).toEqual([]);
    expect(report.status).toBe(readyStatus);
    expect(report.enabledRouters).toBe(1);
    expect(statSync(stage.report).mode & 0o777).toBe(0o600);
    const hosts = stage.edge.control.journal.map(({ host }) => host);
    expect(new Set(hosts)).toEqual(new Set([new URL(first.MCP_GATE_ENDPOINT ?? '').host]));
    const text = readFileSync(stage.report, 'utf8');
    for (const [name, value] of Object.entries(first).filter(([one]) => one.endsWith('_TOKEN'))) {
      expect(text.includes(value), name).toBe(false);
    }
  },
);

test('without the tokens that the specification does not name it is ready too, and the report says what was not tried', async () => {
  await gate.restore();
  const left = ['LIMIT_TOKENS', 'NEAR_AUDIENCE_TOKEN', 'AUDIENCE_LIST_TOKEN', 'OTHER_ISSUER_TOKEN', 'WRITE_ONLY_TOKEN'];
  for (const name of left) {
    gate.stage.unset(`MCP_GATE_${name}`);
  }
  const report = await gate.run();
  expect(report.status).toBe(readyStatus);
  expect(remarksOf(report)).toContain(
    'Not tried, because a token for it was not given: token.near-audience, token.audience-list, scope.read-required, limit.client, limit.global.',
  );
});

test('every check has a fault, and no fault is without its check', () => {
  expect(Object.keys(faults).sort()).toEqual(described.map(({ id }) => id).sort());
});

/** The catalogue turns every check red; where one mistake alone does, a second fault does too. */
const provedOnce = described.filter(({ finds }) => finds.length === 1).map(({ id }) => id);

describe('each check shown red', () => {
  verifies(
    'gate.probe.challenges gate.probe.eras gate.probe.error-32020 gate.probe.error-32022 gate.probe.read-token-403 gate.probe.write-visible gate.probe.burst gate.run.blocks-dns gate.run.no-publication-before',
    'the faults are those of the probes the specification names',
    () => {
      const named = ['token.missing', 'era.legacy', 'era.modern', 'error.mismatch', 'error.unsupported'];
      expect(Object.keys(faults)).toEqual(
        expect.arrayContaining([...named, 'scope.write-denied', 'scope.write-visible', 'limit.burst']),
      );
    },
  );

  test.each(provedOnce)('%s', async (id) => {
    const { stage } = gate;
    await gate.restore();
    const fault = faults[id];
    if (!fault) {
      throw new Error(`no fault turns ${id} red: add one, or take the check away`);
    }
    await using after = new AsyncDisposableStack();
    await fault(stage, after);
    const report = await gate.run();
    const red = report.findings.filter((finding) => !holds(finding));
    expect(red.map((finding) => finding.id)).toEqual(withDependents([id]));
    expect(red.find((finding) => finding.id === id)?.because).toBeTruthy();
    expect(red.filter((finding) => finding.id !== id).map(({ outcome }) => outcome)).not.toContain('fail');
    expect(report.status).toBe('failed');
    expect(JSON.parse(readFileSync(stage.report, 'utf8'))).toMatchObject({ status: 'failed' });
  });
});

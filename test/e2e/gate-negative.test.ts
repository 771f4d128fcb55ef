// The gate on a staged publication: it passes when everything is right, and each check is shown red by one fault.
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { holds } from '#gate/check.ts';
import { described } from '#gate/checks.ts';
import { readGateConfig } from '#gate/config.ts';
import { type Report, readyStatus } from '#gate/report.ts';
import { runGate } from '#gate/run.ts';
import { createKeyPair } from '#gate/signature.ts';
import { isoTime, systemClock } from '#kernel/clock.ts';
import { writeJson, writeText } from '#kernel/files.ts';
import { type Stage, stagedCommit, startStage } from '../../scripts/stage.ts';
import { faults, warm } from '../gate/broken-stage.ts';
import { passingEvidence } from '../gate/passing-evidence.ts';
import { verifies } from '../support/verifies.ts';

let stage: Stage;
let first: Readonly<Record<string, string>>;

beforeAll(async () => {
  stage = await startStage({ issuer: { accessTokenTtlMs: 900_000 } });
  first = stage.settings;
  writeText(path.join(stage.folder, 'stranger.pub'), createKeyPair().publicPem);
}, 120_000);
afterAll(() => stage[Symbol.asyncDispose]());

/** Evidence as it was collected a moment ago. */
function writeEvidence(): void {
  const testedAt = isoTime(systemClock.now());
  const fresh = Object.entries(passingEvidence('strict')).map(([name, value]) => [
    name,
    typeof value === 'object' ? { ...value, testedAt, commit: stagedCommit } : value,
  ]);
  writeJson(stage.evidence, Object.fromEntries(fresh));
}

async function run(): Promise<Report> {
  const config = readGateConfig(stage.gateEnv);
  const silent = () => {};
  return runGate({
    config,
    evidencePath: stage.evidence,
    reportPath: stage.report,
    clock: systemClock,
    onFinding: silent,
    onBurst: silent,
  });
}

/** The stage as it was, with empty rate buckets and the issuer's keys known. */
async function restore(): Promise<void> {
  stage.edge.control.clearFaults();
  stage.issuer.control.clearFaults();
  stage.dns.control.setZone({});
  stage.set({ ...first });
  stage.unset('MCP_GATE_EVIDENCE_KEY_PATH');
  writeEvidence();
  await stage.restartMcp();
  await warm(stage);
}

/** What the gate could have changed on our side. */
async function stateOfHub() {
  const { identities } = await stage.admin.auth.identities({});
  const notes = path.join(stage.folder, 'data/.monitor.notes.json');
  const { routers } = await stage.admin.routers.list({});
  return {
    identities: identities.map(({ id, revokedAt }) => [id, revokedAt]),
    notes: existsSync(notes) ? readFileSync(notes, 'utf8') : null,
    routers: routers.map(({ id, enabled }) => [id, enabled]),
  };
}

/** `id` and every check that needs it, directly or not. */
function withDependents(id: string): string[] {
  const red = new Set([id]);
  for (const check of described) {
    if (check.needs.some((need) => red.has(need))) {
      red.add(check.id);
    }
  }
  return described.map((check) => check.id).filter((one) => red.has(one));
}

verifies(
  'gate.run.inputs gate.run.staged gate.run.connect-address gate.run.canonical-name gate.run.profile gate.run.revoked-token gate.report.private gate.run.changes-nothing gate.probe.burst-fills',
  'a stage in which everything is right is ready, and the report is private and without secrets',
  async () => {
    await restore();
    const before = await stateOfHub();
    const report = await run();
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

test('every check has a fault, and no fault is without its check', () => {
  expect(Object.keys(faults).sort()).toEqual(described.map(({ id }) => id).sort());
});

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

  test.each(described.map(({ id }) => id))('%s', async (id) => {
    await restore();
    const fault = faults[id];
    if (!fault) {
      throw new Error(`no fault turns ${id} red: add one, or take the check away`);
    }
    await using after = new AsyncDisposableStack();
    await fault(stage, after);
    const report = await run();
    const red = report.findings.filter((finding) => !holds(finding));
    expect(red.map((finding) => finding.id)).toEqual(withDependents(id));
    expect(red.find((finding) => finding.id === id)?.because).toBeTruthy();
    expect(red.filter((finding) => finding.id !== id).map(({ outcome }) => outcome)).not.toContain('fail');
    expect(report.status).toBe('failed');
    expect(JSON.parse(readFileSync(stage.report, 'utf8'))).toMatchObject({ status: 'failed' });
  });
});

// The gate on a staged publication: it passes when everything is right. What turns its checks red: gate-mistakes.test.ts.
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { holds } from '#gate/check.ts';
import { mistakes } from '#gate/mistakes/catalogue.ts';
import { remarksOf } from '#gate/remarks.ts';
import { readyStatus } from '#gate/report.ts';
import { type GateStage, startGateStage } from '../support/gate-stage.ts';
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

verifies(
  'card.gate.probes-staged card.used-by.gate-before-dns',
  'without the tokens that the specification does not name it is ready too, and the report says what was not tried',
  async () => {
    await gate.restore();
    const name = new URL(gate.first.MCP_GATE_ENDPOINT ?? '').hostname;
    gate.stage.edge.control.clearJournal();
    const left = [
      'LIMIT_TOKENS',
      'NEAR_AUDIENCE_TOKEN',
      'AUDIENCE_LIST_TOKEN',
      'OTHER_ISSUER_TOKEN',
      'WRITE_ONLY_TOKEN',
    ];
    for (const name of left) {
      gate.stage.unset(`MCP_GATE_${name}`);
    }
    const report = await gate.run();
    expect(report.status).toBe(readyStatus);
    // The name is in no DNS yet: it was asked about, and the staged endpoint was found without it.
    const questions = gate.stage.dns.control.journal.filter(({ kind }) => kind === 'query').map((one) => one.name);
    expect(questions).toContain(name);
    expect(gate.stage.edge.control.journal.filter(({ kind }) => kind === 'request').length).toBeGreaterThan(50);
    expect(remarksOf(report)).toContain(
      'Not tried, because a token for it was not given: token.near-audience, token.audience-list, scope.read-required, limit.client, limit.global.',
    );
  },
);

verifies(
  'gate.probe.challenges gate.probe.eras gate.probe.error-32020 gate.probe.error-32022 gate.probe.read-token-403 gate.probe.write-visible gate.probe.burst gate.run.blocks-dns gate.run.no-publication-before',
  'each probe that the specification names is turned red by a mistake of the catalogue',
  () => {
    const named = ['token.missing', 'era.legacy', 'era.modern', 'error.mismatch', 'error.unsupported'];
    expect([...new Set(mistakes.flatMap(({ red }) => red))]).toEqual(
      expect.arrayContaining([...named, 'scope.write-denied', 'scope.write-visible', 'limit.burst']),
    );
  },
);

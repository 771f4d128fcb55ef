// The gate on a staged publication: it passes when everything is right. What turns its checks red: gate-mistakes.test.ts.
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { holds } from '#gate/check.ts';
import { readGateConfig } from '#gate/config.ts';
import { toRemarks } from '#gate/remarks.ts';
import { type Report, readyStatus, resourceServerStatus } from '#gate/report.ts';
import { runGate } from '#gate/run.ts';
import { isoTime, systemClock } from '#kernel/time/clock.ts';
import { stagedCommit, stagedName } from '../../scripts/stage.ts';
import { type GateStage, startGateStage } from '../support/gate-stage.ts';
import { verifies } from '../support/verifies.ts';

let gate: GateStage;
/** Of a run in which everything is right. */
let report: Report;
let began: string;
let before: Awaited<ReturnType<typeof configuration>>;
beforeAll(async () => {
  gate = await startGateStage();
  await gate.restore();
  before = await configuration();
  gate.stage.edge.clearJournal();
  gate.stage.issuer.clearJournal();
  began = isoTime(systemClock.now());
  report = await gate.run();
}, 240_000);
afterAll(() => gate[Symbol.asyncDispose]());

/** All that the gate could have changed: DNS, certificate, proxy, identity provider, hub, MCP server, files. */
async function configuration() {
  const { admin, dns, edge, folder, issuer, report: reportFile } = gate.stage;
  const { identities } = await admin.auth.identities({});
  const { routers } = await admin.routers.list({});
  const notes = path.join(folder, 'data/.monitor.notes.json');
  const files = readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter(
      (file) => !file.startsWith(path.join(folder, 'data')) && !file.includes('mcp-audit.db') && file !== reportFile,
    );
  return {
    zone: dns.zone,
    certificate: await fingerprintOf(Number(edge.url.port)),
    proxy: edge.upstreams,
    provider: { state: issuer.state(), users: issuer.users },
    settings: await admin.config.general({}),
    identities: identities.map(({ id, label, permissions, revokedAt }) => ({ id, label, permissions, revokedAt })),
    notes: existsSync(notes) ? readFileSync(notes, 'utf8') : null,
    routers: routers.map(({ id, displayName, ip, enabled }) => ({ id, displayName, ip, enabled })),
    files: Object.fromEntries(files.sort().map((file) => [path.relative(folder, file), readFileSync(file, 'utf8')])),
  };
}

async function fingerprintOf(port: number): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, servername: stagedName, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

verifies('gate.run.ready-state', 'a stage in which everything is right is ready', () => {
  expect(report.findings.filter((finding) => !holds(finding))).toEqual([]);
  expect(report.status).toBe(readyStatus);
  expect(JSON.parse(readFileSync(gate.stage.report, 'utf8'))).toEqual(report);
});

verifies('gate.report.content', 'the report says what was judged, when, and how each category came out', () => {
  expect(report).toMatchObject({ deployedCommit: stagedCommit, endpointHost: stagedName, enabledRouters: 1 });
  expect(report.checkedAt >= began && report.checkedAt <= isoTime(systemClock.now())).toBe(true);
  const grades = Object.values(report.checks).flatMap((grade) =>
    typeof grade === 'string' ? grade : Object.values(grade),
  );
  expect(new Set(grades)).toEqual(new Set(['pass', 'strict-metadata-pass']));
});

verifies('gate.report.private gate.report.no-secrets', 'the report is private, and holds none of the secrets', () => {
  expect(statSync(gate.stage.report).mode & 0o777).toBe(0o600);
  const text = readFileSync(gate.stage.report, 'utf8');
  const secrets = Object.entries(gate.first).filter(([name]) => /_TOKENS?$/.test(name));
  expect(secrets.length).toBeGreaterThan(6);
  for (const [name, value] of secrets) {
    for (const secret of value.split(' ')) {
      expect(text.includes(secret), name).toBe(false);
      expect(text.includes(secret.split('.').at(-1) ?? secret), `the signature in ${name}`).toBe(false);
    }
  }
});

verifies('gate.run.connect-address gate.run.canonical-name', 'all went to the pinned address, by its name', () => {
  const { edge, dns } = gate.stage;
  expect(Object.keys(dns.zone)).not.toContain(stagedName);
  const requests = edge.journal().filter(({ kind }) => kind === 'request');
  expect(requests.length).toBeGreaterThan(100);
  const names = requests.map(({ host, servername }) => ({ host, servername }));
  expect(new Set(names.map((one) => JSON.stringify(one)))).toEqual(
    new Set([JSON.stringify({ host: `${stagedName}:${edge.url.port}`, servername: stagedName })]),
  );
});

verifies('gate.run.changes-nothing', 'nothing has changed, and the identity provider was only read', async () => {
  expect(await configuration()).toEqual(before);
  const asked = gate.stage.issuer.journal().map(({ kind }) => kind);
  expect(new Set(asked)).toEqual(new Set(['discovery', 'jwks']));
});

verifies('card.gate.probes-staged card.used-by.gate-before-dns', 'ready without the optional tokens too', async () => {
  await gate.restore();
  const name = new URL(gate.first.MCP_GATE_ENDPOINT ?? '').hostname;
  gate.stage.edge.clearJournal();
  const left = ['LIMIT_TOKENS', 'NEAR_AUDIENCE_TOKEN', 'AUDIENCE_LIST_TOKEN', 'OTHER_ISSUER_TOKEN', 'WRITE_ONLY_TOKEN'];
  for (const name of left) {
    gate.stage.unset(`MCP_GATE_${name}`);
  }
  const report = await gate.run();
  expect(report.status).toBe(readyStatus);
  // The name is in no DNS yet: it was asked about, and the staged endpoint was found without it.
  const questions = gate.stage.dns
    .journal()
    .filter(({ kind }) => kind === 'query')
    .map((one) => one.name);
  expect(questions).toContain(name);
  expect(gate.stage.edge.journal().filter(({ kind }) => kind === 'request').length).toBeGreaterThan(50);
  expect(toRemarks(report)).toContain(
    'Not tried, because a token for it was not given: token.near-audience, token.audience-list, scope.read-required, limit.client, limit.global.',
  );
});

it('the profile resource-server holds for it too, in both eras, and is no word on its publication', async () => {
  await gate.restore();
  const { stage } = gate;
  const report = await runGate({
    config: readGateConfig(stage.gateEnv, 'resource-server'),
    evidencePath: undefined,
    reportPath: stage.report,
    clock: systemClock,
    onFinding: () => {},
    onBurst: () => {},
  });
  expect(report.findings.filter((finding) => !holds(finding))).toEqual([]);
  expect(report.status).toBe(resourceServerStatus);
  const applying = ['era.legacy', 'era.modern', 'era.sameTools', 'error.mismatch', 'error.unsupported', 'scope.read'];
  expect(report.findings.filter(({ id, outcome }) => applying.includes(id) && outcome === 'pass')).toHaveLength(6);
});

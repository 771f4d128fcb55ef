// Each mistake of the catalogue, made where it is made: exactly its checks are red, and no run says ready. `npm run test:e2e`
// makes the first of each check and a share of the others, `npm run test:whole` all of them.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { holds } from '#gate/check.ts';
import { startWitness } from '#gate/collect/witness.ts';
import { readGateConfig } from '#gate/config.ts';
import { modern } from '#gate/mcp-messages.ts';
import { createHttp } from '#gate/target.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { mistakes } from '../gate/mistakes/catalogue.ts';
import type { Mistake } from '../gate/mistakes/mistake.ts';
import { eventually } from '../support/eventually.ts';
import { type GateStage, startGateStage, withDependents } from '../support/gate-stage.ts';
import { startProgram } from '../support/program.ts';
import { runs } from '../support/property-runs.ts';
import { verifies } from '../support/verifies.ts';

let gate: GateStage;
beforeAll(async () => {
  gate = await startGateStage();
}, 120_000);
afterAll(() => gate[Symbol.asyncDispose]());

const inRuns = mistakes.filter(({ collector }) => collector === undefined);
const cited = new Set<Mistake>();

/** One of so many is made here, the first of each list among them. */
const oneOf = runs(6, 1);
const share = (list: readonly Mistake[]) => list.filter((_, index) => index % oneOf === 0);

/** The mistakes that turn one of these checks red, or are named; each is in the first list that has it, and so made once. */
function turning(...checks: string[]) {
  const found = inRuns.filter(
    (mistake) => !cited.has(mistake) && [mistake.id, ...mistake.red].some((id) => checks.includes(id)),
  );
  for (const mistake of found) {
    cited.add(mistake);
  }
  return share(found).map((mistake) => ({ ...mistake, what: `${mistake.id}: ${mistake.sentence}` }));
}

/** Makes it on the stage, and runs the gate. */
async function makeAndRun({ red, make, because: expected }: Mistake): Promise<void> {
  await gate.restore();
  await using after = new AsyncDisposableStack();
  await make(gate.stage, after);
  gate.stage.edge.clearJournal();
  const report = await gate.run();
  const failed = report.findings.filter((finding) => !holds(finding));
  const because = failed.map((finding) => `${finding.id}: ${finding.because}`).join('\n');
  expect(
    failed.map((finding) => finding.id),
    because,
  ).toEqual(withDependents(red));
  expect(failed.find((finding) => finding.id === red[0])?.because).toMatch(expected);
  expect(failed.filter((finding) => !red.includes(finding.id)).map(({ outcome }) => outcome)).not.toContain('fail');
  expect(JSON.parse(readFileSync(gate.stage.report, 'utf8'))).toMatchObject({ status: 'failed' });
}

describe('mistakes', () => {
  verifies.each(
    'gate.run.no-publication-before gate.run.staged gate.probe.burst-fills',
    turning('dns.absent'),
    async (mistake) => {
      await makeAndRun(mistake);
      // What is published may be in use: nothing is sent to it, and least of all a burst.
      expect(gate.stage.edge.journal()).toEqual([]);
    },
  );
  verifies.each('gate.probe.eras', turning('era.legacy', 'era.modern'), makeAndRun);
  verifies.each('gate.probe.error-32022', turning('error.unsupported'), makeAndRun);
  verifies.each('gate.probe.error-32020', turning('error.mismatch'), makeAndRun);
  verifies.each('gate.probe.challenges', turning('token.missing', 'token.malformed'), makeAndRun);
  verifies.each('gate.probe.read-token-403', turning('scope.write-denied'), makeAndRun);
  verifies.each('gate.probe.write-visible', turning('scope.write-visible'), makeAndRun);
  verifies.each('gate.probe.burst', turning('limit.burst'), makeAndRun);
  verifies.each('gate.probe.burst-fills', turning('limit.global'), makeAndRun);
  verifies.each('gate.run.revoked-token', turning('token.revoked', 'operator.revoked-just-now'), makeAndRun);
  test.each(share(inRuns.filter((mistake) => !cited.has(mistake))))('$id: $sentence', makeAndRun);
});

describe('mistakes that a collector finds', () => {
  test.each(share(mistakes.filter(({ collector }) => collector !== undefined)))(
    '$id: $sentence',
    async ({ collector, make, because, options, asked }) => {
      const { stage } = gate;
      await gate.restore();
      await using after = new AsyncDisposableStack();
      await make(stage, after);
      stage.edge.clearJournal();
      const collected = await gate.collect(collector ?? '', options?.(stage), asked);
      expect(collected).toMatchObject({ passed: false, because: expect.stringMatching(because) });
      if (collected.because.includes('nothing is sent to a name')) {
        expect(stage.edge.journal()).toEqual([]);
      }
    },
  );
});

describe('the same collectors, when nothing is wrong', () => {
  test('direct-ingress passes, with a witness on the host, and records what was tried', async () => {
    const { stage } = gate;
    await gate.restore();
    const args = ['--env', stage.gateEnv, '--port', '0', '--host', '127.0.0.2'];
    await using program = startProgram(['src/main.ts', 'gate', 'witness', ...args]);
    const port = await eventually(
      async () => program.stdout(),
      (text) => /ready on port (\d+)\n/.exec(text)?.[1],
    );
    const collected = await gate.collect('direct-ingress', { address: '127.0.0.2', witness: port, ports: '8443' });
    expect(collected).toMatchObject({ passed: true, because: '' });
    const { directIngress } = JSON.parse(readFileSync(stage.evidence, 'utf8')) as { directIngress: object };
    const ports = [443, Number(stage.hub.url.port), Number(stage.settings.MCP_GATE_MCP_PORT), 8443];
    expect(directIngress).toMatchObject({ portsClosed: true, address: '127.0.0.2', ports });
  });

  test('the witness does not start where the MCP server is not at the port of the settings', async () => {
    const { stage } = gate;
    await gate.restore();
    stage.set({ MCP_GATE_MCP_PORT: '9' });
    const config = readGateConfig(stage.gateEnv);
    await expect(startWitness({ config, host: '127.0.0.2', port: 0 })).rejects.toThrow('correct MCP_GATE_MCP_PORT');
  });

  test('jwks-outage passes when the same process serves after the outage', async () => {
    const { stage } = gate;
    await gate.restore();
    const collected = await gate.collect('jwks-outage', { 'mcp-env': stage.mcpEnv }, ({ issuer }, text) => {
      if (text.startsWith('Put')) {
        issuer.fail('jwks-down');
      } else {
        issuer.clearFaults();
      }
    });
    expect(collected).toMatchObject({ passed: true, because: '' });
  });
});

test('an endpoint that is busy with an earlier burst is waited for, and then passes', async () => {
  const { stage } = gate;
  await gate.restore();
  const ca = readFileSync(stage.settings.MCP_GATE_CA_PATH ?? '', 'utf8');
  await using http = createHttp({ timeoutMs: 10_000, ca }, { address: '127.0.0.1', family: 4 });
  for (let status = 401; status === 401; ) {
    ({ status } = await http.ask('earlier', new URL(stage.settings.MCP_GATE_ENDPOINT ?? ''), modern('tools/list')));
  }
  const waited: number[] = [];
  const report = await gate.run({
    ...systemClock,
    async sleep(ms, signal) {
      // Deadlines of one question and of the whole run.
      if (ms > 60_000 || ms <= 3000) {
        await systemClock.sleep(ms, signal);
        return;
      }
      waited.push(ms);
      await stage.restartMcp();
    },
  });
  expect(report.findings.filter((finding) => !holds(finding))).toEqual([]);
  expect(waited).toHaveLength(1);
});

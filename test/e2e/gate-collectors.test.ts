// Collectors against the whole stage: what the identity provider does under cloud_idp, each claim shown red by one lie
// of the issuer, and the outage of its keys.
import { readFileSync, rmSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { idpCompatibility } from '#gate/collect/idp-compatibility.ts';
import { recordItem } from '#gate/collect/record-item.ts';
import { type GateConfig, readGateConfig } from '#gate/config.ts';
import { callbackLimitation, items } from '#gate/evidence/items.ts';
import { judgeItem } from '#gate/evidence/rules.ts';
import { evidenceTemplate } from '#gate/evidence/template.ts';
import { readRuns, transcriptFolder } from '#gate/evidence/transcripts.ts';
import { writeJson } from '#kernel/files/files.ts';
import { freePort } from '#kernel/http/listening.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { fixedMcpClientId } from '#simulators/oidc/clients.ts';
import type { IssuerControl } from '#simulators/oidc/control.ts';
import { type Stage, stagedCommit, startStage } from '../../scripts/stage.ts';
import { unattended } from '../../scripts/stage-tokens.ts';
import { eventually } from '../support/eventually.ts';
import { warm } from '../support/gate-stage.ts';
import { startProgram } from '../support/program.ts';
import { verifies } from '../support/verifies.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await startStage();
}, 120_000);
afterAll(() => stage[Symbol.asyncDispose]());
/** With empty rate buckets, and the issuer's metadata known before it lies. */
beforeEach(async () => {
  await stage.restartMcp();
  await warm(stage);
});
afterEach(() => {
  stage.issuer.reset();
  stage.edge.clearFaults();
});

const document = () => JSON.parse(readFileSync(stage.evidence, 'utf8')) as Record<string, Record<string, unknown>>;

/** A template; `clientRuns` of their item says whether a client has the limitation. */
function writeEvidence(clientRuns: Record<string, unknown> = {}): void {
  rmSync(transcriptFolder(stage.evidence), { recursive: true, force: true });
  const template = evidenceTemplate('cloud_idp', stagedCommit);
  writeJson(stage.evidence, {
    ...template,
    clientCompatibility: { ...(template.clientCompatibility as object), ...clientRuns },
  });
}

/** Runs the experiment as `gate collect` does; the profile itself is for a provider whose name nobody here may use. */
async function collect(options: Record<string, string> = {}) {
  const config: GateConfig = { ...readGateConfig(stage.gateEnv), MCP_GATE_OAUTH_COMPATIBILITY_PROFILE: 'cloud_idp' };
  const context = unattended(config, stage.tokenSource.ca, options);
  const { fields, objections } = await idpCompatibility.run(context);
  const judging = {
    now: systemClock.now(),
    commit: stagedCommit,
    profile: 'cloud_idp' as const,
    endpoint: stage.tokenSource.resource,
    issuer: stage.issuer.issuer,
    resource: stage.tokenSource.resource,
    policy: 'provenance' as const,
  };
  const { passed, because } = recordItem({
    evidencePath: stage.evidence,
    item: 'idpCompatibility',
    fields,
    objections,
    partial: false,
    source: { how: 'measured', by: 'Test Operator', collector: 'idp-compatibility', transcript: context.transcript },
    context: judging,
  });
  const verdict = judgeItem('idpCompatibility', {
    ...judging,
    document: document(),
    runs: readRuns(stage.evidence),
    signature: { state: 'not-asked' },
  });
  expect(verdict.outcome).toBe(passed ? 'pass' : 'fail');
  return { passed, because, item: document().idpCompatibility ?? {} };
}

describe('idp-compatibility', () => {
  verifies(
    'gate.idp.evidence-first gate.idp.pkce gate.idp.resource',
    'an honest one passes in both modes',
    async () => {
      for (const replayMode of ['revoke-family', 'reject-replay'] as const) {
        writeEvidence();
        stage.issuer.patch({ profile: 'cloud_idp', replayMode });
        stage.issuer.clearJournal();
        expect(await collect()).toMatchObject({ passed: true, because: '' });
        const wire = stage.issuer.journal();
        const sent = wire.filter(({ kind }) => kind === 'authorization' || kind === 'token');
        expect(new Set(sent.map(({ resource }) => resource))).toEqual(new Set([stage.tokenSource.resource]));
        const challenges = wire.filter(({ kind }) => kind === 'authorization').map((one) => one.codeChallengeMethod);
        expect(new Set(challenges)).toEqual(new Set(['S256']));
      }
    },
  );

  const lie =
    (...armed: Parameters<IssuerControl['fail']>) =>
    () =>
      stage.issuer.fail(...armed);
  /** The token for the clients is the first that the issuer gives; they get nowhere with it. */
  const uselessToken = lie('two-audiences', { times: 1 });

  /** What turns each field of the item red, and what is said of it. */
  const lies: Readonly<Record<string, [arm: () => void, because: RegExp]>> = {
    issuer: [lie('wrong-issuer', { value: 'token' }), /issuer must be the issuer of the gate/],
    resource: [lie('two-audiences'), /resource must be the resource of the gate/],
    pkceMethod: [lie('any-verifier'), /pkceMethod must be "S256"/],
    authorizationRequestResource: [lie('two-audiences'), /authorizationRequestResource must be true/],
    tokenRequestResource: [lie('two-audiences'), /tokenRequestResource must be true/],
    accessTokenAudienceMatched: [
      lie('two-audiences', { skip: 1, times: 1 }),
      /accessTokenAudienceMatched must be true(?!.*refreshAudiencePreserved)/,
    ],
    refreshAudiencePreserved: [
      lie('two-audiences', { skip: 2, times: 1 }),
      /^(?!.*accessTokenAudienceMatched).*refreshAudiencePreserved must be true/,
    ],
    testedClientCallbacksMatched: [lie('any-callback'), /testedClientCallbacksMatched must be true/],
    oldRefreshRejected: [lie('replay-accepted'), /oldRefreshRejected must be true/],
    revokedRefreshRejected: [lie('revocation-ignored'), /revokedRefreshRejected must be true/],
    inspectorVersion: [uselessToken, /@modelcontextprotocol\/inspector did not work/],
    clientAVersion: [uselessToken, /@modelcontextprotocol\/client did not work/],
    clientBVersion: [uselessToken, /@modelcontextprotocol\/sdk did not work/],
  };

  verifies.each(
    [
      { ids: 'gate.idp.block-matches', what: 'issuer' },
      { ids: 'gate.idp.block-matches', what: 'resource' },
      { ids: 'gate.idp.pkce', what: 'pkceMethod' },
      { ids: 'gate.idp.resource', what: 'authorizationRequestResource' },
      { ids: 'gate.idp.resource', what: 'tokenRequestResource' },
      { ids: 'gate.idp.audience', what: 'accessTokenAudienceMatched' },
      { ids: 'gate.idp.audience', what: 'refreshAudiencePreserved' },
      { ids: 'gate.idp.callback', what: 'testedClientCallbacksMatched' },
      { ids: 'gate.idp.old-refresh', what: 'oldRefreshRejected' },
      { ids: 'gate.idp.old-refresh', what: 'revokedRefreshRejected' },
      { ids: 'gate.idp.three-clients', what: 'inspectorVersion' },
      { ids: 'gate.idp.three-clients', what: 'clientAVersion' },
      { ids: 'gate.idp.three-clients', what: 'clientBVersion' },
    ],
    async ({ what: field }) => {
      writeEvidence();
      const [arm, because] = lies[field] ?? [() => {}, /no lie/];
      arm();
      expect(await collect()).toMatchObject({ passed: false, because: expect.stringMatching(because) });
    },
  );

  verifies(
    'gate.idp.callback-limitation gate.evidence.loopback-marker',
    'a provider that takes one fixed callback is recorded as that, and passes only beside the marker of the client runs',
    async () => {
      const port = await freePort();
      stage.issuer.setRedirectUris(fixedMcpClientId, [`http://127.0.0.1:${port}/callback`]);
      const options = { 'client-id': fixedMcpClientId, 'fixed-callback-port': String(port) };
      await expect(collect({ 'client-id': fixedMcpClientId })).rejects.toThrow('answers 400 where a redirect is due');
      writeEvidence();
      expect(await collect(options)).toMatchObject({
        passed: false,
        because: expect.stringContaining('clientBCallbackCompatible must be true'),
        item: { clientBCallbackCompatible: false, clientBCallbackStatus: callbackLimitation },
      });
      writeEvidence({ clientB: false, clientBStatus: callbackLimitation });
      expect(await collect(options)).toMatchObject({ passed: true, because: '' });
    },
  );

  test('every field has its lie', () => {
    const fields = Object.keys(items.find(({ name }) => name === 'idpCompatibility')?.fields ?? {});
    const ofCallback = ['clientBCallbackCompatible', 'clientBCallbackStatus'];
    expect([...Object.keys(lies), ...ofCallback].sort()).toEqual(fields.sort());
  });
});

describe('jwks-outage', () => {
  verifies('gate.evidence.jwks-cold', 'a bad token stops it before anything is put out of reach', async () => {
    const { MCP_GATE_READ_TOKEN: good = '', MCP_GATE_EXPIRED_TOKEN: expired = '' } = stage.settings;
    stage.set({ MCP_GATE_READ_TOKEN: expired, MCP_GATE_EXPIRED_TOKEN: good });
    await expectStop('answers 401 to MCP_GATE_READ_TOKEN: take a new token, then run it again');
    stage.set({ MCP_GATE_READ_TOKEN: good, MCP_GATE_EXPIRED_TOKEN: expired });
    stage.edge.fail('bad-gateway');
    await expectStop(
      'answers 502 to MCP_GATE_READ_TOKEN: see that it serves, and is not busy with a burst, then run it again',
    );
  });

  /** The first that an operator is told must be this, not to make the outage; and nothing is written. */
  async function expectStop(because: string): Promise<void> {
    writeEvidence();
    const before = readFileSync(stage.evidence, 'utf8');
    const args = ['--env', stage.gateEnv, '--mcp-env', stage.mcpEnv];
    await using program = startProgram(['src/main.ts', 'gate', 'collect', 'jwks-outage', ...args]);
    const told = await eventually(
      async () => program.stderr(),
      (text) => (text.includes('\n') ? text : undefined),
    );
    expect(told).toBe(`gatehouse gate collect: the staged endpoint ${because}\n`);
    expect(await program.ended).toMatchObject({ code: 2 });
    expect(readFileSync(stage.evidence, 'utf8')).toBe(before);
  }
});

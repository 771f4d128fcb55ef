// The collectors against an honest issuer and against liars: a pass is written when it was seen, and never otherwise.
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import type { IssuerFault } from '#simulators/oidc/faults.ts';
import { openGateDesk } from '../support/gate-desk.ts';
import { verifies } from '../support/verifies.ts';

describe('refresh-replay', () => {
  for (const replayMode of ['reject-replay', 'revoke-family'] as const) {
    verifies('card.used-by.refresh-replay', `sees mode ${replayMode}, and writes what it saw`, async () => {
      await using desk = await openGateDesk({ replayMode });
      const { code, stdout } = await desk.collect('refresh-replay');
      expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('refreshRevocation: passed') });
      const item = desk.item('refreshRevocation');
      const isReplay = replayMode === 'reject-replay';
      expect(item).toMatchObject({
        passed: true,
        mode: replayMode,
        replayRequestRejected: true,
        currentFamilyUsable: isReplay,
        familyRevoked: !isReplay,
        accessTokenLifetimeSeconds: 600,
        commit: desk.settings.MCP_GATE_DEPLOYED_COMMIT,
        provenance: { how: 'measured', tool: 'gatehouse' },
      });
      const transcript = readFileSync(`${desk.evidence}.transcripts/refreshRevocation.1.json`);
      const digest = createHash('sha256').update(transcript).digest('hex');
      expect(item.provenance).toMatchObject({ transcriptSha256: digest });
      const wire = desk.issuer
        .journal()
        .map((entry) => JSON.stringify(entry))
        .join('\n');
      expect(wire).toContain('S256');
      expect(wire).toContain(desk.settings.MCP_GATE_RESOURCE);
    });
  }

  it('leaves tokens in no file, and files that are private', async () => {
    await using desk = await openGateDesk();
    const { stdout, stderr } = await desk.collect('refresh-replay');
    const transcript = `${desk.evidence}.transcripts/refreshRevocation.1.json`;
    for (const file of [desk.evidence, transcript]) {
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(readFileSync(file, 'utf8')).not.toMatch(/eyJ|marked-/);
    }
    expect(stdout + stderr).not.toMatch(/eyJ|marked-/);
  });
});

describe('an issuer that lies gets no pass', () => {
  const lies: [fault: IssuerFault, options: { value?: number | string }, args: string[], because: RegExp][] = [
    ['replay-accepted', {}, [], /the old refresh token was not refused/],
    ['family-not-revoked', {}, ['--expect', 'revoke-family'], /revoke-family was expected, and not seen/],
    ['long-lived-token', { value: 1200 }, [], /accessTokenLifetimeSeconds must be a whole number from 1 to 900/],
    ['two-audiences', {}, [], /not for exactly this resource/],
    ['any-verifier', {}, [], /a code was not refused to a wrong verifier/],
  ];

  verifies('gate.idp.evidence-first', 'each lie is seen, and what passed before does so no more', async () => {
    await using desk = await openGateDesk({ replayMode: 'revoke-family' });
    for (const [fault, options, args, because] of lies) {
      expect(await desk.collect('refresh-replay')).toMatchObject({ code: 0 });
      expect(desk.item('refreshRevocation').passed).toBe(true);
      desk.issuer.fail(fault, options);
      const { code, stdout } = await desk.collect('refresh-replay', ...args);
      desk.issuer.clearFaults();
      expect({ fault, code, stdout }).toEqual({ fault, code: 1, stdout: expect.stringMatching(because) });
      expect(desk.item('refreshRevocation').passed).toBe(false);
    }
  });

  it('an issuer that cannot be asked writes nothing, and says what to do', async () => {
    await using desk = await openGateDesk();
    const before = readFileSync(desk.evidence, 'utf8');
    desk.issuer.fail('token-endpoint-down');
    const { code, stderr } = await desk.collect('refresh-replay');
    expect(code).toBeGreaterThan(0);
    expect(stderr).toMatch(/gate collect: /);
    expect(readFileSync(desk.evidence, 'utf8')).toBe(before);
  });

  it('access-token-lifetime measures that field alone', async () => {
    await using desk = await openGateDesk();
    expect((await desk.collect('refresh-replay')).code).toBe(0);
    desk.issuer.fail('long-lived-token', { value: 1200 });
    expect((await desk.collect('access-token-lifetime')).code).toBe(1);
    expect(desk.item('refreshRevocation')).toMatchObject({
      passed: false,
      mode: 'reject-replay',
      accessTokenLifetimeSeconds: 1200,
    });
    desk.issuer.clearFaults();
    expect((await desk.collect('access-token-lifetime')).code).toBe(0);
    expect(desk.item('refreshRevocation')).toMatchObject({ passed: true, accessTokenLifetimeSeconds: 600 });
  });

  it('revocation is shown for one access token, which is stored for the gate where it says', async () => {
    await using desk = await openGateDesk();
    const file = `${desk.folder}/revoked.token`;
    const { code, stdout } = await desk.collect('revocation', '--token-out', file);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('revocation: passed') });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const token = readFileSync(file, 'utf8');
    expect(desk.item('revocation')).toMatchObject({ passed: true, tokenJti: decodeJwt(token).jti });
    expect(stdout).not.toContain(token);
    expect(await desk.collect('revocation', '--token-out', desk.env)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${desk.env} is there and holds no token: name another file with --token-out`),
    });
    expect(readFileSync(desk.env, 'utf8')).toContain('MCP_GATE_ENDPOINT');
    desk.issuer.fail('revocation-ignored');
    expect((await desk.collect('revocation')).code).toBe(1);
    expect(desk.item('revocation')).toMatchObject({ passed: false, revokedRefreshRejected: false });
  });
});

describe('the profile resource-server', () => {
  it('has the experiments on the authorization server, and no evidence', async () => {
    await using desk = await openGateDesk();
    Object.assign(desk.settings, { MCP_GATE_PROFILE: 'resource-server' });
    desk.save();
    const before = readFileSync(desk.evidence, 'utf8');
    const file = `${desk.folder}/revoked.token`;
    expect(await desk.collect('revocation', '--token-out', file)).toMatchObject({
      code: 0,
      stdout: 'revocation: passed. No evidence was written: this profile asks for none of it\n',
    });
    // The token of an earlier run is replaced.
    desk.issuer.fail('revocation-ignored');
    expect(await desk.collect('revocation', '--token-out', file)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('revocation: NOT passed: the revoked refresh token was not refused. No evidence'),
    });
    expect(readFileSync(desk.evidence, 'utf8')).toBe(before);
  });
});

describe('attestation', () => {
  it('is entered under a name, says that it is attested, and is only for what no experiment can show', async () => {
    await using desk = await openGateDesk();
    const attest = (...args: string[]) => desk.gate('attest', ...args, '--env', desk.env);
    expect(await attest('rollback', '--by', 'Ada Example')).toMatchObject({ code: 0 });
    expect(desk.item('rollback')).toMatchObject({ passed: true, provenance: { how: 'attested', by: 'Ada Example' } });
    expect(await attest('jwksOutage', '--by', 'Ada Example')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('not attested'),
    });
    expect((await attest('rollback')).code).toBe(2);
    expect((await attest('rollback', '--by', '!')).code).toBe(2);
  });
});

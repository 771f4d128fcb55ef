// The gate's own OAuth client, where it does on purpose what no client should: the issuer must refuse it.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { viewToken } from '#gate/collect/access-token.ts';
import { openOAuthClient } from '#gate/collect/oauth-client.ts';
import { readGateConfig } from '#gate/config.ts';
import { GateError } from '#gate/private-file.ts';
import { freePort } from '#kernel/http/listening.ts';
import type { IssuerFault } from '#simulators/oidc/faults.ts';
import { unattended } from '../../scripts/stage-tokens.ts';
import { openGateDesk } from '../support/gate-desk.ts';
import { verifies } from '../support/verifies.ts';

verifies('gate.idp.pkce gate.idp.callback', 'a wrong verifier and another callback are sent and told', async () => {
  await using desk = await openGateDesk();
  const config = readGateConfig(desk.env);
  const ca = readFileSync(desk.settings.MCP_GATE_CA_PATH ?? '', 'utf8');
  await using client = await openOAuthClient(unattended(config, ca));
  const scopes = [config.MCP_GATE_READ_SCOPE];
  const tries = [
    ['any-verifier', () => client.redeemWithWrongVerifier(scopes)],
    ['any-callback', () => client.redeemForOtherCallback(scopes)],
  ] as const satisfies [IssuerFault, unknown][];
  for (const [fault, redeem] of tries) {
    expect(await redeem()).toEqual({ state: 'rejected' });
    desk.issuer.fail(fault, { times: 1 });
    expect(await redeem()).toMatchObject({ state: 'accepted', tokens: { accessToken: expect.any(String) } });
    desk.issuer.fail('token-endpoint-down', { times: 1 });
    expect(await redeem()).toMatchObject({ state: 'unclear' });
  }
  expect((await client.login(scopes)).accessToken).toMatch(/^eyJ/);
});

test('what the issuer does not do is named with its code, and with what to do', async () => {
  await using desk = await openGateDesk();
  const config = readGateConfig(desk.env);
  const ca = readFileSync(desk.settings.MCP_GATE_CA_PATH ?? '', 'utf8');
  const open = (issuer: string) => openOAuthClient(unattended({ ...config, MCP_GATE_ISSUER: issuer }, ca));
  const rejects = async (work: Promise<unknown>, message: RegExp) => {
    const error = await work.then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(GateError);
    expect(String(error)).toMatch(message);
  };
  const nobody = `https://127.0.0.1:${await freePort()}`;
  await rejects(
    open(nobody),
    /https:\/\/127\.0\.0\.1:\d+ has no discovery document \(ECONNREFUSED\): compare MCP_GATE_ISSUER/,
  );
  await rejects(open(`${desk.issuer.issuer}/other`), /\/other has no discovery document \(OAUTH_\w+\): compare/);
  await using client = await open(desk.issuer.issuer);
  const login = () => client.login([config.MCP_GATE_READ_SCOPE]);
  desk.issuer.fail('expired-code', { times: 1 });
  await rejects(login(), /^Error: the issuer refused the sign-in \(invalid_grant\): register the client/);
  desk.issuer.fail('token-endpoint-down', { times: 1 });
  await rejects(login(), /^Error: the issuer refused the sign-in \(OAUTH_\w+\)/);
});

test('an access token is viewed when the issuer signed it, and else it is none', async () => {
  await using desk = await openGateDesk();
  const config = readGateConfig(desk.env);
  const context = unattended(config, readFileSync(desk.settings.MCP_GATE_CA_PATH ?? '', 'utf8'));
  await using client = await openOAuthClient(context);
  const take = async (fault?: IssuerFault) => {
    if (fault) {
      desk.issuer.fail(fault, { times: 1 });
    }
    return (await client.login([config.MCP_GATE_READ_SCOPE])).accessToken;
  };
  const good = await take();
  const right = { lifetimeSeconds: 600, issuer: config.MCP_GATE_ISSUER };
  const { MCP_GATE_RESOURCE: audience } = config;
  expect(await viewToken(good, client, context)).toEqual({ ...right, audience, audienceMatches: true });
  const several = await viewToken(await take('two-audiences'), client, context);
  expect(several).toEqual({ ...right, audience: null, audienceMatches: false });
  const elsewhere = { ...context, config: { ...config, MCP_GATE_RESOURCE: `${audience}/` } };
  expect(await viewToken(good, client, elsewhere)).toEqual({ ...right, audience, audienceMatches: false });
  for (const wrong of ['no token', `${good.slice(0, -8)}AAAAAAAA`, await take('wrong-issuer')]) {
    expect(await viewToken(wrong, client, context)).toBeNull();
  }
  const unreachable = { ...client, keys: () => Promise.reject(new Error('the key set is out of reach')) };
  await expect(viewToken(good, unreachable, context)).rejects.toThrow('out of reach');
});

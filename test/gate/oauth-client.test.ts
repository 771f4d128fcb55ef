// The gate's own OAuth client, where it does on purpose what no client should: the issuer must refuse it.
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { openOAuthClient } from '#gate/collect/oauth-client.ts';
import { readGateConfig } from '#gate/config.ts';
import type { IssuerFault } from '#simulators/oidc/faults.ts';
import { unattended } from '../../scripts/stage-tokens.ts';
import { openGateDesk } from '../support/gate-desk.ts';
import { verifies } from '../support/verifies.ts';

verifies(
  'gate.idp.pkce gate.idp.callback',
  'a wrong verifier and another callback are sent, and what the issuer makes of them is told',
  async () => {
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
      desk.issuer.control.fail(fault, { times: 1 });
      expect(await redeem()).toMatchObject({ state: 'accepted', tokens: { accessToken: expect.any(String) } });
      desk.issuer.control.fail('token-endpoint-down', { times: 1 });
      expect(await redeem()).toMatchObject({ state: 'unclear' });
    }
    expect((await client.login(scopes)).accessToken).toMatch(/^eyJ/);
  },
);

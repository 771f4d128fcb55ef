// The refresh-replay collector against an authorization server of another make, signed in at by its own pages.
import { expect, test } from 'vitest';
import { refreshReplay } from '#gate/collect/refresh-replay.ts';
import { signIn, startOwnProvider } from '../support/own-provider.ts';
import { startProbeLab } from '../support/probe-lab.ts';

const clientId = 'replay-test';
const seen = { accessTokenLifetimeSeconds: 300 };

test.each([
  [
    'a used refresh token is refused',
    { rotates: true, revokesFamily: false },
    {
      fields: {
        ...seen,
        mode: 'reject-replay',
        replayRequestRejected: true,
        currentFamilyUsable: true,
        familyRevoked: false,
      },
      objections: [],
    },
  ],
  [
    'a used refresh token ends its family, and the metadata is that of RFC 8414 alone',
    { rotates: true, revokesFamily: true, hasOpenIdDiscovery: false },
    {
      fields: {
        ...seen,
        mode: 'revoke-family',
        replayRequestRejected: true,
        currentFamilyUsable: false,
        familyRevoked: true,
      },
      objections: [],
    },
  ],
  [
    'refresh tokens are not rotated',
    { rotates: false, revokesFamily: true },
    {
      fields: { ...seen, mode: '', replayRequestRejected: false, currentFamilyUsable: true, familyRevoked: false },
      objections: [
        'refresh tokens are not rotated: the new one is the old one',
        'the old refresh token was not refused',
      ],
    },
  ],
])('where %s', async (_what, policy, measured) => {
  await using lab = await startProbeLab();
  const certificate = await lab.authority.issue(['127.0.0.1']);
  await using provider = await startOwnProvider({ ...policy, certificate, clientId, scope: 'network.read' });
  const context = lab.collecting({ MCP_GATE_ISSUER: provider.issuer }, { automatic: false, 'client-id': clientId });
  const signedIn: Promise<void>[] = [];
  const say = (text: string) => {
    const [address = ''] = /https:\S+/.exec(text) ?? [];
    signedIn.push(signIn(address, lab.authority.cert));
  };
  expect(await refreshReplay.run({ ...context, say })).toEqual(measured);
  // One code for a wrong verifier, one for the experiment.
  expect(await Promise.all(signedIn)).toHaveLength(2);
});

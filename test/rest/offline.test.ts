// Offline mode: the hub asks nothing beyond its network, and the status says so
// (docs/reference/wire-contract/5-behaviours.md#56-outbound-requests).
import { expect, test } from 'vitest';
import { hubClientId } from '#simulators/oidc/clients.ts';
import { startIssuer } from '#simulators/oidc/issuer.ts';
import { raw } from '../support/actors.ts';
import { startLab } from '../support/lab.ts';

test('an issuer that is configured is not asked', async () => {
  await using issuer = await startIssuer();
  await using lab = await startLab({ hub: { offline: true } });
  await lab.as.admin.auth.saveSecurityConfig({
    body: {
      enabled: true,
      issuer: issuer.issuer,
      clientId: hubClientId,
      clientSecret: 'any',
      allowedEmails: ['a@example.com'],
    },
  });
  const answer = await raw(lab.url, { method: 'GET', path: '/api/auth/oidc/start' });
  expect(answer).toMatchObject({ status: 503, body: { code: 'oidc_offline' } });
  expect(issuer.journal()).toEqual([]);
  expect(await lab.as.admin.status.status({})).toMatchObject({
    offlineMode: true,
    features: { oidc: { enabled: false, reason: 'offline_mode' } },
  });
});

// Parts of the simulated issuer alone: what it stores and for how long, what it shows, and what it refuses.
import { expect, test } from 'vitest';
import { UsageError } from '#kernel/process/program.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { createClients, defaultClients, hubClientId, mcpClientId, toRegistration } from '#simulators/oidc/clients.ts';
import { issuerCommand } from '#simulators/oidc/command.ts';
import { type IssuerFault, requireFaultValue } from '#simulators/oidc/faults.ts';
import { consentPage, errorPage, loginPage } from '#simulators/oidc/pages.ts';
import { createRequestFaults } from '#simulators/oidc/per-request-faults.ts';
import { patchSchema } from '#simulators/oidc/settings.ts';
import { createStorage } from '#simulators/oidc/storage.ts';
import { moveTimestamps } from '#simulators/oidc/time-claims.ts';
import { createUsers, defaultUsers } from '#simulators/oidc/users.ts';
import { createArmedFaults } from '#simulators/support/armed-faults.ts';
import { parseChange } from '#simulators/support/change.ts';
import { ManualClock } from '../support/manual-clock.ts';

const callback = 'http://127.0.0.1:3000/back';
const openClients = () => createClients(defaultClients([callback], 'secret'));

function openStorage() {
  const clock = new ManualClock();
  const faults = createArmedFaults<IssuerFault>();
  const settings = { replayMode: 'reject-replay' } as Parameters<typeof createStorage>[0]['settings'];
  const storage = createStorage({ clock, faults, settings, clients: openClients(), note: () => {} });
  return { clock, faults, storage, codes: storage.adapter('AuthorizationCode'), sessions: storage.adapter('Session') };
}

test('a record lasts until it expires, by the clock of the simulator; the provider is told the time left', async () => {
  const { clock, storage, sessions } = openStorage();
  await sessions.upsert('one', { uid: 'first' }, 60);
  await sessions.upsert('two', { uid: 'second' }, undefined as never);
  const left = Math.floor(systemClock.now() / 1000) + 60;
  expect([left, left + 1]).toContain((await sessions.find('one'))?.exp);
  expect(await sessions.findByUid('second')).toEqual({ uid: 'second' });
  expect(await sessions.findByUid('third')).toBe(undefined);
  expect(await storage.adapter('Grant').findByUid('second')).toBe(undefined);
  await clock.advance(59_999);
  expect(storage.count('Session')).toBe(2);
  await clock.advance(1);
  expect([storage.count('Session'), storage.count('Grant')]).toEqual([1, 0]);
  await sessions.consume('two');
  await sessions.consume('three');
  expect([storage.count('Session'), await sessions.find('two')]).toEqual([0, { uid: 'second', consumed: true }]);
  await sessions.destroy('two');
  expect(await sessions.find('two')).toBe(undefined);
  storage.clear();
  expect(await sessions.find('one')).toBe(undefined);
});

test('a grant that is revoked ends the records of its model alone', async () => {
  const { storage, codes, sessions } = openStorage();
  for (const grantId of ['a', 'b']) {
    await codes.upsert(grantId, { grantId }, 60);
    await sessions.upsert(grantId, { grantId }, 60);
  }
  await codes.revokeByGrantId('a');
  expect([storage.count('AuthorizationCode'), storage.count('Session')]).toEqual([1, 2]);
  expect(await codes.find('a')).toBe(undefined);
});

test('expired records are swept out when five thousand are stored', async () => {
  const { clock, storage, sessions } = openStorage();
  await sessions.upsert('old', {}, 1);
  await clock.advance(1000);
  for (let index = 1; index < 5000; index += 1) {
    await sessions.upsert(`new ${index}`, {}, 1);
  }
  expect(await sessions.find('old')).toBeDefined();
  await sessions.upsert('last', {}, 1);
  expect(await sessions.find('old')).toBe(undefined);
  expect(storage.count('Session')).toBe(5000);
});

test('a fault makes codes expire at once, and nothing else', async () => {
  const { faults, storage, codes, sessions } = openStorage();
  faults.arm('expired-code', { times: 1 });
  await sessions.upsert('a', {}, 60);
  await codes.upsert('a', {}, 60);
  await codes.upsert('b', {}, 60);
  expect([storage.count('Session'), storage.count('AuthorizationCode')]).toEqual([1, 1]);
});

test('a client is registered with its secret, while it has a callback', async () => {
  const clients = openClients();
  const adapter = createStorage({ ...openStorage(), clients, note: () => {} } as never).adapter('Client');
  const shared = { response_types: ['code'], id_token_signed_response_alg: 'RS256' };
  expect(await adapter.find(hubClientId)).toEqual({
    ...{
      ...shared,
      client_id: hubClientId,
      client_secret: 'secret',
      token_endpoint_auth_method: 'client_secret_basic',
    },
    ...{ redirect_uris: [callback], application_type: 'web', grant_types: ['authorization_code'] },
  });
  const native = clients.find(mcpClientId);
  expect(native && toRegistration(native)).toEqual({
    ...{ ...shared, client_id: mcpClientId, token_endpoint_auth_method: 'none', application_type: 'native' },
    ...{ redirect_uris: native?.redirectUris, grant_types: ['authorization_code', 'refresh_token'] },
  });
  expect(() => clients.setRedirectUris(hubClientId, [callback, '/back'])).toThrow('"/back" is not an absolute address');
  expect(() => clients.setRedirectUris('nobody', [])).toThrow(
    /no client "nobody"; there are gatehouse-hub, gatehouse-mcp/,
  );
  clients.setRedirectUris(hubClientId, []);
  expect([await adapter.find(hubClientId), await adapter.find('nobody')]).toEqual([undefined, undefined]);
  clients.reset();
  expect(clients.find(hubClientId)?.redirectUris).toEqual([callback]);
});

test('a user is found by subject or address; one of the same subject is replaced', () => {
  const users = createUsers(defaultUsers);
  const [first] = users.list();
  expect([users.find('user-1'), users.find('operator@example.com'), users.find('x')]).toEqual([first, first, null]);
  users.put({ ...defaultUsers[0], name: 'Other' } as (typeof defaultUsers)[number]);
  expect(users.list().map(({ name }) => name)).toEqual(['Other', 'Victor Viewer']);
  expect([users.remove('user-1'), users.remove('user-1')]).toEqual([true, false]);
  users.reset();
  expect(users.list()).toEqual(defaultUsers);
});

test.each([
  [{ iat: -1 }, {}],
  [{ iat: 1 }, {}],
  [
    { iat: 2, exp: 62, auth_time: 0, nbf: 7 },
    { iat: 0, exp: 60, auth_time: -2 },
  ],
  [{ iat: -2, exp: 'never' }, { iat: 0 }],
  [{ iat: 'then', exp: 5 }, {}],
])('stamps %j from now on become %j', (claims, expected) => {
  const clock = new ManualClock();
  const now = Math.floor(clock.now() / 1000);
  const shift = (some: object) =>
    Object.fromEntries(
      Object.entries(some).map(([name, value]) => [name, typeof value === 'number' ? now + value : value]),
    );
  expect(moveTimestamps(shift(claims), clock)).toEqual(shift(expected));
});

test.each<[IssuerFault, unknown, boolean]>([
  ...['token', 'discovery', 'response'].map((place): [IssuerFault, unknown, boolean] => ['wrong-issuer', place, true]),
  ...['others', 'ec', 'none', 'page'].map((set): [IssuerFault, unknown, boolean] => ['wrong-keys', set, true]),
  ...[undefined, 0, 0.5].map((ms): [IssuerFault, unknown, boolean] => ['slow', ms, true]),
  ...[undefined, 1].map((seconds): [IssuerFault, unknown, boolean] => ['long-lived-token', seconds, true]),
  ['jwks-down', 'anything', true],
  ...['', 'others'].map((place): [IssuerFault, unknown, boolean] => ['wrong-issuer', place, false]),
  ...['', 'token'].map((set): [IssuerFault, unknown, boolean] => ['wrong-keys', set, false]),
  ...[-1, '5'].map((ms): [IssuerFault, unknown, boolean] => ['slow', ms, false]),
  ...[0, 1.5, '5'].map((seconds): [IssuerFault, unknown, boolean] => ['long-lived-token', seconds, false]),
])('%s with the value %j is accepted: %s', (fault, value, isAccepted) => {
  const require = () => requireFaultValue(fault, { value } as Parameters<typeof requireFaultValue>[1]);
  if (isAccepted) {
    expect(require).not.toThrow();
  } else {
    expect(require).toThrow(`${fault}: value is`);
  }
});

test('a wrong issuer shows in its own place, once a request', () => {
  const faults = createArmedFaults<IssuerFault>();
  const requests = createRequestFaults(faults);
  const [first, second] = [{}, {}];
  faults.arm('wrong-issuer', { times: 1 });
  expect([requests.takeWrongIssuer(first, 'discovery'), requests.takeWrongIssuer(first, 'token')]).toEqual([
    false,
    true,
  ]);
  expect([requests.takeWrongIssuer(first, 'token'), requests.takeWrongIssuer(second, 'token')]).toEqual([true, false]);
  faults.arm('wrong-issuer', { value: 'response', times: 1 });
  expect([requests.takeWrongIssuer({}, 'token'), requests.takeWrongIssuer({}, 'response')]).toEqual([false, true]);
});

test.each([
  [{ nope: 1 }, /^state: /],
  [{ accessTokenTtlMs: 999 }, /^accessTokenTtlMs: /],
  [{ accessTokenTtlMs: 86_401_000 }, /^accessTokenTtlMs: /],
  [{ accessTokenTtlMs: 1500 }, /^accessTokenTtlMs: /],
  [{ nextUser: '' }, /^nextUser: /],
  [{ redirectUris: { a: ['x'] } }, /^redirectUris\.a\.0: /],
  [{ redirectUris: { a: Array(21).fill(callback) } }, /^redirectUris\.a: /],
])('the change %j is refused by the name of its member', (change, message) => {
  expect(() => parseChange(patchSchema, change)).toThrow(message);
});

test('what is shown on a page is text, whatever its signs', () => {
  const sign = `<b a="1" c='2'>&`;
  const text = '&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;';
  expect(loginPage(sign, false)).toContain(`<strong>${text}</strong>`);
  expect([false, true].map((failed) => loginPage('x', failed).includes('role="alert"'))).toEqual([false, true]);
  const consent = consentPage(sign, ['a', sign], [sign, 'b']);
  expect(consent).toContain(
    `<ul><li>a</li><li>${text}</li></ul>\n<p>Resource: <code>${text}</code></p><p>Resource: <code>b</code></p>`,
  );
  expect(errorPage(sign, sign)).toContain(`<strong>${text}</strong> ${text}</p>`);
});

test.each([
  [{ 'hub-redirect-uri': '/back' }, '--hub-redirect-uri takes an absolute address, not "/back"'],
  [{ 'access-token-ttl': '0' }, '--access-token-ttl'],
  [{ 'access-token-ttl': '86401' }, '--access-token-ttl'],
  [{ profile: 'x' }, '--profile'],
  [{ 'replay-mode': 'x' }, '--replay-mode'],
])('the command refuses %j before anything starts', (given, message) => {
  expect(() => issuerCommand.plan(given)).toThrow(UsageError);
  expect(() => issuerCommand.plan(given)).toThrow(message);
});

test('the command serves where its help says', () => {
  expect(issuerCommand.ports).toEqual({ port: 4000, control: 2933 });
});

test.each(['1', '86400'])('the command takes a lifetime of %s seconds', (seconds) => {
  expect(issuerCommand.plan({ 'access-token-ttl': seconds })).toBeTypeOf('function');
});

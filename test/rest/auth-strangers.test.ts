// What strangers may not do without a credential: keep others from logging in, or fill the audit trail.
import { expect, test } from 'vitest';
import { createBrowser, type RawAnswer, raw } from '../support/actors.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { watchLeaks } from '../support/leak-guard.ts';
import { type StubIssuer, startStubIssuer } from '../support/stub-issuer.ts';
import { verifies } from '../support/verifies.ts';

const clientId = 'hub';
const json = { 'content-type': 'application/json' };
const hourMs = 3_600_000;
const home = '192.168.1.20';

interface Scene extends AsyncDisposable {
  lab: Lab<never>;
  stub: StubIssuer;
}

async function startScene(): Promise<Scene> {
  const lab = await startLab({ hub: { trustProxy: ['127.0.0.1'], publicUrl: new URL('http://127.0.0.1:3000') } });
  const watch = watchLeaks();
  const stub = await startStubIssuer({ now: lab.clock.now, clientId });
  await lab.as.admin.auth.saveSecurityConfig({
    body: {
      enabled: true,
      issuer: stub.issuer,
      clientId,
      clientSecret: 'a client secret of some length',
      allowedEmails: ['olive@example.com'],
      allowedDomains: [],
    },
  });
  return {
    lab,
    stub,
    async [Symbol.asyncDispose]() {
      await lab[Symbol.asyncDispose]();
      await stub[Symbol.asyncDispose]();
      await watch[Symbol.asyncDispose]();
    },
  };
}

/** A browser of the household: `begin` goes to the issuer, what it gives comes back from there. */
async function begin({ lab, stub }: Scene): Promise<() => Promise<RawAnswer>> {
  const browser = createBrowser(lab.url, { accept: 'text/html', 'x-forwarded-for': home });
  const started = await browser.get('/api/auth/oidc/start');
  const location = String(started.headers.location);
  return () => {
    const back = stub.approve(location);
    return browser.get(back.pathname + back.search);
  };
}

/** Anonymous requests of `count` addresses by turns, fifty at once; their statuses, and how often. */
async function flood(lab: Lab<never>, times: number, addresses: number, at: string, body?: object) {
  const seen: Record<number, number> = {};
  for (let done = 0; done < times; done += 50) {
    const answers = Array.from({ length: 50 }, (_, index) => {
      const n = (done + index) % addresses;
      const headers = { ...(body ? json : {}), 'x-forwarded-for': `2001:db8:${n.toString(16)}::${done + index}` };
      return raw(lab.url, {
        method: body ? 'POST' : 'GET',
        path: at,
        headers,
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
    });
    for (const { status } of await Promise.all(answers)) {
      seen[status] = (seen[status] ?? 0) + 1;
    }
  }
  return seen;
}

async function eventsOf(lab: Lab<never>) {
  return (await lab.as.admin.auth.auditEvents({ query: { limit: '500' } })).events;
}

const startPath = '/api/auth/oidc/start';

verifies(
  'rest.oidc.start rest.oidc.callback',
  'one stranger with 2,000 logins under way keeps nobody out',
  async () => {
    await using scene = await startScene();
    const early = await begin(scene);
    expect(await flood(scene.lab, 2000, 1, startPath)).toEqual({ 302: 2000 });
    expect((await early()).status).toBe(302);
    expect((await (await begin(scene))()).status).toBe(302);
    expect((await eventsOf(scene.lab)).length).toBeLessThan(30);
  },
);

verifies('rest.oidc.start rest.oidc.callback', 'nor do 200 of them with ten each', async () => {
  await using scene = await startScene();
  const early = await begin(scene);
  expect(await flood(scene.lab, 2000, 200, startPath)).toEqual({ 302: 2000 });
  expect((await early()).status).toBe(302);
  expect((await (await begin(scene))()).status).toBe(302);
  expect((await eventsOf(scene.lab)).length).toBeLessThan(130);
});

test('refusals of strangers are recorded as they are up to a bound, and then counted', async () => {
  await using scene = await startScene();
  const { lab } = scene;
  const before = (await eventsOf(lab)).length;
  const callback = '/api/auth/oidc/callback?state=x&code=y';
  expect(await flood(lab, 300, 1, callback)).toEqual({ 401: 300 });
  expect(await flood(lab, 1500, 300, callback)).toEqual({ 401: 1500 });
  expect(await flood(lab, 1000, 1, '/api/admin/verify', { token: 'wrong' })).toEqual({ 401: 5, 429: 995 });
  const recorded = await eventsOf(lab);
  const reasons = recorded.slice(0, recorded.length - before).map(({ metadata }) => metadata?.reason);
  const count = (reason: string) => reasons.filter((one) => one === reason).length;
  expect([count('oidc_state_mismatch'), count('wrong_secret'), count('rate_limited')]).toEqual([100, 5, 10]);
  await lab.advance(hourMs);
  const counted = (await eventsOf(lab)).filter(({ metadata }) => metadata?.repeated !== undefined);
  expect(counted.map(({ eventType, outcome, metadata }) => [eventType, outcome, metadata])).toEqual(
    expect.arrayContaining([
      ['login', 'failure', { reason: 'oidc_state_mismatch', repeated: 1700 }],
      ['login', 'failure', { reason: 'rate_limited', repeated: 985 }],
    ]),
  );
  expect(counted).toHaveLength(2);
  expect(await flood(lab, 50, 1, callback)).toEqual({ 401: 50 });
  expect((await eventsOf(lab)).slice(0, 10).map(({ metadata }) => metadata)).toEqual(
    Array(10).fill({ reason: 'oidc_state_mismatch' }),
  );
});

test('so is what a credential is refused, and what is left to count is recorded at the stop', async () => {
  await using lab = await startLab();
  const { token } = await lab.as.identity(['network.read']);
  const denied = { method: 'GET', path: '/api/auth/sessions', headers: { 'x-admin-token': token } } as const;
  for (let count = 0; count < 40; count += 1) {
    expect((await lab.as.raw(denied)).status).toBe(403);
  }
  const rows = async () => (await eventsOf(lab)).filter(({ eventType }) => eventType === 'permission_denied');
  expect(await rows()).toHaveLength(10);
  const { token: other } = await lab.as.identity(['network.read']);
  await lab.as.raw({ ...denied, headers: { 'x-admin-token': other } });
  expect(await rows()).toHaveLength(11);
  await lab.restart();
  const [counted] = await rows();
  expect([(await rows()).length, counted?.metadata]).toEqual([12, { needs: 'auth.admin', repeated: 30 }]);
});

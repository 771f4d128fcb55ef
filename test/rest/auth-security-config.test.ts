// OIDC settings of the hub: what may be set, that the secret stays inside, and who loses a session by a change.
import { expect, test } from 'vitest';
import { readSources } from '../../scripts/sources.ts';
import { raw } from '../support/actors.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { browserAs } from '../support/role-session.ts';
import { verifies } from '../support/verifies.ts';

const complete = {
  enabled: true,
  issuer: 'https://issuer.example/realm',
  clientId: 'hub',
  clientSecret: 'a secret of the client',
  allowedEmails: ['Ann@Example.org', 'bob@example.org', 'ann@example.org '],
  allowedDomains: ['Example.COM'],
};

function save(lab: Lab<never>, body: unknown) {
  return lab.as.raw({
    method: 'POST',
    path: '/api/auth/security-config',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

verifies(
  'rest.auth.security-config-read rest.auth.security-config-write',
  'settings are kept, lower-cased, without ever showing the secret',
  async () => {
    await using lab = await startLab();
    const { auth } = lab.as.admin;
    expect(await auth.securityConfig({})).toEqual({
      oidc: {
        enabled: false,
        provider: 'oidc',
        issuer: '',
        clientId: '',
        clientSecretSet: false,
        allowedEmails: [],
        allowedDomains: [],
        redirectUri: `${lab.url.origin}/api/auth/oidc/callback`,
      },
      sessionTtlDays: 30,
      trustedProxyConfigured: false,
      warnings: [],
      warningFacts: [],
    });
    const saved = await save(lab, complete);
    expect(saved.body).toEqual({ success: true, clientSecretSet: true, warnings: [], warningFacts: [] });
    expect((await save(lab, { enabled: true, clientId: ' hub ', clientSecret: '' })).status).toBe(200);
    await lab.restart();
    const shown = await lab.as.raw({ method: 'GET', path: '/api/auth/security-config' });
    expect(shown.text).not.toContain(complete.clientSecret);
    expect(shown.body).toMatchObject({
      oidc: {
        enabled: true,
        issuer: complete.issuer,
        clientId: 'hub',
        clientSecretSet: true,
        allowedEmails: ['ann@example.org', 'bob@example.org'],
        allowedDomains: ['example.com'],
      },
    });
    expect((await lab.as.nobody.auth.methods({})).oidc.enabled).toBe(true);
  },
);

verifies('rest.auth.security-config-write', 'half a configuration and a wrong one are refused', async () => {
  await using lab = await startLab();
  const cases: readonly [string, Record<string, unknown>, string][] = [
    ['no secret', { clientSecret: '' }, 'clientSecret'],
    ['no client id', { clientId: '' }, 'clientId'],
    ['no issuer', { issuer: '' }, 'issuer'],
    ['nobody allowed', { allowedEmails: [], allowedDomains: [] }, 'allowedEmails'],
    ['plain http', { issuer: 'http://issuer.example' }, 'issuer'],
    ['metadata of a cloud', { issuer: 'https://169.254.169.254' }, 'issuer'],
    ['metadata in decimal', { issuer: 'https://2852039166' }, 'issuer'],
    ['metadata as mapped IPv6', { issuer: 'https://[::ffff:a9fe:a9fe]' }, 'issuer'],
    ['link-local', { issuer: 'https://[fe80::1]' }, 'issuer'],
    ['a user in the address', { issuer: 'https://a@issuer.example' }, 'issuer'],
    ['a query', { issuer: 'https://issuer.example/?a' }, 'issuer'],
    ['no address', { issuer: 'issuer' }, 'issuer'],
    ['another scheme', { issuer: 'file:///etc/passwd' }, 'issuer'],
    ['an e-mail without @', { allowedEmails: ['ann'] }, 'allowedEmails'],
    ['101 e-mails', { allowedEmails: Array(101).fill('a@b.c') }, 'allowedEmails'],
    ['a domain with @', { allowedDomains: ['@example.org'] }, 'allowedDomains'],
    ['an unknown field', { role: 'admin' }, 'role'],
  ];
  for (const [what, change, field] of cases) {
    const { status, body } = await save(lab, { ...complete, ...change });
    expect([what, status, (body as { error: string }).error]).toEqual([what, 400, expect.stringContaining(field)]);
  }
  expect((await lab.as.admin.auth.securityConfig({})).oidc).toMatchObject({ enabled: false, clientSecretSet: false });
  const one = { issuer: 'http://127.0.0.1:9', allowedEmails: ['a@b.example'], allowedDomains: ['b.example'] };
  expect((await save(lab, { ...complete, ...one })).status).toBe(200);
  // OIDC was set up while the hub had an address.
  await lab.stop();
  await using moved = await startLab({ hub: { dataDir: lab.dataDir, trustProxy: ['127.0.0.1'] } });
  const headers = { 'x-admin-token': lab.adminToken };
  const { body } = await moved.as.raw({ method: 'GET', path: '/api/auth/security-config', headers });
  expect(body).toMatchObject({
    oidc: { redirectUri: null },
    warnings: [expect.stringMatching(/^OIDC login is off: set MONITOR_PUBLIC_URL/)],
    warningFacts: [{ code: 'public_url_missing', values: {} }],
  });
});

test('beyond loopback OIDC needs the address of the hub', async () => {
  await using lab = await startLab({ hub: { trustProxy: ['127.0.0.1'] } });
  const refused = await save(lab, complete);
  expect(refused).toMatchObject({ status: 400, body: { code: 'oidc_incomplete' } });
  expect((refused.body as { error: string }).error).toContain('MONITOR_PUBLIC_URL');
  await using proxied = await startLab({
    hub: { trustProxy: ['127.0.0.1'], publicUrl: new URL('https://home.example/monitor') },
  });
  expect((await save(proxied, complete)).status).toBe(200);
  expect((await proxied.as.admin.auth.securityConfig({})).oidc.redirectUri).toBe(
    'https://home.example/monitor/api/auth/oidc/callback',
  );
});

test('a hub whose address is https asks for the name of its TLS proxy', async () => {
  const publicUrl = new URL('https://home.example/');
  await using lab = await startLab({ hub: { publicUrl } });
  const { oidc, warnings } = await lab.as.admin.auth.securityConfig({});
  expect([oidc.redirectUri, warnings]).toEqual([
    'https://home.example/api/auth/oidc/callback',
    [expect.stringMatching(/^MONITOR_PUBLIC_URL is https: name the TLS proxy/)],
  ]);
  await using proxied = await startLab({ hub: { publicUrl, trustProxy: ['127.0.0.1'] } });
  expect((await proxied.as.admin.auth.securityConfig({})).warnings).toEqual([]);
});

test('who may no longer be allowed loses the session, who certainly is keeps it', async () => {
  await using lab = await startLab();
  await save(lab, complete);
  const local = await lab.as.browser();
  const isIn = async (change: Record<string, unknown>) => {
    const person = await browserAs(lab, 'operator');
    expect((await save(lab, { ...complete, ...change })).status).toBe(200);
    const status = (await person.get('/api/routers')).status;
    await save(lab, complete);
    return status === 200;
  };
  expect(await isIn({ allowedDomains: ['example.com', 'example.net'] })).toBe(true);
  expect(await isIn({ clientSecret: 'another one' })).toBe(true);
  expect(await isIn({ allowedEmails: ['bob@example.org'] })).toBe(false);
  expect(await isIn({ issuer: 'https://other.example' })).toBe(false);
  expect(await isIn({ enabled: false })).toBe(false);
  expect(await isIn({ clientId: 'other' })).toBe(false);
  expect(await isIn({ allowedDomains: ['example.net'] })).toBe(false);
  await save(lab, { ...complete, enabled: false });
  expect(await isIn({ enabled: false, clientId: 'other' })).toBe(true);
  expect((await local.get('/api/routers')).status).toBe(200);
});

verifies('rest.oidc.test', 'a test of an issuer that is not there is 502 and says why', async () => {
  await using lab = await startLab();
  await save(lab, { ...complete, issuer: 'http://127.0.0.1:9' });
  const answer = await lab.as.raw({ method: 'POST', path: '/api/auth/oidc/test' });
  expect(answer).toMatchObject({ status: 502, body: { code: 'oidc_test_failed', error: expect.any(String) } });
});

/** A log that keeps its lines, and those of warnings again. */
function keepingLog() {
  const [lines, warned]: [string[], string[]] = [[], []];
  const keep = (...words: unknown[]) => void lines.push(JSON.stringify(words.map(plain)));
  const warn = (...words: unknown[]) => {
    keep(...words);
    warned.push(JSON.stringify(words.map(plain)));
  };
  return { lines, warned, log: { debug: keep, info: keep, warn, error: keep } };
}

verifies(
  'rest.auth.https-across-boundaries',
  'a hub that others can reach without TLS warns of it in log and status; on loopback or behind a TLS proxy it does not',
  async () => {
    const cases = [
      [{ host: '0.0.0.0' }, true],
      [{ host: '::' }, true],
      [{ host: '0.0.0.0', trustProxy: ['192.0.2.1'] }, false],
      [{ host: '127.0.0.1' }, false],
      [{ host: '::1' }, false],
    ] as const;
    for (const [hub, isWarned] of cases) {
      const { warned, log } = keepingLog();
      await using lab = await startLab({ hub: { ...hub, log } });
      const { warnings } = await lab.as.admin.status.status({});
      const named = [warnings, warned].map((all) =>
        all.some((one) => one.includes(`listening on ${hub.host} without TLS: put a TLS proxy in front`)),
      );
      expect([hub, named]).toEqual([hub, [isWarned, isWarned]]);
    }
  },
);

verifies(
  'rest.auth.tokens-not-in-logs',
  'no log line holds a secret, and a token in an address opens nothing',
  async () => {
    const { lines, log } = keepingLog();
    await using lab = await startLab({ hub: { log } });
    for (const name of ['token', 'access_token', 'x-admin-token', 'session']) {
      const path = `/api/routers?${name}=${lab.adminToken}`;
      expect([name, (await raw(lab.url, { method: 'GET', path })).status]).toEqual([name, 401]);
    }
    const browser = await lab.as.browser();
    const cookies = [...browser.cookies.values()];
    const { token } = await lab.as.identity(['network.read']);
    await browser.login('a wrong password with MARK');
    await browser.get(`/api/routers?token=${token}`);
    await browser.get(`/api/auth/oidc/callback?code=MARKcode&state=MARKstate`);
    await save(lab, { ...complete, enabled: false });
    await browser.post('/api/auth/change-password', {
      currentPassword: lab.password,
      newPassword: 'MARK of the next one',
    });
    await browser.post('/api/auth/logout');
    expect(lines.length).toBeGreaterThan(5);
    const secrets = [...cookies, token, lab.adminToken, lab.password, complete.clientSecret, 'MARK'];
    expect(lines.filter((line) => secrets.some((secret) => line.includes(secret)))).toEqual([]);
  },
);

verifies('rest.auth.tokens-not-in-logs', 'no source file holds what has the form of a token', () => {
  const token = /\b(?:svca?_[0-9a-f]{16,}|[0-9a-f]{48}|[0-9a-f]{64})\b/;
  const holding = [...readSources()].filter(([, text]) => token.test(text));
  expect(holding.map(([file]) => file)).toEqual([]);
});

/** Errors with everything they carry, as a logger would write them. */
function plain(word: unknown): unknown {
  if (typeof word !== 'object' || word === null) {
    return word;
  }
  const own = word instanceof Error ? { message: word.message, stack: word.stack, cause: plain(word.cause) } : {};
  return { ...own, ...Object.fromEntries(Object.entries(word).map(([name, value]) => [name, plain(value)])) };
}

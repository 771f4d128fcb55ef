// The hub's own credentials: password and admin token, how they change, and that what is stored of them opens nothing.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { openDocument } from '#hub/base/settings/document.ts';
import { Db } from '#kernel/sqlite/sqlite.ts';
import { createKey, hashToken, seal } from '#kernel/text/secret.ts';
import { raw } from '../support/actors.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { verifies } from '../support/verifies.ts';

const nextPassword = 'green lamps over harbour';
const json = { 'content-type': 'application/json' };

async function canLogIn(lab: Lab<never>, password: string): Promise<boolean> {
  const body = JSON.stringify({ password });
  return (await raw(lab.url, { method: 'POST', path: '/api/auth/login', headers: json, body })).status === 200;
}

verifies('rest.auth.change-password', 'a new password holds at once, and ends other sessions when asked', async () => {
  await using lab = await startLab();
  const [mine, other] = [await lab.as.browser(), await lab.as.browser()];
  const change = (currentPassword: string, newPassword: string, more = {}) =>
    mine.post('/api/auth/change-password', { currentPassword, newPassword, ...more });
  expect((await change(lab.password, nextPassword)).body).toEqual({ success: true, revoked: 0 });
  expect([await canLogIn(lab, lab.password), await canLogIn(lab, nextPassword)]).toEqual([false, true]);
  expect((await other.get('/api/routers')).status).toBe(200);
  const again = await change(nextPassword, `${nextPassword} 2`, { revokeOtherSessions: true });
  expect(again.body).toEqual({ success: true, revoked: 2 });
  expect([(await mine.get('/api/routers')).status, (await other.get('/api/routers')).status]).toEqual([200, 401]);
  await lab.restart();
  expect(await canLogIn(lab, `${nextPassword} 2`)).toBe(true);
});

verifies('rest.auth.change-password', 'a password that is easily guessed is refused, and nothing changes', async () => {
  await using lab = await startLab();
  const mine = await lab.as.browser();
  const refused = [
    'too short 123',
    ' '.repeat(20),
    'x'.repeat(257),
    lab.password,
    'aaaaaaaaaaaaaaaa',
    'abababababababab',
    'Password123456!',
    'qwertyuiopasdf',
    '12345678901234',
    'iloveyousunshine',
    'Gatehouse-Password-1234',
  ];
  for (const newPassword of refused) {
    const answer = await mine.post('/api/auth/change-password', { currentPassword: lab.password, newPassword });
    expect([newPassword, answer.status]).toEqual([newPassword, 400]);
  }
  expect(await canLogIn(lab, lab.password)).toBe(true);
  for (const newPassword of ['\u{1f511}\u{1f511}ключ от дома', 'new-password-of-2026', '14 characters!']) {
    const currentPassword = lab.password;
    const answer = await mine.post('/api/auth/change-password', { currentPassword, newPassword });
    expect([newPassword, answer.status]).toEqual([newPassword, 200]);
    await mine.post('/api/auth/change-password', { currentPassword: newPassword, newPassword: currentPassword });
  }
});

verifies('rest.auth.regenerate-token', 'a new admin token is shown once and replaces the old one at once', async () => {
  await using lab = await startLab();
  const browser = await lab.as.browser();
  const answer = await browser.post('/api/admin/regenerate-token', { currentPassword: lab.password });
  const { token } = answer.body as { token: string };
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(token).toMatch(/^[0-9a-f]{48}$/);
  const ask = async (given: string) =>
    (await raw(lab.url, { method: 'GET', path: '/api/routers', headers: { 'x-admin-token': given } })).status;
  expect([await ask(lab.adminToken), await ask(token)]).toEqual([401, 200]);
  await lab.restart();
  expect([await ask(lab.adminToken), await ask(token)]).toEqual([401, 200]);
});

test('a password record of other parameters is rebuilt at the next login', async () => {
  await using lab = await startLab();
  const record = () => (JSON.parse(readFileSync(`${lab.dataDir}/monitor.json`, 'utf8')) as Stored).passwordRecord;
  const before = record();
  expect(before).toMatch(/^scrypt:v1:10:8:1:/);
  await canLogIn(lab, lab.password);
  expect(record()).toBe(before);
  await lab.stop();
  await using stronger = await startLab({ hub: { dataDir: lab.dataDir, passwordCost: { log2N: 11, r: 8, p: 1 } } });
  await canLogIn(stronger, 'wrong');
  expect(record()).toBe(before);
  expect(await canLogIn(stronger, lab.password)).toBe(true);
  expect(record()).toMatch(/^scrypt:v1:11:8:1:/);
  expect(await canLogIn(stronger, lab.password)).toBe(true);
});

interface Stored {
  passwordRecord: string;
}

describe('what is stored', () => {
  verifies('rest.identities.hash-only', 'a stolen database and settings file hold no usable credential', async () => {
    await using lab = await startLab();
    const browser = await lab.as.browser();
    const { token: identity } = await lab.as.identity(['network.read']);
    const clientSecret = 'oidc-client-secret-of-this-test';
    const pass = 'router-password-of-this-test';
    await lab.as.admin.auth.saveSecurityConfig({
      body: { enabled: false, issuer: 'https://issuer.example', clientId: 'hub', clientSecret },
    });
    await lab.as.admin.routers.create({ body: { kind: 'vendor_a', ip: '10.0.0.1', user: 'u', pass, enabled: false } });
    await lab.settled();
    const secrets = [
      ...browser.cookies.values(),
      identity,
      identity.slice(4),
      lab.adminToken,
      lab.password,
      clientSecret,
      pass,
    ];
    const files = readdirSync(lab.dataDir).filter((name) => name.startsWith('monitor.'));
    expect(files).toEqual(expect.arrayContaining(['monitor.db', 'monitor.json']));
    for (const name of files) {
      const file = path.join(lab.dataDir, name);
      const bytes = readFileSync(file);
      const forms = secrets.flatMap((text) => [
        Buffer.from(text),
        Buffer.from(Buffer.from(text).toString('base64')),
        ...(/^[0-9a-f]+$/.test(text) ? [Buffer.from(text, 'hex')] : []),
      ]);
      expect([name, forms.filter((form) => bytes.includes(form)).map(String)]).toEqual([name, []]);
      expect([name, (statSync(file).mode & 0o077).toString(8)]).toEqual([name, '0']);
    }

    const stolen = [...textsIn(lab.dataDir)];
    expect(stolen.length).toBeGreaterThan(10);
    const accepted: string[] = [];
    for (const text of stolen.filter((one) => /^[\x21-\x7e]+$/.test(one))) {
      const ask = { method: 'GET', path: '/api/routers' } as const;
      const asHeader = await raw(lab.url, { ...ask, headers: { 'x-admin-token': text.slice(0, 512) } });
      const asCookie = await raw(lab.url, { ...ask, headers: { cookie: `monitor_session=${text}` } });
      accepted.push(...[asHeader, asCookie].filter(({ status }) => status !== 401).map(() => text));
    }
    expect(accepted).toEqual([]);
  });

  test('a settings file of the first version is taken over whole', () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'monitor.json');
    const key = createKey();
    const router = {
      id: 'vendor-a-00000001',
      kind: 'vendor_a',
      displayName: 'Attic',
      hostName: 'attic',
      ip: '192.168.1.1',
      port: 22,
      user: 'monitor',
      pass: seal('p', key),
      enablePass: null,
      nat: '100',
      enabled: true,
      legacyAlgorithms: false,
      hostFp: 'a'.repeat(64),
    };
    const old = {
      version: 1,
      adminTokenHash: hashToken('the old token of it'),
      routers: [router],
      tombstones: [{ id: 'vendor-b-00000002', kind: 'vendor_b', displayName: 'Shed', deletedAt: 1 }],
      mesh: { ip: '192.168.1.2', user: 'm', pass: seal('q', key) },
    };
    writeFileSync(file, JSON.stringify(old));
    const document = openDocument(file, key);
    expect(document.current()).toMatchObject({
      ...old,
      version: 2,
      passwordRecord: null,
      auditKey: null,
      routers: [{ ...router, pass: 'p' }],
      mesh: { ...old.mesh, pass: 'q' },
      oidc: { enabled: false, clientSecret: '' },
    });
    document.update((all) => ({ ...all, oidc: { ...all.oidc, clientSecret: 's' } }));
    expect(readFileSync(file, 'utf8')).not.toContain('"s"');
    expect(openDocument(file, key).current()).toEqual(document.current());
    writeFileSync(file, JSON.stringify({ ...old, version: 3 }));
    expect(() => openDocument(file, key)).toThrow(/\(version must be 2\)/);
  });
});

/** Every text in the database and the settings, and in what they hold as JSON. */
function* textsIn(dataDir: string): Generator<string> {
  const db = new Db(path.join(dataDir, 'monitor.db'));
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all() as { name: string }[];
  for (const { name } of tables) {
    for (const row of db.prepare(`SELECT * FROM "${name}"`).all()) {
      yield* leaves(row);
    }
  }
  void db.close();
  yield* leaves(JSON.parse(readFileSync(path.join(dataDir, 'monitor.json'), 'utf8')));
}

function* leaves(value: unknown): Generator<string> {
  if (typeof value === 'string') {
    yield value;
  } else if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) {
      yield* leaves(inner);
    }
  }
}

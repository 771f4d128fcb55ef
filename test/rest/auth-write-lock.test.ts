// Another program holds the write lock of the database: people can log in again as soon as it lets go, and the audit
// trail has what happened meanwhile.
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { createAuditTrail } from '#hub/base/auth/audit.ts';
import { createLog } from '#kernel/process/log.ts';
import { Db } from '#kernel/sqlite/sqlite.ts';
import { createBrowser } from '../support/actors.ts';
import { eventually } from '../support/eventually.ts';
import { type Lab, startLab } from '../support/lab.ts';

/** The write lock of the hub's database, until `end`. */
function holdLock(lab: Lab<never>) {
  const other = new Database(path.join(lab.dataDir, 'monitor.db'), { timeout: 0 });
  other.exec('BEGIN IMMEDIATE');
  return {
    end() {
      other.exec('ROLLBACK');
      other.close();
    },
  };
}

async function namesOf(lab: Lab<never>): Promise<string[]> {
  const { events } = await lab.as.admin.auth.auditEvents({ query: { limit: '500' } });
  expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(events.length);
  return events.map(({ eventType, outcome }) => `${eventType} ${outcome}`).reverse();
}

const healthy = async (lab: Lab<never>) => (await lab.as.raw({ method: 'GET', path: '/healthz' })).status;

test('while the lock is held the hub answers; a login waits for it, and succeeds when it ends', async () => {
  await using lab = await startLab();
  const lock = holdLock(lab);
  const done: string[] = [];
  const right = createBrowser(lab.url).login(lab.password);
  void right.then(() => done.push('right'));
  const answers: number[] = [];
  while (answers.length < 30) {
    answers.push(await healthy(lab));
  }
  expect(new Set(answers)).toEqual(new Set([200]));
  expect(done).toEqual([]);
  const wrong = createBrowser(lab.url).login('not the password');
  expect(await healthy(lab)).toBe(200);
  lock.end();
  expect((await right).status).toBe(200);
  expect((await wrong).status).toBe(401);
  expect((await namesOf(lab)).toSorted()).toEqual(['login failure', 'login success']);
});

test('a lock beyond five seconds: a right login is refused, a wrong one is wrong; afterwards all is as before', async () => {
  await using lab = await startLab();
  const browser = await lab.as.browser();
  const lock = holdLock(lab);
  const [right, wrong, logout] = await Promise.all([
    createBrowser(lab.url).login(lab.password),
    createBrowser(lab.url).login('not the password'),
    browser.post('/api/auth/logout'),
  ]);
  expect(right).toMatchObject({ status: 503, body: { code: 'database_busy' }, headers: { 'retry-after': '5' } });
  expect(wrong).toMatchObject({ status: 401, body: { code: 'login_failed' } });
  expect(logout).toMatchObject({ status: 503, body: { code: 'database_busy' } });
  const started = lab.as.raw({ method: 'GET', path: '/api/auth/audit-events' });
  expect((await started).status).toBe(200);
  lock.end();
  expect((await browser.post('/api/auth/logout')).status).toBe(200);
  expect((await createBrowser(lab.url).login(lab.password)).status).toBe(200);
  expect(await namesOf(lab)).toEqual(['login success', 'login failure', 'logout success', 'login success']);
});

test('an event that waited is written by itself when the lock has ended', async () => {
  await using lab = await startLab();
  const lock = holdLock(lab);
  const denied = await lab.as.raw({
    method: 'POST',
    path: '/api/auth/login',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ password: 'not the password' }),
  });
  expect(denied.status).toBe(401);
  lock.end();
  await lab.advance(limits.auditRetryMs);
  const db = new Db(path.join(lab.dataDir, 'monitor.db'));
  const count = async () => db.prepare('SELECT count(*) FROM audit_event').pluck().get();
  await eventually(count, (rows) => (rows === 1 ? true : undefined));
  await db.close();
});

const request = {
  id: 'one',
  method: 'POST',
  path: '/api/auth/login',
  target: '/api/auth/login',
  address: '::1',
  host: 'hub',
  isSecure: false,
  headers: {},
  cookies: {},
};
const failedLogin = (n: number) => ({
  type: 'login' as const,
  outcome: 'failure' as const,
  request: { ...request, id: String(n) },
  by: { method: null, actor: null, credential: null },
});

test('events that wait have a bound; what is beyond is counted in the log, and nothing before it is lost', async () => {
  await using lab = await startLab();
  const said: unknown[] = [];
  const log = createLog('hub', 'silent');
  const say = (about: object, text: string) => void said.push([text, { ...about, err: undefined }]);
  const listening = Object.assign(Object.create(log) as typeof log, { error: say, warn: say });
  const db = new Db(path.join(lab.dataDir, 'monitor.db'));
  await using audit = createAuditTrail({ db, clock: lab.clock, log: listening, key: 'k' });
  const lock = holdLock(lab);
  for (let n = 0; n < limits.auditWaiting + 3; n += 1) {
    audit.note(failedLogin(n));
  }
  await audit.record(failedLogin(-1));
  lock.end();
  await audit.record(failedLogin(-2));
  const ids = db.prepare('SELECT request_id FROM audit_event ORDER BY id').pluck().all();
  expect(ids.join() === [...Array(limits.auditWaiting).keys()].join()).toBe(true);
  await audit.record(failedLogin(-3));
  expect(db.prepare('SELECT count(*) FROM audit_event').pluck().get()).toBe(limits.auditWaiting + 1);
  expect(said).toEqual([
    [expect.stringContaining('lost'), { lost: 1 }],
    [expect.stringContaining('wait'), { waiting: limits.auditWaiting }],
    [expect.stringContaining('written'), { written: limits.auditWaiting, lost: 5 }],
  ]);
  await db.close();
});

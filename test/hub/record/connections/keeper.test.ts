// The index of the summaries beside the database of a hub: when it is written, used, and removed.
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { ReadConnection } from '#kernel/sqlite/sqlite.ts';
import { minuteMs } from '#kernel/time/time.ts';
import { startLab } from '../../../support/lab.ts';
import { collectLog } from '../../../support/log-lines.ts';

async function startScene() {
  const { log, lines } = collectLog('warn');
  const lab = await startLab({ routers: { home: 'vendor_a' }, hub: { log } });
  const file = path.join(lab.dataDir, 'monitor.db-flows');
  const contact = async (dport: number, src = '192.168.100.23') => {
    lab.routers.home.flow({ src, dst: '203.0.113.10', dport, lastsMs: 10 * minuteMs });
    await lab.poll();
    await lab.poll();
  };
  await contact(443);
  const summarise = async () => {
    await lab.skip(limits.summaryCacheMs);
    const { total, byDst } = await lab.as.admin.connections.summary({ query: {} });
    return { total, ports: byDst.length };
  };
  const told = () => lines.filter(({ msg }) => msg.includes('index of the summaries')).map(({ msg }) => msg);
  return { lab, file, contact, summarise, told, [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose]() };
}

const damaged =
  'the kept index of the summaries could not be read: every connection was read, and the index is written anew';

test('a hub that was asked for a summary keeps the index when it stops; one that was not keeps none', async () => {
  await using scene = await startScene();
  const { lab, file, contact, summarise, told } = scene;
  await lab.restart();
  expect(existsSync(file)).toBe(false);
  expect(await summarise()).toMatchObject({ total: 1 });
  await lab.restart();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await contact(80);
  expect(await summarise()).toMatchObject({ total: 2 });
  await lab.restart();
  expect(await summarise()).toMatchObject({ total: 2 });
  expect(told()).toEqual([]);
});

test('while it runs, the hub writes it ten minutes after everything was read, and not for a few changes', async () => {
  await using scene = await startScene();
  const { lab, file, contact, summarise } = scene;
  await summarise();
  expect(existsSync(file)).toBe(false);
  await lab.advance(limits.flowStoreEveryMs);
  expect(existsSync(file)).toBe(true);
  rmSync(file);
  await contact(80);
  await summarise();
  await lab.advance(limits.flowStoreEveryMs);
  expect(existsSync(file)).toBe(false);
  await lab.stop();
  expect(existsSync(file)).toBe(true);
});

test('a damaged file is said, and the summary is right; the next one is whole again', async () => {
  await using scene = await startScene();
  const { lab, file, summarise, told } = scene;
  await summarise();
  await lab.stop();
  const whole = readFileSync(file);
  writeFileSync(file, whole.subarray(0, 100));
  await lab.restart();
  expect(await summarise()).toMatchObject({ total: 1 });
  await lab.restart();
  expect(told()).toEqual([damaged]);
  expect(readFileSync(file)).toHaveLength(whole.length);
  expect(await summarise()).toMatchObject({ total: 1 });
  await lab.stop();
  expect(told()).toEqual([damaged]);
});

test('after a restore nothing that was kept of another database belongs to the log', async () => {
  await using scene = await startScene();
  const { lab, file, contact, summarise, told } = scene;
  await summarise();
  await lab.restart();
  const { name } = await lab.as.admin.backup.create({ body: {} });
  await contact(80);
  expect(await summarise()).toMatchObject({ total: 2 });
  lab.routers.home.clearTable();
  await lab.as.admin.backup.restore({ body: { name } });
  await lab.settled();
  expect(existsSync(file)).toBe(true);
  const log = new ReadConnection(path.join(lab.dataDir, 'monitor.db'), 512);
  const runs = log.prepare('SELECT count(*) FROM flow_change_run').pluck().get();
  log.close();
  expect([runs, await summarise()]).toMatchObject([1, { total: 1 }]);
  await lab.stop();
  expect(told()).toEqual([]);
});

test('an erasure removes it, also one that fails, which is said', async () => {
  await using scene = await startScene();
  const { lab, file, contact, summarise } = scene;
  await summarise();
  await lab.restart();
  const change = (sql: string) => {
    using db = Object.assign(new Database(path.join(lab.dataDir, 'monitor.db')), {
      [Symbol.dispose]: () => db.close(),
    });
    db.exec(sql);
  };
  const { id: ruleId } = await lab.as.admin.privacy.add({ body: { kind: 'range', value: '192.168.100.23/32' } });
  const erase = () => lab.as.admin.privacy.erase({ body: { ruleId } });
  const ended = async () => {
    await lab.settled();
    const { job } = await lab.as.admin.privacy.eraseJob({});
    return { status: job?.status, error: job?.error, isKept: existsSync(file) };
  };
  change("CREATE TRIGGER planted BEFORE DELETE ON flow BEGIN SELECT RAISE(ABORT, 'planted'); END");
  expect(existsSync(file)).toBe(true);
  await erase();
  expect(await ended()).toEqual({ status: 'failed', error: expect.stringContaining('planted'), isKept: false });
  change('DROP TRIGGER planted');
  expect(await summarise()).toMatchObject({ total: 1 });
  await lab.restart();
  expect(existsSync(file)).toBe(true);
  await contact(80, '192.168.100.24');
  expect(await summarise()).toMatchObject({ total: 2 });
  await erase();
  expect(await ended()).toEqual({ status: 'completed', error: null, isKept: false });
  // The thread still holds what was erased: no summary was asked since.
  await lab.stop();
  expect(existsSync(file)).toBe(false);
  await lab.restart();
  expect(await summarise()).toMatchObject({ total: 1 });
});

test('a folder in its place keeps no hub from stopping: the log says that the next start reads every connection', async () => {
  await using scene = await startScene();
  const { lab, file, summarise, told } = scene;
  mkdirSync(file);
  await summarise();
  await lab.stop();
  expect(told()).toEqual(['the index of the summaries was not kept: the next start reads every connection']);
  rmSync(file, { recursive: true });
});

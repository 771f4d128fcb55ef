// Runs of the features while their database is replaced: which one the hub goes on with, and what it says when it cannot.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { createStatement } from '#hub/base/statements.ts';
import { createLog } from '#kernel/process/log.ts';
import { failFiles } from '../../support/failing-files.ts';
import { type Lab, startLab } from '../../support/lab.ts';
import { collectLog } from '../../support/log-lines.ts';
import { refusal } from '../../support/refusal.ts';
import { verifies } from '../../support/verifies.ts';

const routers = { a: { kind: 'vendor_a', sessions: 40, seed: 5 } } as const;
const total = async (lab: Lab<string>) => (await lab.as.admin.connections.list({ query: { limit: '1' } })).total;
const create = async (lab: Lab<string>) => (await lab.as.admin.backup.create({ body: {} })).name;
const ready = async (lab: Lab<string>) => (await lab.as.raw({ method: 'GET', path: '/readyz' })).body;
const writeNote = (lab: Lab<string>, note: string) =>
  lab.as.admin.notes.write({ body: { ip: '192.168.100.23', note } });
const notes = async (lab: Lab<string>) => JSON.stringify(await lab.as.admin.notes.list({}));

/** A log that fails once when the next run of the features warns. */
function failingLog() {
  const state = { isFailing: false, failed: 0 };
  const log = createLog('hub', 'silent');
  const warn = (about: object, message: string) => {
    if (state.isFailing && message === 'a warning of this test') {
      Object.assign(state, { isFailing: false, failed: state.failed + 1 });
      throw new Error('the start fails here');
    }
    log.warn(about, message);
  };
  return { state, log: Object.assign(Object.create(log) as typeof log, { warn: warn as typeof log.warn }) };
}

verifies(
  'rest.restore.rolls-back rest.restore.verifies-result',
  'when the hub does not start with the restored database, the one from before is back',
  async () => {
    const { state, log } = failingLog();
    await using lab = await startLab({
      routers,
      hub: { log, warnings: [createStatement('clock_back', 'a warning of this test', { at: 1 })] },
    });
    const name = await create(lab);
    await writeNote(lab, 'of now');
    lab.routers.a.flow({
      src: '192.168.100.23',
      dst: '198.51.100.7',
      dport: 443,
      proto: 'tcp',
      lastsMs: 600_000,
      ends: 'silent',
    });
    await lab.advance(60_000);
    const before = await total(lab);
    const browser = await lab.as.browser();
    state.isFailing = true;
    const failed = await refusal(lab.as.admin.backup.restore({ body: { name } }));
    expect(failed).toMatchObject({
      status: 500,
      code: 'restore_failed',
      message: expect.stringMatching(/before is back/),
    });
    expect(state.failed).toBe(1);
    expect(await ready(lab)).toEqual({ status: 'ready' });
    expect(await total(lab)).toBe(before);
    expect(await notes(lab)).toContain('of now');
    expect((await browser.get('/api/status')).status).toBe(200);
    const left = readdirSync(lab.dataDir).filter((file) => /former|incoming|restore\.json/.test(file));
    expect(left).toEqual([]);
    lab.routers.a.clearTable();
    await lab.as.admin.backup.restore({ body: { name } });
    expect(await total(lab)).toBeLessThan(before);
  },
);

test('where the disk refuses a restore the hub goes on with the database from before, at once or when the disk is well', async () => {
  const { log, lines } = collectLog('warn');
  await using lab = await startLab({ hub: { log } });
  await writeNote(lab, 'of then');
  const name = await create(lab);
  const counted = failFiles(lab.dataDir, null);
  await lab.as.admin.backup.restore({ body: { name } }).finally(() => counted[Symbol.dispose]());
  const at = counted.calls.indexOf('rename monitor.db.incoming') + 1;
  await writeNote(lab, 'of now');
  for (const [count, says, end] of [
    [1, /^the database could not be replaced \(EIO.*\): the database is what it was before$/, 'restore_kept'],
    [
      Number.POSITIVE_INFINITY,
      /^the database could not be replaced \(EIO.*, and the hub cannot go on \(EIO.*every 10 seconds$/,
      'restore_hub_down',
    ],
  ] as const) {
    const failing = failFiles(lab.dataDir, { at, count, error: 'EIO' });
    const failed = await refusal(lab.as.admin.backup.restore({ body: { name } }));
    failing[Symbol.dispose]();
    expect(failed).toMatchObject({ status: 500, code: 'restore_failed', message: expect.stringMatching(says) });
    expect(failed.body).toMatchObject({
      errorFacts: [{ code: 'restore_not_done', values: { cause: 'disk_fault' } }, { code: end }],
    });
    if (count === 1) {
      expect([await ready(lab), (await notes(lab)).includes('of now')]).toEqual([{ status: 'ready' }, true]);
    }
  }
  expect(await ready(lab)).toEqual({ status: 'not_ready' });
  await lab.clock.advance(9999);
  expect(await ready(lab)).toEqual({ status: 'not_ready' });
  await lab.clock.advance(1);
  await expect.poll(() => ready(lab)).toEqual({ status: 'ready' });
  expect((await notes(lab)).includes('of now')).toBe(true);
  await lab.clock.advance(20_000);
  const goesOn = lines.map(({ msg }) => msg).filter((msg) => msg.includes('goes on'));
  expect(goesOn).toEqual([
    expect.stringMatching(/^the hub goes on: the restore of the generation \S+ .* the database is what it was before$/),
  ]);
  expect(await ready(lab)).toEqual({ status: 'ready' });
});

test('damage that only the features of a start find leads to the newest generation, or to an empty log', async () => {
  const { log, lines } = collectLog('error');
  await using lab = await startLab({ routers, hub: { log } });
  const before = await total(lab);
  const file = path.join(lab.dataDir, 'monitor.db');
  const restartDamaged = async () => {
    await lab.stop();
    const db = new Database(file);
    const page = Number(db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'clock_look'").pluck().get());
    db.close();
    writeFileSync(file, readFileSync(file).fill(0xa5, (page - 1) * 4096, page * 4096));
    await lab.restart();
  };
  const name = await create(lab);
  // From here on the log alone knows the connections.
  lab.routers.a.clearTable();
  await restartDamaged();
  expect([await total(lab), lines.map(({ msg }) => msg)]).toEqual([
    before,
    expect.arrayContaining([expect.stringMatching(`set aside as .*, the generation ${name} is used`)]),
  ]);
  const isLost = async () => /missing or empty/.test(String((await lab.as.admin.status.status({})).warnings));
  expect(await isLost()).toBe(false);
  rmSync(path.join(lab.dataDir, 'backups'), { recursive: true });
  await restartDamaged();
  expect(await isLost()).toBe(true);
  expect([await total(lab), lines.map(({ msg }) => msg)]).toEqual([
    0,
    expect.arrayContaining([expect.stringMatching(/is damaged and there is no whole generation: it is set aside/)]),
  ]);
  // Another mistake of a start is no damage: nothing is set aside for it.
  await lab.stop();
  const setAside = () => readdirSync(lab.dataDir).filter((name) => name.includes('.damaged-')).length;
  const count = setAside();
  const document = path.join(lab.dataDir, 'monitor.json');
  const text = readFileSync(document);
  writeFileSync(document, 'no JSON');
  await expect(lab.restart()).rejects.toThrow(/monitor\.json is not valid JSON/);
  expect(setAside()).toBe(count);
  writeFileSync(document, text);
  await lab.restart();
});

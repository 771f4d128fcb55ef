// Followed logs: which are followed, how that goes, and what is told of their lines.
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { DataSourceName } from '#contract/config.ts';
import { limits } from '#contract/limits.ts';
import { emptySettings } from '#hub/base/settings/schema.ts';
import { startDataSources } from '#hub/collect/data-sources/data-sources.ts';
import type { Finding } from '#hub/collect/data-sources/findings.ts';
import type { Log } from '#kernel/process/log.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const off = { state: 'off', message: '', messageFacts: [], lines: 0, understood: 0, lastLineAt: null };
const lease = 'dnsmasq-dhcp[1]: DHCPACK(br0) 192.168.1.5 00:11:22:33:44:55 laptop\n';
const answer = 'dnsmasq[1]: reply a.example is 203.0.113.5\n';

/** Three logs with a line each, of which those of `names` are followed. */
async function startScene(names: readonly DataSourceName[]) {
  const folder = temporaryFolder();
  const fileOf = (name: string) => path.join(folder.path, `${name}.log`);
  const settings = emptySettings().dataSources;
  for (const name of ['dns', 'dhcp', 'inspect'] as const) {
    writeFileSync(fileOf(name), 'before\n');
    settings[name] = { enabled: names.includes(name), logFile: fileOf(name) };
  }
  const manual = new ManualClock();
  const told: [DataSourceName, readonly Finding[]][] = [];
  const logged: string[] = [];
  const write = (level: string) => (_fields: object, text: string) => void logged.push(`${level} ${text}`);
  const state = { followed: names.length, isFull: false };
  const sources = startDataSources({
    // The manual clock really waits a second and less.
    clock: { ...manual, now: manual.now, sleep: (ms, signal) => manual.sleep(ms + 1, signal) },
    log: { warn: write('warn'), error: write('error') } as unknown as Log,
    settings: () => settings,
    pathPrefixes: [folder.path],
    async onFindings(source, findings) {
      told.push([source, findings]);
      if (state.isFull) {
        throw new Error('the disk is full');
      }
    },
  });
  const first = { dns: sources.status('dns'), dhcp: sources.status('dhcp') };
  const begun = structuredClone(first);
  const asleep = () => expect.poll(() => manual.sleeping).toBe(state.followed);
  await asleep();
  return {
    ...{ settings, told, logged, state, sources, begun, fileOf, now: manual.now },
    status: (name: DataSourceName) => ({ ...sources.status(name) }),
    append: (name: string, text: string) => appendFileSync(fileOf(name), text),
    /** Until all that is there now was read. */
    async look() {
      await manual.advance(limits.logPollMs + 1);
      await asleep();
    },
    async apply() {
      await sources.apply();
      await asleep();
    },
    async [Symbol.asyncDispose]() {
      await sources[Symbol.asyncDispose]();
      expect(manual.sleeping).toBe(0);
      folder[Symbol.dispose]();
    },
  };
}

test('lines are counted, and those of a known form; the time is that of the last whole line', async () => {
  await using scene = await startScene(['dns']);
  expect(scene.begun).toEqual({ dns: { ...off, state: 'waiting' }, dhcp: off });
  expect([scene.status('dns'), scene.status('inspect')]).toEqual([{ ...off, state: 'following' }, off]);
  scene.append('dns', 'half');
  await scene.look();
  expect(scene.status('dns')).toEqual({ ...off, state: 'following' });
  scene.append('dns', ` a line\ndnsmasq[1]: query[A] a.example from 192.168.1.2\n`);
  await scene.look();
  expect(scene.told).toEqual([]);
  scene.append('dns', answer + answer);
  await scene.look();
  const counted = {
    state: 'following',
    message: '',
    messageFacts: [],
    lines: 4,
    understood: 3,
    lastLineAt: scene.now(),
  };
  expect(scene.status('dns')).toEqual(counted);
  const finding = { kind: 'name', address: '203.0.113.5', name: 'a.example', client: '192.168.1.2' };
  expect(scene.told).toEqual([['dns', [finding, finding]]]);
  await scene.look();
  expect(scene.status('dns')).toEqual(counted);
});

test('each log has the reader of its own form', async () => {
  await using scene = await startScene(['dns', 'dhcp', 'inspect']);
  const session = '[INSPECT] LAN2[out][1] TCP 192.168.1.3:5 > 203.0.113.9:443 (2026/03/01 11:58:42)\n';
  for (const name of ['dns', 'dhcp', 'inspect'] as const) {
    scene.append(name, answer + lease + session);
  }
  await scene.look();
  const told = scene.told.map(([source, findings]) => [source, ...findings.map(({ kind }) => kind)]);
  expect(told.sort()).toEqual([
    ['dhcp', 'host'],
    ['dns', 'name'],
    ['inspect', 'session'],
  ]);
});

test('findings that cannot be recorded are logged, and the next lines are read', async () => {
  await using scene = await startScene(['dhcp']);
  scene.state.isFull = true;
  scene.append('dhcp', lease);
  await scene.look();
  expect(scene.logged).toEqual(['error findings of a followed log could not be recorded']);
  scene.state.isFull = false;
  scene.append('dhcp', lease);
  await scene.look();
  expect([scene.told.length, scene.logged.length]).toEqual([2, 1]);
  expect(scene.status('dhcp')).toMatchObject({ state: 'following', lines: 2, understood: 2 });
});

test('a log that cannot be read is logged once, until it could be read again; one that is not there is not', async () => {
  await using scene = await startScene(['dns']);
  const file = scene.fileOf('dns');
  const replaceLog = async (put: () => void, expected: string) => {
    rmSync(file, { recursive: true });
    put();
    await scene.look();
    await scene.look();
    await scene.look();
    expect(scene.status('dns').state).toBe(expected);
  };
  const failure = `warn ${file} cannot be read: it is not a regular file`;
  await replaceLog(() => mkdirSync(file), 'failed');
  expect(scene.status('dns').message).toBe(failure.slice(5));
  expect(scene.logged).toEqual([failure]);
  await replaceLog(() => writeFileSync(file, ''), 'following');
  await replaceLog(() => mkdirSync(file), 'failed');
  expect(scene.logged).toEqual([failure, failure]);
});

test('what the settings say no more is followed no more; what they say still is followed on', async () => {
  await using scene = await startScene(['dns', 'dhcp']);
  scene.append('dns', answer);
  scene.append('dhcp', lease);
  await scene.look();
  const counted = scene.status('dns');
  scene.settings.dhcp = { enabled: true, logFile: scene.fileOf('inspect') };
  await scene.apply();
  expect(scene.status('dns')).toEqual(counted);
  expect(scene.status('dhcp')).toEqual({ ...off, state: 'following' });
  scene.append('inspect', lease);
  scene.append('dhcp', lease);
  await scene.look();
  expect(scene.status('dhcp')).toMatchObject({ lines: 1 });
  scene.settings.dns = { ...scene.settings.dns, enabled: false };
  scene.settings.dhcp = { enabled: true, logFile: '' };
  scene.state.followed = 0;
  await scene.apply();
  expect([scene.status('dns'), scene.status('dhcp')]).toEqual([off, off]);
  scene.settings.dns = { ...scene.settings.dns, enabled: true };
  scene.state.followed = 1;
  await scene.apply();
  expect(scene.status('dns')).toEqual({ ...off, state: 'following' });
});

test('nothing is followed any more once the hub stops', async () => {
  await using scene = await startScene([]);
  await scene.sources[Symbol.asyncDispose]();
  scene.settings.dns = { ...scene.settings.dns, enabled: true };
  await scene.apply();
  expect(scene.status('dns')).toEqual(off);
});

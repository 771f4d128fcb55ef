// The operator's program after a backup: one at a time, in order, within an hour; what it says is shown when it fails.
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { createHook } from '#hub/base/storage/backup/hook.ts';
import { collectLog } from '../../../support/log-lines.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

/** A hook whose program is a shell script of these lines, in whose folder it runs. */
function openHook(lines: string | null) {
  const folder = temporaryFolder();
  const program = path.join(folder.path, 'program');
  writeFileSync(program, `#!/bin/sh\ncd ${folder.path}\n${lines}\n`);
  chmodSync(program, 0o700);
  const clock = new ManualClock();
  const { log, lines: logged } = collectLog('warn');
  const hook = createHook({ clock, log, program: lines === null ? null : program });
  const at = (name: string) => path.join(folder.path, name);
  return {
    ...{ hook, clock, at, said: () => logged.map(({ msg }) => msg) },
    async [Symbol.asyncDispose]() {
      await hook[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

test('it runs once for each generation, one after the other, with its manifest', async () => {
  await using open = openHook('echo "begin $1 $2" >> seen; echo "end $1" >> seen');
  const { hook, clock, at } = open;
  expect(hook.state()).toEqual({ running: false, endedAt: null, error: null });
  hook.run('/b/one.db');
  hook.run('/b/two.db');
  await hook.settled();
  expect(hook.state()).toEqual({ running: false, endedAt: clock.now(), error: null });
  expect(readFileSync(at('seen'), 'utf8').trim().split('\n')).toEqual([
    ...['begin /b/one.db /b/one.db.json', 'end /b/one.db'],
    ...['begin /b/two.db /b/two.db.json', 'end /b/two.db'],
  ]);
  expect(open.said()).toEqual([]);
});

test('a program that is not there has the cause that the system names', async () => {
  using folder = temporaryFolder();
  await using hook = createHook({
    clock: new ManualClock(),
    log: collectLog('warn').log,
    program: `${folder.path}/none`,
  });
  hook.run('/b/one.db');
  await hook.settled();
  expect(hook.warning()?.values).toMatchObject({ detail: 'it could not be started (ENOENT)', cause: 'not_opened' });
});

test('without a program there is nothing to run or to show', async () => {
  await using open = openHook(null);
  open.hook.run('/b/one.db');
  await open.hook.settled();
  expect([open.hook.state(), open.hook.warning()]).toEqual([null, null]);
});

test.each([
  ['echo out; echo err >&2; exit 3', 'err'],
  ['echo out; exit 3', 'out'],
  ['exit 3', 'it ended with 3'],
  ['kill -KILL $$', 'it ended with SIGKILL'],
  [`printf 'x%.0s' $(seq 300) 'y%.0s' >&2; printf 'z%.0s' $(seq 400) >&2; exit 1`, /^[^()]{100}z{400}$/],
])('%s is shown, until it works', async (lines, wanted) => {
  await using open = openHook(`[ -e mended ] && exit 0\n${lines}`);
  const { hook, at } = open;
  hook.run('/b/one.db');
  await hook.settled();
  const [, shown = ''] = /failed for one\.db \((.*)\): run it by hand/s.exec(hook.warning()?.sentence ?? '') ?? [];
  expect(shown).toEqual(wanted instanceof RegExp ? expect.stringMatching(wanted) : wanted);
  expect([hook.state()?.error, open.said()]).toEqual([hook.warning()?.sentence, [hook.warning()?.sentence]]);
  const ended = /^it ended with (.+)$/.exec(shown)?.[1];
  const values = { file: 'one.db', command: expect.any(String), detail: shown, ...(ended && { ended }) };
  expect(hook.warning()).toEqual({ code: 'backup_hook_failed', values, sentence: expect.any(String) });
  writeFileSync(at('mended'), '');
  hook.run('/b/one.db');
  await hook.settled();
  expect(hook.warning()).toBeNull();
});

test('after an hour it is ended, and said to be late', async () => {
  await using open = openHook('touch begun; exec sleep 600');
  const { hook, clock, at } = open;
  hook.run('/b/one.db');
  await expect.poll(() => existsSync(at('begun'))).toBe(true);
  await clock.advance(limits.backupHookMs - 1);
  expect(hook.state()).toEqual({ running: true, endedAt: null, error: null });
  await clock.advance(1);
  await hook.settled();
  expect(hook.warning()).toMatchObject({
    sentence: expect.stringMatching(/failed for one\.db \(it took longer than 60 minutes\)/),
    values: { cause: 'timed_out' },
  });
});

test('the stop of the hub ends one that runs and begins none that waits; it says which to run by hand', async () => {
  await using open = openHook('touch "begun-$(basename $1)"; exec sleep 600');
  const { hook, at } = open;
  hook.run('/b/one.db');
  hook.run('/b/two.db');
  await expect.poll(() => existsSync(at('begun-one.db'))).toBe(true);
  await hook[Symbol.asyncDispose]();
  expect([existsSync(at('begun-two.db')), hook.warning()]).toEqual([false, null]);
  expect(open.said()).toEqual([
    expect.stringMatching(/^the stop of the hub ended \S+ for \/b\/one\.db: run it by hand/),
  ]);
});

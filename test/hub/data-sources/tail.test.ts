// Following a log: growth, half lines, rotation by renaming and by truncation, files that are not there or no files.
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkLogPath, openLog } from '#hub/data-sources/log-path.ts';
import { startTail, type TailState } from '#hub/data-sources/tail.ts';
import { systemClock } from '#kernel/clock.ts';
import { eventually } from '../../support/eventually.ts';
import { makeFolder } from '../../support/temporary-folder.ts';

let folder: string;
let file: string;
const opened: AsyncDisposable[] = [];

beforeEach(() => {
  folder = makeFolder('tail');
  file = path.join(folder, 'a.log');
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one[Symbol.asyncDispose]()));
  rmSync(folder, { recursive: true });
});

function follow(refusal: string | null = null) {
  const lines: string[] = [];
  const states: TailState[] = [];
  const tail = startTail({
    file,
    clock: systemClock,
    async onLines(more) {
      lines.push(...more);
    },
    onState: (state) => states.push(state),
    async open() {
      if (refusal !== null) {
        throw new Error(refusal);
      }
      return await openLog(file, [folder]);
    },
  });
  opened.push(tail);
  return {
    lines,
    state: (wanted: TailState['state']) =>
      eventually(
        async () => states.at(-1),
        (last) => (last?.state === wanted ? last : undefined),
      ),
    upTo: (line: string) =>
      eventually(
        async () => [...lines],
        (seen) => (seen.at(-1) === line ? seen : undefined),
      ),
  };
}

describe('a followed log', () => {
  it('begins at the end of what is there, and joins lines that come in pieces', async () => {
    writeFileSync(file, 'old\nolder\n');
    const tail = follow();
    await tail.state('following');
    appendFileSync(file, 'one\nHälf');
    expect(await tail.upTo('one')).toEqual(['one']);
    appendFileSync(file, 'te\r\ntwo\n');
    expect(await tail.upTo('two')).toEqual(['one', 'Hälfte', 'two']);
  });

  it('goes on over a rotation by renaming: the rest of the old file, then the new one from its beginning', async () => {
    writeFileSync(file, '');
    const tail = follow();
    await tail.state('following');
    appendFileSync(file, 'one\n');
    renameSync(file, `${file}.1`);
    appendFileSync(`${file}.1`, 'two, by a writer that has not reopened\n');
    writeFileSync(file, 'three\n');
    expect(await tail.upTo('three')).toEqual(['one', 'two, by a writer that has not reopened', 'three']);
    appendFileSync(file, 'four\n');
    expect((await tail.upTo('four')).length).toBe(4);
  });

  it('goes on when the file is emptied in place', async () => {
    writeFileSync(file, 'a long line that was there before\n');
    const tail = follow();
    await tail.state('following');
    appendFileSync(file, 'one\n');
    await tail.upTo('one');
    truncateSync(file);
    appendFileSync(file, 'two\n');
    expect(await tail.upTo('two')).toEqual(['one', 'two']);
  });

  it('waits for a file that is not there, and reads it from its beginning', async () => {
    const tail = follow();
    expect((await tail.state('waiting')).message).toBe(`${file} does not exist yet`);
    writeFileSync(file, 'first\n');
    expect(await tail.upTo('first')).toEqual(['first']);
  });

  it('drops a line without end, and what is longer than a line can be', async () => {
    writeFileSync(file, '');
    const tail = follow();
    await tail.state('following');
    appendFileSync(file, 'x'.repeat(200_000));
    appendFileSync(file, '\nnext\n');
    expect((await tail.upTo('next')).every((line) => line.length <= 16_384)).toBe(true);
  });

  it('does not read a folder, and not what it must not follow', async () => {
    mkdirSync(file);
    expect((await follow().state('failed')).message).toContain('not a regular file');
    expect((await follow('it lies elsewhere').state('failed')).message).toContain('it lies elsewhere');
  });
});

describe('the path of a log', () => {
  const check = (text: string) => checkLogPath(text, [folder]);

  it.each(['/var/log/dnsmasq.log', '/opt/homebrew/var/log/a.log', '/usr/local/var/log/x/y.log', '/var/log//a.log'])(
    '%s may be followed',
    async (text) => expect(await check(text)).toEqual({ path: path.normalize(text) }),
  );

  it.each([
    '/etc/passwd',
    '/var/log',
    '/var/log/',
    '/var/logs/a.log',
    'var/log/a.log',
    '/var/log/../../etc/passwd',
    '/var/log/a/../b.log',
    '/var/log/a\0.log',
    '',
  ])('%j may not', async (text) => expect(await check(text)).toEqual({ refusal: expect.stringContaining('logFile') }));

  it('may lie in a folder that the operator allows, not behind a link that leads out of it', async () => {
    expect(await check(file)).toEqual({ path: file });
    symlinkSync('/etc/passwd', path.join(folder, 'link.log'));
    expect(await check(path.join(folder, 'link.log'))).toEqual({ refusal: expect.stringContaining('outside') });
    symlinkSync('/etc', path.join(folder, 'linked'));
    expect(await check(path.join(folder, 'linked/new.log'))).toEqual({ refusal: expect.stringContaining('outside') });
  });
});

describe('opening a log', () => {
  const open = () => openLog(file, [folder]);

  it('through a link that stays in the folders for logs', async () => {
    writeFileSync(path.join(folder, 'real.log'), 'a line\n');
    symlinkSync('real.log', file);
    await using handle = await open();
    expect(await handle.readFile('utf8')).toBe('a line\n');
  });

  it('not through a link that leads out, nor a file that is none', async () => {
    symlinkSync('/etc/passwd', file);
    await expect(open()).rejects.toThrow(/outside/);
    rmSync(file);
    expect(spawnSync('mkfifo', [file]).status).toBe(0);
    await expect(open()).rejects.toThrow(/not a regular file/);
    rmSync(file);
    await expect(open()).rejects.toMatchObject({ code: 'ENOENT' });
    symlinkSync('not-there-yet.log', file);
    await expect(open()).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

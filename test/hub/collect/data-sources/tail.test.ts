// Following a log: growth, half lines, rotation by renaming and by truncation, files that are not there or no files.
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CauseCode } from '#contract/facts.ts';
import { limits } from '#contract/limits.ts';
import { checkLogPath, openLog } from '#hub/collect/data-sources/log-path.ts';
import { startTail, type TailOptions, type TailState } from '#hub/collect/data-sources/tail.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { openFilesBelow } from '../../../support/open-files.ts';
import { makeFolder } from '../../../support/temporary-folder.ts';

let folder: string;
let file: string;
const opened: AsyncDisposable[] = [];

beforeEach(() => {
  folder = makeFolder('tail');
  file = path.join(folder, 'a.log');
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one[Symbol.asyncDispose]()));
  expect(openFilesBelow(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
});

/** Follows `file` on a clock that the test moves, and has looked once. */
async function follow(changes: Partial<TailOptions> = {}) {
  const lines: string[] = [];
  const states: TailState[] = [];
  const manual = new ManualClock();
  const clock = {
    ...{ now: manual.now, monotonic: manual.monotonic },
    // The manual clock really waits a second and less.
    sleep: (ms: number, signal?: AbortSignal) => manual.sleep(ms + 1, signal),
  };
  const tail = startTail({
    ...{ file, clock, onState: (state) => void states.push(state), open: () => openLog(file, [folder]) },
    onLines: async (more) => void lines.push(...more),
    ...changes,
  });
  opened.push(tail);
  const asleep = () => expect.poll(() => manual.sleeping).toBe(1);
  await asleep();
  return {
    tail,
    manual,
    state: () => states.at(-1),
    /** The lines that come with the next look. */
    async look() {
      const before = lines.length;
      await manual.advance(limits.logPollMs + 1);
      await asleep();
      return lines.slice(before);
    },
  };
}

const following = { state: 'following', message: '', messageFacts: [] };
const missing = (file: string) => ({
  ...{ state: 'waiting', message: `${file} does not exist yet` },
  messageFacts: [{ code: 'log_missing', values: { file } }],
});
const unreadable = (file: string, detail: string, cause?: CauseCode) => ({
  ...{ state: 'failed', message: `${file} cannot be read: ${detail}` },
  messageFacts: [{ code: 'log_unreadable', values: { file, detail, ...(cause && { cause }) } }],
});
const x = (length: number) => 'x'.repeat(length);

describe('a followed log', () => {
  it('begins at the end of what is there, and joins lines that come in pieces', async () => {
    writeFileSync(file, 'old\nhalf a line, ');
    const tail = await follow();
    expect(tail.state()).toEqual(following);
    const [first, rest] = [Buffer.from('and its end\none\nHä').subarray(0, -1), Buffer.from('ä').subarray(1)];
    appendFileSync(file, first);
    expect(await tail.look()).toEqual(['and its end', 'one']);
    appendFileSync(file, Buffer.concat([rest, Buffer.from('lfte\r\na\rb\n\n')]));
    expect(await tail.look()).toEqual(['Hälfte', 'a\rb', '']);
    expect(await tail.look()).toEqual([]);
  });

  it('drops a line that is longer than a line can be, ended or not', async () => {
    writeFileSync(file, '');
    const tail = await follow();
    const longest = limits.logLine;
    for (const [piece, expected] of [
      [x(longest), []],
      ['\n', [x(longest)]],
      [x(longest + 1), []],
      ['y\n', ['y']],
      [`${x(longest + 1)}\n${x(longest)}\n`, [x(longest)]],
      [x(200_000), []],
      // What the last of its reads brought is short enough to be a line.
      ['\nnext\n', [x(200_000 % 65_536), 'next']],
    ] as const) {
      appendFileSync(file, piece);
      expect(await tail.look()).toEqual(expected);
    }
  });

  it('reads what is longer than one read, in its order', async () => {
    writeFileSync(file, '');
    const tail = await follow();
    const many = Array.from({ length: 20_000 }, (_, at) => `Zeile ${at} ä`);
    appendFileSync(file, `${many.join('\n')}\n`);
    expect(await tail.look()).toEqual(many);
  });

  it('goes on over a rotation by renaming: the rest of the old file, then the new one from its beginning', async () => {
    writeFileSync(file, '');
    const tail = await follow();
    appendFileSync(file, 'one\n');
    renameSync(file, `${file}.1`);
    expect([await tail.look(), tail.state()]).toEqual([['one'], following]);
    appendFileSync(`${file}.1`, 'two, by a writer that has not reopened\nwithout an end');
    writeFileSync(file, 'three\n');
    expect(await tail.look()).toEqual(['two, by a writer that has not reopened', 'three']);
    appendFileSync(`${file}.1`, 'of nobody\n');
    appendFileSync(file, 'four\n');
    expect(await tail.look()).toEqual(['four']);
    expect(openFilesBelow(folder).map((open) => open.file)).toEqual([file]);
  });

  it('misses nothing that is written between its last read and a rotation', async () => {
    writeFileSync(file, '');
    let rotates = false;
    const tail = await follow({
      async open() {
        const handle = await openLog(file, [folder]);
        const read = handle.read.bind(handle) as (...args: unknown[]) => Promise<{ bytesRead: number }>;
        const readThenRotate = async (...args: unknown[]) => {
          const result = await read(...args);
          if (rotates && result.bytesRead === 0) {
            rotates = false;
            appendFileSync(file, 'late\n');
            renameSync(file, `${file}.1`);
            writeFileSync(file, 'new\n');
          }
          return result;
        };
        return Object.assign(handle, { read: readThenRotate as typeof handle.read });
      },
    });
    rotates = true;
    expect(await tail.look()).toEqual(['late', 'new']);
  });

  it('goes on when the file is emptied in place, without what was half there', async () => {
    writeFileSync(file, 'a long line that was there before\n');
    const tail = await follow();
    appendFileSync(file, Buffer.from('one\nhalf ä').subarray(0, -1));
    expect(await tail.look()).toEqual(['one']);
    truncateSync(file);
    appendFileSync(file, 'two\n');
    expect(await tail.look()).toEqual(['two']);
  });

  it('waits for a file that is not there, and reads it from its beginning', async () => {
    const tail = await follow();
    expect(tail.state()).toEqual(missing(file));
    writeFileSync(file, 'first\n');
    expect([await tail.look(), tail.state()]).toEqual([['first'], following]);
  });

  it('says what cannot be read, and begins at the end once it can', async () => {
    mkdirSync(file);
    const tail = await follow();
    expect(tail.state()).toEqual(unreadable(file, 'it is not a regular file', 'not_a_file'));
    rmSync(file, { recursive: true });
    writeFileSync(file, 'old\n');
    expect([await tail.look(), tail.state()]).toEqual([[], following]);
    const refused = await follow({ open: () => Promise.reject(new Error('it lies elsewhere')) });
    expect(refused.state()).toEqual(unreadable(file, 'it lies elsewhere'));
  });

  it('fails when nobody can say which file has the name, and closes the one it has', async () => {
    const sub = path.join(folder, 'sub');
    file = path.join(sub, 'a.log');
    mkdirSync(sub);
    writeFileSync(file, '');
    const tail = await follow();
    renameSync(sub, `${sub}.1`);
    writeFileSync(sub, '');
    expect(await tail.look()).toEqual([]);
    expect(tail.state()).toMatchObject({ state: 'failed', message: expect.stringContaining('ENOTDIR') });
    expect(tail.state()?.messageFacts).toMatchObject([{ values: { file, cause: 'not_opened' } }]);
    expect(openFilesBelow(folder)).toEqual([]);
    rmSync(sub);
    renameSync(`${sub}.1`, sub);
    expect([await tail.look(), tail.state()]).toEqual([[], following]);
  });

  it('reads nothing more once it is stopped, and closes the file when what is under way has ended', async () => {
    writeFileSync(file, '');
    const held = Promise.withResolvers<void>();
    const calls: number[] = [];
    const tail = await follow({
      onLines: async (lines) => {
        calls.push(lines.length);
        await held.promise;
      },
    });
    appendFileSync(file, `${x(100)}\n`.repeat(3000));
    await tail.manual.advance(limits.logPollMs + 1);
    await expect.poll(() => calls.length).toBe(1);
    const stopped = tail.tail[Symbol.asyncDispose]();
    held.resolve();
    await stopped;
    expect(calls).toHaveLength(1);
    expect(openFilesBelow(folder)).toEqual([]);
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
  ])('%j may not', async (text) =>
    expect(await check(text)).toEqual({ refusal: expect.stringMatching(/^must be /), problem: 'not_log_folder' }),
  );

  it('may lie in a folder that the operator allows, not behind a link that leads out of it', async () => {
    const outside = { refusal: expect.stringContaining('outside'), problem: 'leads_outside' };
    expect(await check(file)).toEqual({ path: file });
    symlinkSync('/etc/passwd', path.join(folder, 'link.log'));
    expect(await check(path.join(folder, 'link.log'))).toEqual(outside);
    symlinkSync('/etc', path.join(folder, 'linked'));
    expect(await check(path.join(folder, 'linked/new.log'))).toEqual(outside);
    expect(await check(path.join(folder, 'link.log/x.log'))).toEqual(outside);
  });

  it('may lie in a folder that the operator allows by a link or from here, and not in one whose name only begins so', async () => {
    const [real, sibling, link] = ['real', 'real-not', 'link'].map((name) => path.join(folder, name));
    mkdirSync(real as string);
    mkdirSync(sibling as string);
    symlinkSync(real as string, link as string);
    symlinkSync(sibling as string, `${real}/out`);
    const inside = path.join(link as string, 'a.log');
    expect(await checkLogPath(inside, [link as string])).toEqual({ path: inside });
    expect(await checkLogPath(inside, [path.relative(process.cwd(), link as string)])).toEqual({ path: inside });
    expect(await checkLogPath(path.join(link as string, 'out/a.log'), [link as string])).toEqual({
      refusal: expect.stringContaining(`leads to ${sibling}/a.log, which is outside`),
      problem: 'leads_outside',
    });
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

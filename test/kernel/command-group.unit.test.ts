// Commands with words of their own, and programs: help, version, unknown words, and how each ends.
import { expect, test, vi } from 'vitest';
import { runCommandGroup } from '#kernel/process/command-group.ts';
import { runProgram, UsageError } from '#kernel/process/program.ts';
import { packageVersion } from '#kernel/process/version.ts';

/** Exit code and what is printed. */
async function said(run: () => Promise<number>) {
  const printed = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      printed[name] += String(text);
      return true;
    }),
  );
  try {
    return { code: await run(), ...printed };
  } finally {
    for (const spy of spies) {
      spy.mockRestore();
    }
  }
}

const version = { code: 0, stdout: `${packageVersion()}\n`, stderr: '' };
const help = { code: 0, stdout: 'Usage: all of it\n', stderr: '' };
const usage = 'Usage: all of it\n';

const group = (...words: string[]) =>
  said(() => runCommandGroup(words, { name: 'tool', usage, commands: { add: async ({ length }) => 40 + length } }));

test.each(['--version', '-V'])('a group answers %s with the version', async (word) => {
  expect(await group(word)).toEqual(version);
});

test.each([[], ['--help'], ['-h'], ['help']])('a group answers %j with its usage', async (...words) => {
  expect(await group(...words)).toEqual(help);
});

test('a group runs the command with the words after it, and names what it knows', async () => {
  expect(await group('add', 'one', '--help')).toEqual({ code: 42, stdout: '', stderr: '' });
  for (const word of ['ad', 'toString']) {
    const stderr = `tool: unknown command "${word}"; it knows add (see --help)\n`;
    expect(await group(word)).toEqual({ code: 2, stdout: '', stderr });
  }
});

const program = (words: string[], run: () => Promise<void> = async () => undefined, most = 1) =>
  said(() =>
    runProgram(
      words,
      {
        ...{ name: 'tool', usage, options: { size: { type: 'string' } } },
        ...(most === 0 ? {} : { operands: { name: 'files', most } }),
      },
      run,
    ),
  );
const ended = (code: number, stderr: string) => ({ code, stdout: '', stderr: `gatehouse tool: ${stderr}\n` });

test('a program says what was wrong with its words, or why it failed, and ends as that says', async () => {
  expect(await program(['--version'])).toEqual(version);
  expect(await program(['-h', 'file'])).toEqual(help);
  expect(await program(['--size', '3', 'file'])).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(await program(['--wide'])).toEqual(ended(2, "Unknown option '--wide' (see --help)"));
  expect(await program(['a', 'b'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('1 files at most, not 2'),
  });
  expect(await program(['a'], undefined, 0)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("argument 'a'"),
  });
  const failing = (error: Error) => program([], () => Promise.reject(error));
  expect(await failing(new Error('no room'))).toEqual(ended(1, 'no room'));
  expect(await failing(new UsageError('no size'))).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no size'),
  });
});

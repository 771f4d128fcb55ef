// Helper programs: what they are given, how they are ended, and what of them stays.
import { getEventListeners } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { type CommandOptions, runCommand, summarizeOutput } from '#upsget/command.ts';
import { Failure } from '#upsget/failure.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const given = new Error('given up');

function shell(script: string, options: Partial<CommandOptions> = {}) {
  const { signal } = new AbortController();
  return runCommand('sh', ['-c', script], { input: '', env: process.env, limitMs: 600_000, signal, ...options });
}

test('the input goes in, both outputs and the exit code come out; our own variables do not go along', async () => {
  const env = { ...process.env, UPSGET_PASSWORD: 'Secret-password-4', OTHER: 'kept' };
  const script = `cat; echo "$OTHER"; echo "\${UPSGET_PASSWORD-none}" >&2; exit 3`;
  expect(await shell(script, { input: 'ä\n', env })).toEqual({ code: 3, stdout: 'ä\nkept\n', stderr: 'none\n' });
});

test('a program that does not read ends by its exit code, and of one that never stops only the beginning is read', async () => {
  expect(await shell('exit 7', { input: 'x'.repeat(2_000_000) })).toMatchObject({ code: 7 });
  const much = await shell(`head -c 3000000 /dev/zero | tr '\\0' x`);
  expect(much?.stdout).toBe('x'.repeat(20_000));
});

test('one that is not installed is null, one that cannot be started is a Failure', async () => {
  const { signal } = new AbortController();
  const options = { input: '', env: process.env, limitMs: 600_000, signal };
  expect(await runCommand('upsget-no-such-program', [], options)).toBeNull();
  using folder = temporaryFolder();
  const failed = await runCommand(folder.path, [], options).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(Failure);
  expect(failed).toMatchObject({ message: expect.stringMatching(/ cannot be started: .*EACCES/) });
});

test('none is started once it is given up', async () => {
  using folder = temporaryFolder();
  const mark = path.join(folder.path, 'started');
  await expect(shell(`touch '${mark}'`, { signal: AbortSignal.abort(given) })).rejects.toBe(given);
  expect(existsSync(mark)).toBe(false);
});

test('one that does not hear the first signal is killed', async () => {
  using folder = temporaryFolder();
  const controller = new AbortController();
  const [ready, end] = [path.join(folder.path, 'ready'), path.join(folder.path, 'end')];
  const script = `trap '' TERM; touch '${ready}'; for i in $(seq 100); do sleep 0.1; done; touch '${end}'`;
  const running = shell(script, { signal: controller.signal });
  await expect.poll(() => existsSync(ready)).toBe(true);
  controller.abort(given);
  await expect(running).rejects.toBe(given);
  expect(existsSync(end)).toBe(false);
});

test('one that takes too long is a Failure that names the limit', async () => {
  using folder = temporaryFolder();
  const end = path.join(folder.path, 'end');
  await expect(shell(`sleep 10 >&- 2>&-; touch '${end}'`, { limitMs: 50 })).rejects.toThrow(
    /^sh did not end within 0\.05 s: is the other side silent\?/,
  );
  expect(existsSync(end)).toBe(false);
});

test('nothing listens any more for the end of what has ended, or was never there', async () => {
  using any = vi.spyOn(AbortSignal, 'any');
  const listeners = () => any.mock.results.map(({ value }) => getEventListeners(value as AbortSignal, 'abort').length);
  await shell('exit 0');
  expect(listeners()).toEqual([0]);
  const { signal } = new AbortController();
  await runCommand('upsget-no-such-program', [], { input: '', env: process.env, limitMs: 600_000, signal });
  // Its end follows the event that says that it is not there.
  await expect.poll(listeners).toEqual([0, 0]);
});

test('a summary is the first three lines that say something, and not endless', () => {
  expect(summarizeOutput('\n one \n\ntwo', 'three\nfour')).toBe('one; two; three');
  expect(summarizeOutput('x'.repeat(500))).toBe('x'.repeat(400));
  expect(summarizeOutput('', ' \n')).toBe('it says nothing more');
});

// Log lines on a terminal are read by a person; everywhere else a program reads them, as JSON.
import { expect, test } from 'vitest';
import { runProgram } from '../support/program.ts';

const script = `
  import { createLog } from './src/kernel/process/log.ts';
  const log = createLog('hub', 'info');
  log.info({}, 'started');
  log.warn({ routerId: 'r1', count: 3, what: 'two words', token: 'secret-token', a: { password: 'secret-token', b: { cookie: 'secret-token' } }, err: new Error('no \\u001b[31mcolour') }, 'a poll failed');
  log.error({ err: new TypeError('a bug', { cause: new Error('its cause') }), list: [1, 'x'] }, 'it broke');
  log.debug({}, 'never shown');
`;
const node = ['--input-type=module', '-e', script];

test('on a terminal: time, level, message and fields on one line, a stack only of errors', async () => {
  const command = [process.execPath, ...node].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  const { stdout } = await runProgram(['-qec', command, '/dev/null'], { command: 'script' });
  const lines = stdout.replaceAll('\r', '').trimEnd().split('\n');
  const time = String.raw`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ`;
  expect(lines[0]).toMatch(new RegExp(`${time} info  started$`));
  expect(lines[1]).toMatch(
    new RegExp(
      `${time} warn  a poll failed {2}routerId=r1 count=3 what="two words" token=\\[removed\\] a=.*removed.*removed.* err="no .*colour"$`,
    ),
  );
  expect(lines[2]).toMatch(new RegExp(`${time} error it broke {2}list=\\[1,"x"\\]$`));
  expect(lines[3]).toBe('    TypeError: a bug');
  expect(lines.slice(4).join('\n')).toMatch(/^ {4}\s+at .*caused by: Error: its cause/s);
  expect(stdout).not.toContain('\u001b');
  expect(stdout).not.toMatch(/secret-token|never shown|^\{/m);
});

test('in a pipe: one JSON object a line', async () => {
  const { stderr } = await runProgram(node);
  const lines = stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toMatchObject([
    { level: 30, program: 'hub', msg: 'started' },
    {
      level: 40,
      routerId: 'r1',
      token: '[removed]',
      a: { password: '[removed]', b: { cookie: '[removed]' } },
      msg: 'a poll failed',
      err: { message: 'no \u001b[31mcolour' },
    },
    { level: 50, msg: 'it broke', err: { type: 'TypeError', stack: expect.stringContaining('a bug') } },
  ]);
});

// A log line for a person, from the line for programs.
import { expect, test } from 'vitest';
import { terminalLine } from '#kernel/text/log-line.ts';

const time = Date.UTC(2026, 1, 28, 23, 59, 58, 123);
const line = (fields: object) => terminalLine(JSON.stringify({ time, program: 'hub', ...fields }));

test.each([
  [{ level: 20, msg: 'a' }, 'debug a'],
  [{ level: 30, msg: 'a' }, 'info  a'],
  [{ level: 40, msg: 'a' }, 'warn  a'],
  [{ level: 50, msg: 'a' }, 'error a'],
  [{ level: 60, msg: 'a' }, '60    a'],
  [{ level: 30 }, 'info  '],
  [{ level: 30, msg: 'a', text: 'plain', empty: '', n: 1, no: null }, 'info  a  text=plain empty= n=1 no=null'],
  [{ level: 30, msg: 'a', t: 'two words', e: 'a=b', q: 'a"b' }, 'info  a  t="two words" e="a=b" q="a\\"b"'],
  [{ level: 30, msg: 'a', list: [1, 'x y'], o: { a: 1 } }, 'info  a  list=[1,"x y"] o={"a":1}'],
  [{ level: 40, msg: 'a', err: { message: 'it broke', stack: 'Error: it broke' } }, 'warn  a  err="it broke"'],
  [{ level: 50, msg: 'a', err: 'text' }, 'error a  err=text'],
  [{ level: 50, msg: 'a', err: null }, 'error a  err=null'],
  [{ level: 50, msg: 'a', err: { message: 'm' } }, 'error a  err=m'],
  [{ level: 50, msg: 'a', err: { message: 'm', stack: 5 } }, 'error a  err=m'],
  [
    { level: 50, msg: 'a', err: { stack: 'E: m\n  at b\u001b[2J' }, n: 1 },
    'error a  n=1\n    E: m\n      at b\ufffd[2J',
  ],
  [{ level: 30, msg: 'a\u001b[2Jb\nc', x: '\u0007' }, 'info  a\ufffd[2Jb\ufffdc  x=\ufffd'],
])('%j', (fields, expected) => {
  expect(line(fields)).toBe(`2026-02-28 23:59:58Z ${expected}\n`);
});

test('a line is cut, and so is each line of a stack', () => {
  const long = 'x'.repeat(5000);
  const [first, second, third] = line({ level: 50, msg: long, err: { stack: `${long}\nend` } }).split('\n');
  expect([first?.length, second?.length, third]).toEqual([4000, 4004, '    end']);
});

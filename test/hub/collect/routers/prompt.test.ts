// The prompt is known by its bytes, in whatever encoding, and followed when it changes; what only looks like it is content.
import { describe, expect, test } from 'vitest';
import { encode } from '#simulators/router/terminal/encoding.ts';
import { readBytes } from './captures.ts';
import { createDevice, type Device, open } from './devices.ts';
import { failureOf } from './polls.ts';

const encodings = ['utf-8', 'shift_jis', 'euc-jp'];

/** A device that prints its prompt, and all the rest, each in an encoding; `show …` prints a row. */
function device(prompt: () => Uint8Array): Device {
  return createDevice([prompt()], (typed) =>
    typed === '\r' ? ['\r\n', prompt()] : [typed.replace('\r', '\r\n'), 'row\r\n', prompt()],
  );
}

describe.each(encodings)('a prompt in %s', (spoken) => {
  test.each(['本社ルーター', '(本社) ', '拠点#', 'RTX#1>', 'a>b#', '予約ソ'.repeat(20)])('%s', async (name) => {
    for (const level of ['> ', '#']) {
      const router = device(() => encode(`${name}${level}`, spoken));
      const shell = await open(router);
      for (const label of encodings) {
        shell.decodeAs(label);
        expect(await shell.run('show one')).toEqual({ lines: ['row'], noisy: 0, pages: 0, pressedAgain: 0 });
      }
      expect([shell.hostName, shell.privileged()]).toEqual([name.trim(), level === '#']);
      expect(router.typed).toEqual(['\r', 'show one\r', 'show one\r', 'show one\r']);
    }
  });

  test('the echo behind it is no noise, and a name of more than 80 characters is no prompt', async () => {
    const prompt = encode('本社> ', spoken);
    const router = createDevice([prompt], (typed) =>
      typed === '\r' ? ['\r\n', prompt] : ['\r\n', prompt, `${typed}\r\nrow\r\n`, prompt],
    );
    const shell = await open(router);
    shell.decodeAs('utf-8');
    expect(await shell.run('show one')).toMatchObject({ lines: ['row'], noisy: 0 });
    const long = device(() => encode(`${'本'.repeat(81)}> `, spoken));
    expect((await failureOf(open(long, 2500, 1000))).failure).toBe('no_prompt');
  });
});

describe('a prompt that changes while the connection is open', () => {
  test.each([
    ['a name', 'edge> ', '本社> ', 'utf-8'],
    ['another level', 'edge>', 'edge#', 'utf-8'],
    ['a sign in it', '> ', 'RTX#1>> ', 'utf-8'],
    ['the same name in another character set', encode('本社> ', 'utf-8'), '本社> ', 'shift_jis'],
  ])('%s: Enter is pressed once, and it is the prompt from then on', async (_what, before, after, encoding) => {
    let prompt: Uint8Array = Buffer.from(before);
    const router = device(() => prompt);
    const shell = await open(router);
    await shell.run('show one');
    prompt = encode(after, encoding);
    expect((await shell.run('show two')).lines).toEqual(['row']);
    expect((await shell.run('show three')).lines).toEqual(['row']);
    expect(router.typed).toEqual(['\r', 'show one\r', 'show two\r', '\r', 'show three\r']);
    expect(shell.hostName).toBe(after.replace(/[>#] ?$/, ''));
    expect(shell.privileged()).toBe(after.endsWith('#'));
  });

  test('what looks like one and is content is handed on whole, whatever follows Enter', async () => {
    for (const [stopped, after] of [
      ['uplink>', ' is down\r\nlast\r\n> '],
      ['uplink>', '\r\nlast\r\n> '],
      ['uplink>', '\r\n> '],
      ['# ', '\r\n\r\n# x\r\nlast\r\n> '],
      ['# ', '\r\n# \r\n> '],
      ['# ', '\r\n\r\n> '],
    ] as const) {
      const router = createDevice(['> '], (typed) => {
        const enters = router.typed.filter((one) => one === '\r').length;
        const isLearning = enters === 1 && router.typed.length === 1;
        return typed === '\r' ? [isLearning ? '\r\n> ' : after] : [`${typed.replace('\r', '\r\n')}first\r\n`, stopped];
      });
      const shell = await open(router);
      const { lines } = await shell.run('show one');
      const whole = `first\r\n${stopped}${after}`.split('\r\n').slice(0, -1);
      expect(lines, `${stopped}${after}`).toEqual(whole);
      expect(router.typed).toEqual(['\r', 'show one\r', '\r']);
    }
  });

  test('Enter is pressed once in a command, and never while content that looks like prompts goes on', async () => {
    const content = readBytes('yamaha/hostile/prompt_like_content.txt').toString('utf8');
    const pieces = ['show config\r\n', ...content.split(/(?<=[>#])/), '> '];
    const router = createDevice(['> '], (typed) => (typed === 'show config\r' ? pieces : ['\r\n> ']));
    const shell = await open(router);
    expect((await shell.run('show config')).lines).toEqual(content.trimEnd().split('\r\n'));
    expect(router.typed).toEqual(['\r', 'show config\r']);
    const stuck = createDevice(['edge>'], (typed) =>
      typed === '\r' && stuck.typed.length === 1 ? ['\r\nedge>'] : typed === '\r' ? [] : ['show one\r\nother>'],
    );
    expect((await failureOf((await open(stuck, 1000)).run('show one'))).failure).toBe('timed_out');
    expect(stuck.typed).toEqual(['\r', 'show one\r', '\r']);
  });

  test('the beginning of the known prompt is waited for', async () => {
    const router = device(() => Buffer.from('RTX#1>> '));
    const shell = await open(router);
    const slow = createDevice(['RTX#1>> '], (typed) => {
      if (typed !== '\r') {
        setTimeout(() => slow.send('> '), 600);
      }
      return typed === '\r' ? ['\r\nRTX#1>> '] : [typed.replace('\r', '\r\n'), 'row\r\n', 'RTX#1>'];
    });
    expect((await (await open(slow)).run('show one')).lines).toEqual(['row']);
    expect(slow.typed).toEqual(['\r', 'show one\r']);
    expect((await shell.run('show one')).lines).toEqual(['row']);
  });
});

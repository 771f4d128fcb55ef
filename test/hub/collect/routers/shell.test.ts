// The shell against scripted devices: traps in the banner, prompts in odd places, questions, damage, silence.
import { describe, expect, test } from 'vitest';
import { readBytes } from './captures.ts';
import { createDevice, type Device, open } from './devices.ts';
import { failureOf } from './polls.ts';

/** A device with this prompt, that echoes and answers a few commands. */
function ios(
  answers: Record<string, readonly (string | Uint8Array)[] | 'close'>,
  greeting = ['\r\nedge-rtr1>'],
): Device {
  return createDevice(greeting, (typed) => {
    const command = typed.replace(/\r$/, '');
    return command === '' ? ['\r\nedge-rtr1>'] : (answers[command] ?? [`${command}\r\nedge-rtr1>`]);
  });
}

describe('learning the prompt', () => {
  test('a banner full of traps', async () => {
    const device = ios({}, [readBytes('cisco/hostile/banner_traps.txt').toString('utf8'), 'edge-rtr1>']);
    const shell = await open(device);
    expect(shell.hostName).toBe('edge-rtr1');
    expect(shell.banner).toContain('* Authorised users only >');
    expect(device.typed).toEqual(['\r']);
  });

  test.each([
    ['> ', '', false],
    ['(RTX1210) > ', '(RTX1210)', false],
    ['office rtx>x# ', 'office rtx>x', true],
    ['edge(config)#', 'edge(config)', true],
    ['edge\u202e\u200b1#', 'edge\ufffd1', true],
  ])('%j', async (prompt, hostName, privileged) => {
    const device = createDevice([`RTX1210 Rev.14.01.42\r\n${prompt}`], () => [`\r\n${prompt}`]);
    const shell = await open(device);
    expect([shell.hostName, shell.privileged(), shell.banner]).toEqual([hostName, privileged, 'RTX1210 Rev.14.01.42']);
  });

  test('what a device says is visible text, and a tab in it a blank', async () => {
    const device = ios({ 'show version': ['show version\r\nC841M\u202e\u200b\tis\u2066 up\r\nedge-rtr1>'] });
    await using shell = await open(device);
    expect((await shell.run('show version')).lines).toEqual(['C841M\ufffd is\ufffd up']);
  });

  test('the first empty line is lost', async () => {
    let enters = 0;
    const device = createDevice(['> '], () => {
      enters += 1;
      return enters === 1 ? [] : ['\r\n> '];
    });
    expect((await open(device)).privileged()).toBe(false);
  });

  test('a device that asks for a name gets nothing typed', async () => {
    const device = createDevice(['Username: '], () => []);
    const error = await failureOf(open(device, 2500, 1500));
    expect(error.failure).toBe('no_prompt');
    expect(device.typed).toEqual([]);
  });

  test('a device without a prompt, one that closes, one that refuses', async () => {
    const mute = createDevice(['hello\r\n'], () => []);
    expect((await failureOf(open(mute, 2500, 1500))).failure).toBe('no_prompt');
    const full = createDevice(['CLI session limit reached. Exiting.\r\n'], () => 'close');
    expect((await failureOf(open(full))).failure).toBe('closed_early');
    const restricted = createDevice(['Error: Login access is restricted.\r\n'], () => 'close');
    expect((await failureOf(open(restricted))).failure).toBe('login_restricted');
  });
});

describe('an answer', () => {
  test('at administrator level a comment cut behind its sign is not taken for the prompt', async () => {
    const device = createDevice(['# '], (typed) =>
      typed === 'show config\r' ? ['show config\r\n', '# ', 'Reporting Date\r\nend\r\n# '] : ['\r\n# '],
    );
    expect((await (await open(device)).run('show config')).lines).toEqual(['# Reporting Date', 'end']);
  });

  test('a doubled prompt does not shift the answers', async () => {
    const device = ios({
      'show one': ['show one\r\n1\r\nedge-rtr1>\r\nedge-rtr1>'],
      'show two': ['edge-rtr1>', 'show two\r\n2\r\nedge-rtr1>'],
    });
    const shell = await open(device);
    expect((await shell.run('show one')).lines).toEqual(['1']);
    device.send('\r\nedge-rtr1>');
    expect((await shell.run('show two')).lines).toEqual(['2']);
  });

  test('a log line behind the prompt does not hide it', async () => {
    const device = ios({
      'show x': ['show x\r\n1\r\nedge-rtr1>\r\n*Mar  1 12:00:03.221: %SYS-5-CONFIG_I: Configured\r\n'],
    });
    const { lines } = await (await open(device)).run('show x');
    expect(lines).toEqual(['1', expect.stringContaining('%SYS-5-CONFIG_I')]);
  });

  test('pages are turned with the space bar', async () => {
    const erase = `${'\b'.repeat(9)}${' '.repeat(8)}${'\b'.repeat(9)}`;
    const device = ios({ 'show x': ['show x\r\n1\r\n --More-- '], ' ': [`${erase}2\r\nedge-rtr1>`] });
    const shell = await open(device);
    expect(await shell.run('show x')).toEqual({ lines: ['1', '2'], noisy: 0, pages: 1, pressedAgain: 0 });
    expect(device.typed.filter((text) => text === ' ')).toHaveLength(1);
  });

  test('a key that is lost at the question is pressed once more after two seconds', async () => {
    const erase = `${'\b'.repeat(9)}${' '.repeat(8)}${'\b'.repeat(9)}`;
    let keys = 0;
    const device = createDevice(['edge-rtr1>'], (typed) => {
      keys += typed === ' ' ? 1 : 0;
      if (typed === ' ') {
        // The second key was one too many: it stands behind the prompt.
        return keys === 1 ? [] : [`${erase}2\r\nedge-rtr1>  `];
      }
      return typed === 'show x\r' ? ['show x\r\n1\r\n --More-- '] : ['\r\nedge-rtr1>'];
    });
    await using shell = await open(device, 15_000);
    expect(await shell.run('show x')).toEqual({ lines: ['1', '2'], noisy: 0, pages: 1, pressedAgain: 1 });
    expect((await shell.run('show y')).lines).toEqual([]);
  });

  test('a question that stands after the second key is given up, and the message says what was tried', async () => {
    const device = ios({ 'show x': ['show x\r\n1\r\n --More-- '], ' ': [] });
    const error = await failureOf((await open(device, 4000)).run('show x'));
    expect(error.failure).toBe('paging_stuck');
    expect(error.message).toContain('pressed twice');
    expect(device.typed.filter((text) => text === ' ')).toHaveLength(2);
  });

  test('lines are handed over as they come, damaged ones counted', async () => {
    const device = ios({ 'show x': ['show x\r\n1\r\n\u0007\r\n2\r\nedge-rtr1>'] });
    const seen: string[] = [];
    const output = await (await open(device)).run('show x', { onLine: (line) => seen.push(line) });
    expect(output).toEqual({ lines: [], noisy: 1, pages: 0, pressedAgain: 0 });
    expect(seen).toEqual(['1', '2']);
  });

  test('silence, a stuck pager, a closed channel, a question for a password each have their class', async () => {
    const cases: [string, readonly string[] | 'close', string][] = [
      ['silent', ['silent\r\n1\r\n'], 'timed_out'],
      ['stuck', ['stuck\r\n1\r\n --More-- '], 'paging_stuck'],
      ['closed', 'close', 'cut_off'],
      ['asked', ['asked\r\nPassword: '], 'timed_out'],
    ];
    for (const [command, answer, failure] of cases) {
      const device = ios({ [command]: answer, ' ': [] });
      const shell = await open(device, 1500);
      const error = await failureOf(shell.run(command));
      expect(`${command}: ${error.failure}`).toBe(`${command}: ${failure}`);
      expect((await failureOf(shell.run('show more'))).failure).toBe('cut_off');
    }
  });

  test('a pager that never ends is left', async () => {
    const device = ios({ 'show x': ['show x\r\n --More-- '], ' ': [' --More-- '] });
    expect((await failureOf((await open(device)).run('show x'))).failure).toBe('paging_stuck');
  });

  test('two commands never overlap', async () => {
    const shell = await open(ios({ 'show x': ['show x\r\n1\r\nedge-rtr1>'] }));
    const first = shell.run('show x');
    await expect(shell.run('show y')).rejects.toThrow('still running');
    expect((await first).lines).toEqual(['1']);
  });
});

describe('raising the privilege', () => {
  const level = (answers: Record<string, readonly string[]>) =>
    createDevice(['edge>'], (typed) => answers[typed.replace(/\r$/, '')] ?? ['\r\nedge>']);

  test('the secret is typed once behind the question', async () => {
    const device = level({
      enable: ['enable\r\nPassword: '],
      s3cret: ['\r\nedge#'],
      'show x': ['show x\r\n1\r\nedge#'],
    });
    const shell = await open(device);
    await shell.escalate('enable', 's3cret');
    expect(shell.privileged()).toBe(true);
    expect((await shell.run('show x')).lines).toEqual(['1']);
  });

  test.each([
    ['asked again', ['\r\nPassword: '], true],
    ['denied', ['\r\n% Access denied\r\n\r\nedge>'], false],
  ])('%s', async (_what, answer, isClosed) => {
    const device = level({ enable: ['enable\r\nPassword: '], s3cret: answer, 'show x': ['show x\r\n1\r\nedge>'] });
    const shell = await open(device);
    const error = await failureOf(shell.escalate('enable', 's3cret'));
    expect(error.failure).toBe('escalation_failed');
    expect(JSON.stringify([error.message, error.stack, error.facts])).not.toContain('s3cret');
    expect(device.typed.filter((text) => text.includes('s3cret'))).toHaveLength(1);
    expect(device.typed.at(-1)).toBe('s3cret\r');
    if (isClosed) {
      expect((await failureOf(shell.run('show x'))).failure).toBe('cut_off');
    } else {
      expect((await shell.run('show x')).lines).toEqual(['1']);
    }
  });

  test('no secret set on the router', async () => {
    const device = level({ enable: ['enable\r\n% No password set\r\nedge>'] });
    const error = await failureOf((await open(device)).escalate('enable', 's3cret'));
    expect(error.message).toContain('without asking for the enable secret');
    expect(device.typed.join('')).not.toContain('s3cret');
  });

  test('a user of the highest level gets there without a question', async () => {
    const device = level({ enable: ['enable\r\nedge#'] });
    const shell = await open(device);
    await shell.escalate('enable', 's3cret');
    expect(shell.privileged()).toBe(true);
  });
});

describe('leaving', () => {
  test('goes down level by level and answers the question whether to save with a single N', async () => {
    let level = '#';
    const device = createDevice(['# '], (typed) => {
      if (typed === 'N') {
        return 'close';
      }
      if (typed === 'exit\r' && level === '#') {
        level = '>';
        return ['exit\r\n> '];
      }
      return typed === 'exit\r' ? ['exit\r\n新しい設定を保存しますか? (Y/N)'] : ['\r\n# '];
    });
    await (await open(device))[Symbol.asyncDispose]();
    expect(device.typed).toEqual(['\r', 'exit\r', 'exit\r', 'N']);
  });
});

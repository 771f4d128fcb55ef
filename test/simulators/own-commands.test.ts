// Commands that a user adds to a router: they answer as given, like those of the device, and are no violation.
import { expect, test } from 'vitest';
import { startRouter } from '#simulators/index.ts';
import { openSession } from '../support/router-session.ts';
import { verifies } from '../support/verifies.ts';

const commands = {
  'show inventory': 'NAME: "Chassis", PID: {{model}}\nversion {{version}} of {{hostName}}\n',
  'show slot <number>': 'slot {{1}} is up for {{user}}',
  'show environment': (_: readonly string[], { time }: { time: string }) => `all is well at ${time.slice(0, 4)}`,
  'who is <host>': ([host = '']: readonly string[]) => `${host} is a stranger`,
};

verifies.each('sim.router.own-commands', [{ what: 'vendor_a' }, { what: 'vendor_b' }] as const, async ({ what }) => {
  await using router = await startRouter(what, {
    commands,
    settings: { model: 'M1', version: '7.1', hostName: 'edge', character: 'en.ascii' },
  });
  await using session = await openSession(router, { login: { tryKeyboard: true } });
  /** Without the echo of the line and the prompt. */
  const ask = async (line: string) => (await session.run(line)).split('\r\n').slice(1, -1).join('\n');
  expect(await ask('show inventory')).toBe('NAME: "Chassis", PID: M1\nversion 7.1 of edge');
  expect(await ask('sh inv')).toContain('PID: M1');
  expect(await ask(`show inventory | ${what === 'vendor_a' ? 'grep' : 'include'} version`)).not.toContain('PID');
  expect(await ask('show slot 3')).toBe('slot 3 is up for monitor');
  expect(await ask('show environment')).toMatch(/^all is well at \d{4}$/);
  expect(await ask('who is 192.0.2.1')).toBe('192.0.2.1 is a stranger');
  // What the device knows by itself is as ever.
  expect(await ask('show arp')).toMatch(/00:00:5e|0000\.5e/i);
  expect(router.violations).toEqual([]);
  await session.run('reload');
  expect(router.violations).toMatchObject([{ kind: 'not-read-only', detail: 'reload' }]);
});

test.each([
  [{ 'Show x': '' }, 'the command "Show x" must be words in lower case'],
  [{ 'show  x': '' }, 'one space between'],
  [{ 'show <x>': '{{2}}' }, 'the answer of "show <x>" has {{2}}; there are hostName, model, version, user, time, 1'],
])('%j is refused at the start', async (wrong, sentence) => {
  await expect(startRouter('vendor_b', { commands: wrong })).rejects.toThrow(sentence);
});

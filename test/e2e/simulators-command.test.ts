// `gatehouse sim` as a script uses it: several at once, and a replay that nothing contradicts.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { connectAsync } from 'mqtt';
import { expect, test } from 'vitest';
import { close, listen } from '#kernel/http/listening.ts';
import { commands } from '#simulators/commands.ts';
import { startLab } from '../support/lab.ts';
import { root, runProgram, startProgram } from '../support/program.ts';
import { openSession } from '../support/router-session.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { openUps } from '../support/ups-browser.ts';
import { shownAt } from '../support/ups-lab.ts';
import { verifies } from '../support/verifies.ts';

const main = ['src/main.ts', 'sim'];

async function started(...args: string[]) {
  const program = startProgram([...main, ...args]);
  const [, line = ''] = await program.printed(/^(\{.*\})$/m);
  return {
    program,
    line: JSON.parse(line) as Record<
      'url' | 'control' | 'user' | 'password' | 'enablePassword' | 'tlsUrl' | 'hint',
      string
    >,
  };
}

test('any free port means any free control port: two of a kind run side by side', async () => {
  const one = await started('vendor_b', '--port', '0');
  await using _one = one.program;
  const other = await started('vendor_b', '--port', '0');
  await using _other = other.program;
  expect(new Set([one.line.url, other.line.url, one.line.control, other.line.control]).size).toBe(4);
  one.program.kill('SIGTERM');
  expect(await one.program.ended).toEqual({ code: 0, signal: null });
});

test('a simulated vendor_a tells the NAT descriptor that a hub has to be given, by dialect', async () => {
  for (const [dialect, natDescriptor] of [
    ['rtx1210-ja-sjis', 1000],
    ['rtx830-mape', 2_147_483_647],
  ] as const) {
    const { program, line } = await started('vendor_a', '--port', '0', '--dialect', dialect);
    await using _program = program;
    expect(line).toMatchObject({ dialect, natDescriptor });
  }
});

test('a port in use is one sentence on stderr and exit code 1', async () => {
  const one = await started('vendor_a', '--port', '0');
  await using _one = one.program;
  const port = new URL(one.line.url).port;
  await using second = startProgram([...main, 'vendor_a', '--port', port, '--control-port', '0']);
  expect(await second.ended).toEqual({ code: 1, signal: null });
  expect(second.stderr()).toMatch(new RegExp(`^gatehouse sim: port ${port} of 127.0.0.1 is in use: .*\\n$`));
});

test('a port in use is told with an option that helps: of all kinds together, of the control port', async () => {
  const [first] = commands;
  const taken = createServer();
  // Somebody else may have it already, which is as good.
  const isOurs = await listen(taken, '127.0.0.1', first?.ports.port ?? 0).then(
    () => true,
    () => false,
  );
  const all = await runProgram([...main, 'all']);
  expect(all).toMatchObject({ code: 1, stderr: expect.stringMatching(/is in use: .* with --port 0\n$/) });
  if (isOurs) {
    await close(taken);
  }
  const one = await started('vendor_a', '--port', '0');
  await using _one = one.program;
  const { port } = new URL(one.line.control);
  const second = await runProgram([...main, 'vendor_a', '--port', '0', '--control-port', port]);
  expect(second).toMatchObject({ code: 1, stderr: expect.stringMatching(/is in use: .* with --control-port\n$/) });
});

verifies('sim.router.replay', 'a capture replayed by the command is read whole by a hub', async () => {
  const file = path.join(root, 'fixtures/routers/cisco/synthetic/nat.ios.verbose.txt');
  const { program, line } = await started('vendor_b', '--port', '0', '--replay', file);
  await using _program = program;
  await using lab = await startLab();
  const { port } = new URL(line.url);
  await lab.as.admin.routers.create({
    body: {
      kind: 'vendor_b',
      ip: '127.0.0.1',
      port: Number(port),
      user: line.user,
      pass: line.password,
      enablePass: line.enablePassword,
    },
  });
  await lab.settled();
  expect((await lab.as.admin.routers.list({})).routers).toMatchObject([
    { state: 'ready', complete: true, sessionCount: 24 },
  ]);
});

verifies('sim.ups.control', 'gatehouse sim ups tells where it is, speaks the language, and ends cleanly', async () => {
  const { program, line } = await started('ups', '--port', '0', '--locale', 'ja', '--model', 'smart', '--seed', '0');
  await using _program = program;
  expect(line).toMatchObject({ simulator: 'ups', user: 'operator', locale: 'ja', model: 'smart', seed: 0 });
  await using browser = openUps(new URL(line.url));
  const { text } = await browser.logOn(line);
  expect(shownAt(text, 'value_DeviceStatus')).toBe('オンライン');
  const state = (await (await fetch(new URL('/state', line.control))).json()) as Record<string, unknown>;
  expect(state).toMatchObject({ locale: 'ja', loggedOn: 1, requests: 4 });
  program.kill('SIGTERM');
  expect(await program.ended).toEqual({ code: 0, signal: null });
  expect(program.stderr()).toContain('ups login number=3 session=1\n');
  expect(program.stderr()).not.toContain(line.password);
});

test('--help of one kind tells its options and no others', async () => {
  const { code, stdout } = await runProgram([...main, 'ups', '--help']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Usage: gatehouse sim ups[\s\S]*ups 6547[\s\S]*--locale/);
  expect(stdout).not.toContain('--replay-mode');
});

test('ups says that it is a hard target without --seed, and which one is the plain one', async () => {
  const { stdout } = await runProgram([...main, 'ups', '--help']);
  expect(stdout).toMatch(/hard\s+target on purpose[\s\S]*--seed 0 is the plain one/);
  const hard = await started('ups', '--port', '0');
  await using _hard = hard.program;
  expect(hard.line).toMatchObject({
    seed: expect.any(Number),
    hint: expect.stringContaining('--seed 0 is the plain one'),
  });
  const plain = await started('ups', '--port', '0', '--seed', '0');
  await using _plain = plain.program;
  expect(plain.line).not.toHaveProperty('hint');
});

test('a router that does not speak UTF-8 says what to type by hand, and which dialect needs nothing', async () => {
  const japanese = await started('vendor_a', '--port', '0');
  await using _japanese = japanese.program;
  const { hint } = japanese.line;
  expect(hint).toMatch(/^characters are in ja\.sjis: /);
  const [, command = ''] = /type: (console character ja\.utf8)/.exec(hint) ?? [];
  const [, dialect = ''] = /--dialect (\S+)/.exec(hint) ?? [];
  const { url, user, password } = japanese.line;
  await using session = await openSession({ url: new URL(url), credentials: { user, password } });
  expect(await session.run('show arp')).not.toContain('カウント数');
  await session.run(command);
  expect(await session.run('show arp')).toContain('カウント数');
  const english = await started('vendor_a', '--port', '0', '--dialect', dialect);
  await using _english = english.program;
  expect(english.line).not.toHaveProperty('hint');
});

verifies('sim.mqtt.control', 'gatehouse sim mqtt writes its CA, serves both ports, and ends cleanly', async () => {
  using folder = temporaryFolder();
  const ca = path.join(folder.path, 'ca.pem');
  const { program, line } = await started(
    'mqtt',
    '--port',
    '0',
    '--ca-file',
    ca,
    '--mqtt-user',
    'ha',
    '--mqtt-password',
    'p',
  );
  await using _program = program;
  for (const url of [line.url, line.tlsUrl]) {
    const client = await connectAsync(url, { username: 'ha', password: 'p', ca: readFileSync(ca), reconnectPeriod: 0 });
    await client.publishAsync('a', 'b', { qos: 1 });
    await client.endAsync();
  }
  const { messages } = (await (await fetch(new URL('/messages', line.control))).json()) as { messages: unknown[] };
  expect(messages).toHaveLength(2);
  program.kill('SIGTERM');
  expect(await program.ended).toEqual({ code: 0, signal: null });
});

verifies('sim.trapper.control', 'gatehouse sim trapper listens, and ends cleanly', async () => {
  const { program, line } = await started('trapper', '--port', '0', '--known-host', 'ups1');
  await using _program = program;
  const state = (await (await fetch(new URL('/state', line.control))).json()) as Record<string, unknown>;
  expect(state).toMatchObject({ url: line.url, known: { ups1: expect.arrayContaining(['ups.load']) } });
  program.kill('SIGTERM');
  expect(await program.ended).toEqual({ code: 0, signal: null });
});

// `gatehouse capture` as a user runs it: a router is captured, the capture is looked at, and a simulator plays it.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readBundle } from '#capture/read-bundle.ts';
import { startRouter } from '#simulators/router/start.ts';
import { runProgram, startProgram } from '../support/program.ts';
import { openSession } from '../support/router-session.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const main = ['src/main.ts', 'capture'];

test('a capture is taken, checked, played, and holds no secret and no original', async () => {
  using folder = temporaryFolder();
  await using router = await startRouter('vendor_b', { sessions: 30 });
  const out = path.join(folder.path, 'bundle');
  const { user, password, enable } = router.credentials;
  const target = ['vendor_b', '127.0.0.1', '--port', router.url.port, '--user', user, '--out', out];
  const env = { CAPTURE_PASSWORD: password, CAPTURE_ENABLE_PASSWORD: enable ?? '' };
  const taken = await runProgram([...main, ...target, '--show', '--host-key', router.hostKey], { env });
  expect(taken).toMatchObject({ code: 0, stdout: expect.stringContaining('a scan of the files found none of them') });
  expect(taken.stderr).toContain('show ip nat translations verbose\n');
  expect(taken.stdout).toContain('address 192.168.100.254 -> 192.168.');
  expect(router.violations).toEqual([]);
  const text = readdirSync(out)
    .map((name) => readFileSync(path.join(out, name), 'latin1'))
    .join('\n');
  for (const secret of [password, enable ?? '', router.settings.hostName, router.settings.wanAddress]) {
    expect(text).not.toContain(secret);
  }

  const checked = await runProgram([...main, 'check', out]);
  const sessions = Number(/(\d+) sessions/.exec(taken.stdout)?.[1]);
  expect(checked.stdout).toContain(`sessions: ${sessions}\n`);
  expect(checked.stdout.match(/^ {2}(?:TCP|UDP|ICMP|ESP|GRE) \d/gm)).toHaveLength(sessions);
  expect(checked.stdout).toContain('The table is complete');

  await using simulator = startProgram(['src/main.ts', 'sim', 'vendor_b', '--port', '0', '--capture', out]);
  const [, line = ''] = await simulator.printed(/^(\{.*\})$/m);
  const started = JSON.parse(line);
  expect(started).toMatchObject({ capture: out });
  expect(started).not.toHaveProperty('dialect');
  await using session = await openSession(
    { url: new URL(started.url), credentials: started },
    { login: { tryKeyboard: true } },
  );
  expect(await session.run('show ip arp')).toContain(
    readFileSync(path.join(out, '09-show-ip-arp.txt'), 'latin1').trim(),
  );
  expect(await session.run('show interfaces')).toContain('% Invalid input detected');

  const fixture = path.join(folder.path, 'fixture');
  expect(await runProgram([...main, 'to-fixture', out, '--out', fixture, '--name', 'nat.field'])).toMatchObject({
    code: 0,
  });
  expect(readdirSync(fixture)).toEqual(['nat.field.expected.json', 'nat.field.txt']);
  const wrongKind = await runProgram(['src/main.ts', 'sim', 'vendor_a', '--port', '0', '--capture', out]);
  expect(wrongKind).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('is a capture of vendor_b') });

  const twoTables = ['src/main.ts', 'sim', 'vendor_b', '--port', '0', '--capture', out, '--sessions', '5'];
  expect(await runProgram(twoTables)).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('--capture has its own table and dialect: leave out --sessions'),
  });

  router.fail('truncated', { command: 'show ip arp', afterBytes: 40, value: 'close' });
  const half = path.join(folder.path, 'half');
  expect(await runProgram([...main, ...target.slice(0, -1), half], { env })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      `${half} holds what came until then: send it, or remove it and take the capture again`,
    ),
  });
  expect(readBundle(half).index).toMatchObject({
    failure: 'cut_off',
    missing: ['show ip arp', 'show ipv6 neighbors', 'show ip dhcp binding'],
  });

  const again = await runProgram([...main, ...target], { env });
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('is there already') });
});

test('a wrong password, another host key and a folder that cannot be made leave nothing', async () => {
  using folder = temporaryFolder();
  await using router = await startRouter('vendor_a', { sessions: 3 });
  const out = path.join(folder.path, 'bundle');
  const target = ['vendor_a', '127.0.0.1', '--port', router.url.port, '--user', 'monitor', '--out', out];
  const cases: readonly [string[], string, RegExp][] = [
    [[], 'wrong', /refused the user name or password\. .* check --user and the password/],
    [
      ['--host-key', 'f'.repeat(64)],
      router.credentials.password,
      /is not the one it had before: .* For this command: pass the presented key with --host-key/,
    ],
    [
      ['--out', path.join(main[0] ?? '', 'inside')],
      router.credentials.password,
      /inside cannot be made \(ENOTDIR\): name/,
    ],
    [['--host-key', 'MD5:1'], router.credentials.password, /--host-key must be the SHA-256/],
  ];
  for (const [more, password, message] of cases) {
    const ended = await runProgram([...main, ...target, ...more], { env: { CAPTURE_PASSWORD: password } });
    expect(ended).toMatchObject({
      code: expect.toSatisfy((code) => code !== 0),
      stderr: expect.stringMatching(message),
    });
    expect(existsSync(out)).toBe(false);
  }
  expect(router.commands).toEqual([]);
  expect(await runProgram([...main, ...target])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('CAPTURE_PASSWORD'),
  });
});

test('at a terminal the passwords are asked for and not shown, and a no types nothing', async () => {
  using folder = temporaryFolder();
  await using router = await startRouter('vendor_b', { sessions: 3 });
  const { user, password, enable } = router.credentials;
  const out = path.join(folder.path, 'bundle');
  const command = `'${process.execPath}' ${main.join(' ')} vendor_b 127.0.0.1 --port ${router.url.port} --user ${user} --out '${out}'`;
  const answer = async (...steps: readonly (readonly [question: RegExp, typed: string])[]) => {
    await using terminal = startProgram(['-qec', command, '/dev/null'], { command: 'script', stdin: true });
    for (const [question, typed] of steps) {
      await terminal.printed(question);
      terminal.type(`${typed}\r`);
    }
    return { ...(await terminal.ended), shown: terminal.stdout() };
  };
  const refused = await answer([/Go on\? \[y\/N\]/, '']);
  expect(refused).toMatchObject({ code: 1, shown: expect.stringContaining('nothing was typed on the router') });
  expect([existsSync(out), router.commands]).toEqual([false, []]);
  const taken = await answer([/Go on\?/, 'y'], [/Password: /, password], [/Enable password .*: /, enable ?? '']);
  expect(taken).toMatchObject({ code: 0, shown: expect.stringContaining('a scan of the files found none of them') });
  expect(taken.shown).not.toMatch(new RegExp(`${password}|${enable}`));
  expect(readBundle(out).index.exchanges.map(({ command }) => command)).toContain('enable');
});

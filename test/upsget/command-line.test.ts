// The command line of upsget: where credentials come from, what is refused before any connection, exit codes.
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageVersion } from '#kernel/process/version.ts';
import { startUpsLab } from '../support/ups-lab.ts';
import { listRequests, newHome, runUpsget, startUpsget, waitForRequests } from '../support/upsget.ts';
import { verifies } from '../support/verifies.ts';

/** A home folder with this configuration file, readable for its owner alone. */
function homeWith(text: string, name = '.upsget.conf'): string {
  const home = newHome();
  writeFileSync(path.join(home, name), text, { mode: 0o600 });
  return home;
}

const oneError = (pattern: string) => expect.stringMatching(new RegExp(`^Error: [^\n]*${pattern}[^\n]*\n$`));

describe('credentials', () => {
  verifies(
    'ups.credentials.arguments-first ups.credentials.environment-second ups.credentials.file-third',
    'each of the three comes from the arguments, else the environment, else the file',
    async () => {
      await using lab = await startUpsLab();
      const { user, password } = lab.ups.credentials;
      const ip = lab.ups.url.host;
      const wrong = { ip: '192.0.2.1', username: 'nobody', password: 'Wrong-password-1' };
      const file = (keys: Record<string, string>) =>
        homeWith(
          `[ups]\n${Object.entries(keys)
            .map(([key, value]) => `${key} = ${value}\n`)
            .join('')}`,
        );
      const runs = [
        { args: [ip, user, password], env: wrong, home: file(wrong) },
        { args: [ip, user], env: { password }, home: file(wrong) },
        { args: [ip], env: { username: user, password }, home: file(wrong) },
        { args: [], env: { ip, username: user }, home: file({ ...wrong, password }) },
        { args: [], env: {}, home: file({ ip, username: user, password }) },
        { args: ['', '', ''], env: { ip: '' }, home: file({ ip, username: user, password }) },
      ];
      for (const { args, env, home } of runs) {
        const variables = Object.fromEntries(
          Object.entries(env).map(([name, value]) => [`UPSGET_${name.toUpperCase()}`, value]),
        );
        expect
          .soft(await runUpsget(args, { env: variables, home }))
          .toMatchObject({ code: 0, stdout: '19.0\n', stderr: '' });
      }
    },
  );

  verifies('ups.arg.positional', 'three are required; each may come from environment or file instead', async () => {
    await using lab = await startUpsLab();
    const { user, password } = lab.ups.credentials;
    const given = [lab.ups.url.host, user, password];
    expect(await runUpsget(given)).toMatchObject({ code: 0, stdout: '19.0\n' });
    for (const [at, name] of ['ip', 'username', 'password'].entries()) {
      const args = given.with(at, '');
      const value = given[at] ?? '';
      const missing = await runUpsget(args);
      expect([name, missing]).toMatchObject([name, { code: 1, stderr: oneError(`not specified: ${name} missing`) }]);
      const env = { [`UPSGET_${name.toUpperCase()}`]: value };
      const home = homeWith(`[ups]\n${name} = ${value}\n`);
      expect([name, await runUpsget(args, { env })]).toMatchObject([name, { code: 0 }]);
      expect([name, await runUpsget(args, { home })]).toMatchObject([name, { code: 0 }]);
    }
    expect(listRequests(lab.ups).filter((line) => line === 'POST /j_security_check')).toHaveLength(7);
  });

  verifies('ups.option.config', '--config names another file than the one in the home folder', async () => {
    await using lab = await startUpsLab();
    const { user, password } = lab.ups.credentials;
    const usual = homeWith(`[ups]\nip = ${lab.ups.url.host}\nusername = ${user}\npassword = ${password}\n`);
    expect(await runUpsget([], { home: usual })).toMatchObject({ code: 0, stdout: '19.0\n' });
    const home = homeWith(
      `\ufeff[ups]\r\nip: ${lab.ups.url.host}\r\nUserName=${user}\r\npassword = ${password}\r\n`,
      'other',
    );
    expect(await runUpsget(['--config', path.join(home, 'other')], { home })).toMatchObject({
      code: 0,
      stdout: '19.0\n',
    });
    const missing = await runUpsget(['--config', path.join(home, 'none')], { home });
    expect(missing).toMatchObject({ code: 1, stderr: oneError('none \\(which does not exist\\)') });
  });

  test('a password may hold what other grammars take for their own', async () => {
    for (const password of ['100%(x)s%', 'a#b ;c', '"quoted"', 'ä=ö:ü&+ ß']) {
      await using lab = await startUpsLab({ settings: { password } });
      const home = homeWith(
        `[ups]\nip = ${lab.ups.url.host}\nusername = ${lab.ups.credentials.user}\npassword = ${password}\n`,
      );
      expect.soft(await runUpsget([], { home })).toMatchObject({ code: 0, stdout: '19.0\n' });
      expect.soft(await runUpsget([], { ups: lab.ups })).toMatchObject({ code: 0, stdout: '19.0\n' });
    }
  });

  verifies('ups.error.no-credentials', 'what is missing is named, with the three ways to give it', async () => {
    expect(await runUpsget([])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: oneError('credentials not specified: ip, username, password'),
    });
    expect(await runUpsget(['192.0.2.1', 'operator'])).toMatchObject({
      code: 1,
      stderr: oneError(
        'credentials not specified: password missing; .*UPSGET_PASSWORD.*\\.upsget\\.conf \\(which does not exist\\)',
      ),
    });
  });

  test('a mistake in the file is named with its line, when the file is needed', async () => {
    const home = homeWith('[ups]\nip = 192.0.2.1\nusername operator\n');
    expect(await runUpsget([], { home })).toMatchObject({ code: 1, stderr: oneError('\\.upsget\\.conf:3: ') });
    await using lab = await startUpsLab();
    expect(await runUpsget([], { ups: lab.ups, home })).toMatchObject({ code: 0, stderr: '' });
  });

  test('a file with a password that others can read is warned of', async () => {
    await using lab = await startUpsLab();
    const home = homeWith(
      `[ups]\nusername = ${lab.ups.credentials.user}\npassword = ${lab.ups.credentials.password}\n`,
    );
    chmodSync(path.join(home, '.upsget.conf'), 0o644);
    const { code, stderr } = await runUpsget([lab.ups.url.host], { home });
    expect(code).toBe(0);
    expect(stderr).toMatch(/^Warning: .*others can read it; chmod 600 .*\n$/);
  });
});

verifies('ups.error.bad-address', 'an address that is none is refused before any connection', async () => {
  for (const host of ['a b', '192.0.2.256', 'ups;id', 'ups\n', 'http://192.0.2.1', '-', 'ups:99999', '[::1']) {
    expect
      .soft(await runUpsget(['--', host, 'u', 'p']))
      .toMatchObject({ code: 1, stdout: '', stderr: oneError('is not a valid IP address or host name') });
  }
  await using lab = await startUpsLab();
  for (const [option, value] of [
    ['--mqtt-send', 'a b'],
    ['--mqtt-send', 'broker:1883'],
    ['--trapper-send', '$(id)'],
    ['--trapper-send', '-x;y'],
  ]) {
    expect
      .soft(await runUpsget([`${option}=${value}`], { ups: lab.ups }))
      .toMatchObject({ code: 1, stderr: oneError(`${option}`) });
  }
  const ipv6 = await runUpsget(['--trapper-send', '127.0.0.1', '::1', 'u', 'p']);
  expect(ipv6).toMatchObject({
    code: 1,
    stderr: oneError('"::1" cannot be the host name of trapper items; .*--trapper-host'),
  });
  expect(listRequests(lab.ups)).toEqual([]);
});

test.each([
  [['--colour'], "Unknown option '--colour'"],
  [['--volt'], "Unknown option '--volt'"],
  [['--json=yes'], '--json'],
  [['--mqtt-port', 'abc', '--mqtt-send', 'b'], '--mqtt-port takes a whole number from 1 to 65535, not "abc"'],
  [['--trapper-port', '70000'], '--trapper-port takes'],
  [['--mqtt-topic', 'ups/#', '--mqtt-send', 'b'], '--mqtt-topic'],
  [['--mqtt-topic', '', '--mqtt-send', 'b'], '--mqtt-topic'],
  [['--mqtt-send', ''], '--mqtt-send is empty'],
  [['--retain'], '--retain belongs to --mqtt-send'],
  [['--qos', '3'], '--qos takes a whole number from 0 to 2'],
  [['--timeout', '31'], '--timeout takes a whole number from 1 to 30'],
  [['--watch', '0'], '--watch takes'],
  [['--tls-fingerprint', 'abc'], '--tls-fingerprint takes a SHA-256'],
  [['--json', '--nut'], '--json and --nut exclude each other'],
  [['a', 'b', 'c', 'Secret-password-4'], 'there are 4 arguments'],
  [['--config'], '--config'],
])('%j is a mistake: one line that names it, exit code 2', async (args, says) => {
  const { code, stdout, stderr } = await runUpsget(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^Error: [^\n]+ \(see --help\)\n$/);
  expect(stderr).toContain(says);
  expect(stderr).not.toContain('Secret-password-4');
});

verifies('ups.option.help', '--help prints every option to stdout', async () => {
  const { code, stdout, stderr } = await runUpsget(['--help']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const source = readFileSync('src/upsget/options.ts', 'utf8');
  const known = /const known = \{([\s\S]*?)\n\} as const/.exec(source)?.[1] ?? '';
  const options = [...known.matchAll(/^ {2}'?([a-z-]+)'?:/gm)].map(([, name]) => `--${name}`);
  expect(options.length).toBeGreaterThan(25);
  for (const option of [...options, '--status', '--load', '--runtime', '--voltage', '--battery', '--batteryvoltage']) {
    expect.soft(stdout).toMatch(new RegExp(`${option}(?![a-z-])`));
  }
  expect(stdout.split('\n').filter((line) => line.length > 120)).toEqual([]);
  expect((await runUpsget(['-h', '--colour'])).code).toBe(2);
  expect(await runUpsget(['--version'])).toMatchObject({ code: 0, stdout: `${packageVersion()}\n` });
});

verifies('ups.run.https-6547', 'port 6547 is taken when the address names none; HTTPS is spoken', async () => {
  // Any address of 127/8 is this computer, so that this port is free on one of them.
  await using lab = await startUpsLab({ host: '127.0.65.47', port: 6547 });
  const { user, password } = lab.ups.credentials;
  expect(await runUpsget(['127.0.65.47', user, password])).toMatchObject({ code: 0, stdout: '19.0\n' });
});

test('options may stand between the arguments, and a password may begin with a dash behind --', async () => {
  await using lab = await startUpsLab({ settings: { password: '-Dash-password-1' } });
  const { user, password } = lab.ups.credentials;
  expect(await runUpsget([lab.ups.url.host, '--status', '--', user, password])).toMatchObject({
    code: 0,
    stdout: 'On Line\n',
  });
});

test('the arguments are not in the process list while the program reads', async () => {
  await using lab = await startUpsLab();
  lab.ups.fail('hang', { command: '/status' });
  await using program = startUpsget([], { ups: lab.ups });
  await waitForRequests(lab.ups, 1);
  expect(readFileSync(`/proc/${program.pid}/cmdline`, 'utf8').replaceAll('\0', '')).toBe('upsget');
  program.kill('SIGTERM');
  expect((await program.ended).code).toBe(143);
});

test('a reader that closes stdout is reported, and the UPS is cleaned up', async () => {
  await using lab = await startUpsLab({ settings: { locale: 'ja' } });
  const { user, password } = lab.ups.credentials;
  const { spawn } = await import('node:child_process');
  const child = spawn(process.execPath, ['bin/upsget.js', lab.ups.url.host, user, password], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, HOME: newHome() },
  });
  child.stdout.destroy();
  let stderr = '';
  child.stderr.on('data', (part: Buffer) => {
    stderr += part;
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect(code).toBe(1);
  expect(stderr).toMatch(/^Error: the values could not be printed/);
  expect(lab.ups.state()).toMatchObject({ loggedOn: 0, locale: 'ja' });
});

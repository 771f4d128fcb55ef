// The stock OpenSSH client works in the simulated routers by hand: log in, page, escalate, read the tables.
import { spawn, spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { childEnv } from '#kernel/process/env.ts';
import type { RouterSimulator } from '#simulators/router/router.ts';
import { startRouter } from '#simulators/router/start.ts';
import { makeFolder } from '../support/temporary-folder.ts';
import { verifies } from '../support/verifies.ts';

const installed = spawnSync('ssh', ['-V']).error === undefined;

if (!installed && childEnv().REQUIRE_REAL !== '1') {
  test('OpenSSH client', (context) =>
    context.skip('ssh is not installed: apt-get install openssh-client (REQUIRE_REAL=1 makes this a failure)'));
} else {
  describe('the OpenSSH client', workByHand);
}

interface Person extends AsyncDisposable {
  type(text: string): void;
  /** Waits until the screen ends like this; returns what came since the last `type`. */
  sees(pattern: RegExp): Promise<string>;
  readonly left: Promise<number | null>;
}

function workByHand(): void {
  verifies(
    'sim.router.real-ssh',
    'logs in to vendor_a, pages its NAT table, becomes administrator, leaves',
    async () => {
      await using router = await startRouter('vendor_a', { sessions: 30, settings: { character: 'ja.utf8' } });
      await using person = sit(router, ['-tt']);
      await person.sees(/\n> $/);
      person.type('show nat descriptor address 1000 detail\r');
      const first = await person.sees(/---つづく---$/);
      person.type(' ');
      const rest = await person.sees(/> $/);
      expect(`${first}${rest}`.match(/198\.18\.0\./g)).toHaveLength(30);
      person.type('show arp\r');
      expect(await person.sees(/> $/)).toMatch(/192\.168\.100\.2 .*00:00:5e:00:53:00/);
      person.type('administrator\r');
      await person.sees(/Password: $/);
      person.type(`${router.credentials.enable}\r`);
      expect(await person.sees(/# $/)).not.toContain(router.credentials.enable);
      person.type('exit\r');
      await person.sees(/> $/);
      person.type('exit\r');
      expect(await person.left).toBe(0);
      expect(router.violations).toEqual([]);
    },
  );

  verifies('sim.router.real-ssh', 'logs in to vendor_b, enables, pages and unpages its NAT table, leaves', async () => {
    await using router = await startRouter('vendor_b', { sessions: 40 });
    await using person = sit(router, ['-tt']);
    await person.sees(/edge-rtr1>$/);
    person.type('enable\r');
    await person.sees(/Password: $/);
    person.type(`${router.credentials.enable}\r`);
    await person.sees(/edge-rtr1#$/);
    person.type('show ip nat translations\r');
    await person.sees(/ --More-- $/);
    person.type('q');
    await person.sees(/edge-rtr1#$/);
    person.type('terminal length 0\r');
    await person.sees(/edge-rtr1#$/);
    person.type('show ip nat translations verbose\r');
    expect((await person.sees(/edge-rtr1#$/)).match(/entry-id/g)?.length).toBeGreaterThanOrEqual(40);
    person.type('exit\r');
    expect(await person.left).toBe(0);
    expect(router.violations).toEqual([]);
  });

  verifies('sim.router.exec-refused', 'is refused a command without a shell', async () => {
    await using router = await startRouter('vendor_b');
    await using person = sit(router, [], 'show version');
    expect(await person.left).toBe(255);
    expect(await person.sees(/./)).toMatch(/exec request failed on channel 0/);
  });

  verifies('sim.router.real-ssh', 'reaches old firmware only with the old algorithms switched on', async () => {
    await using router = await startRouter('vendor_b', { dialect: 'ios12-legacy' });
    await using refused = sit(router, ['-tt']);
    expect(await refused.left).toBe(255);
    expect(await refused.sees(/./)).toMatch(/no matching key exchange method found/);
    const old = ['KexAlgorithms=+diffie-hellman-group14-sha1', 'HostKeyAlgorithms=+ssh-rsa', 'Ciphers=+aes128-cbc'];
    await using person = sit(router, ['-tt', ...['RequiredRSASize=1024', ...old].flatMap((one) => ['-o', one])]);
    await person.sees(/edge-rtr1>$/);
  });
}

/** Sits down at an ssh client that is asked for its password by a script. */
function sit(router: RouterSimulator, options: readonly string[], command?: string): Person {
  const folder = makeFolder('openssh');
  const askpass = path.join(folder, 'askpass');
  writeFileSync(askpass, `#!/bin/sh\nprintf '%s\\n' '${router.credentials.password}'\n`, { mode: 0o700 });
  const fixed = [
    'StrictHostKeyChecking=no',
    'UserKnownHostsFile=/dev/null',

    'PubkeyAuthentication=no',
  ];
  const child = spawn(
    'ssh',
    [
      ...['-F', 'none', '-p', router.url.port],
      ...fixed.flatMap((one) => ['-o', one]),
      ...options,
      `${router.credentials.user}@127.0.0.1`,
      ...(command === undefined ? [] : [command]),
    ],
    { env: childEnv({ SSH_ASKPASS: askpass, SSH_ASKPASS_REQUIRE: 'force', DISPLAY: ':0' }) },
  );
  let screen = '';
  let check = () => {};
  let open = true;
  const show = (bytes: Buffer) => {
    screen += bytes.toString();
    check();
  };
  child.stdout.on('data', show);
  child.stderr.on('data', show);
  const left = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      open = false;
      rmSync(folder, { recursive: true });
      check();
      resolve(code);
    });
  });
  return {
    left,
    type(text) {
      screen = '';
      child.stdin.write(text);
    },
    sees: (pattern) =>
      new Promise((resolve, reject) => {
        check = () => {
          if (pattern.test(screen)) {
            check = () => {};
            resolve(screen);
          } else if (!open) {
            reject(new Error(`ssh ended before ${pattern} came; the screen was ${JSON.stringify(screen)}`));
          }
        };
        check();
      }),
    async [Symbol.asyncDispose]() {
      child.kill();
      await left;
    },
  };
}

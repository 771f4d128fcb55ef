// Each fault of the simulated routers shows, seen by a real SSH client.
import { connect as connectTcp } from 'node:net';
import type ssh2 from 'ssh2';
import { describe, expect, test } from 'vitest';
import { systemClock } from '#kernel/time/clock.ts';
import type { RouterFault } from '#simulators/router/faults.ts';
import type { RouterKind } from '#simulators/router/model.ts';
import type { RouterSimulator } from '#simulators/router/router.ts';
import { type RouterOptions, startRouter } from '#simulators/router/start.ts';
import type { FaultOptions } from '#simulators/support/simulator.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { kinds, otherFaults, rows, startUnpaged, table } from '../support/router-faults.ts';
import { connect, loginTo, openSession, promptPattern, type RouterSession } from '../support/router-session.ts';
import { verifies } from '../support/verifies.ts';

const sessions = 60;
const start = (kind: RouterKind, extra: Partial<RouterOptions> = {}) => startUnpaged(kind, { sessions, ...extra });

async function openUnpaged(router: RouterSimulator): Promise<RouterSession> {
  const session = await openSession(router);
  if (router.kind === 'vendor_b') {
    await session.run('terminal length 0');
  }
  return session;
}

const shown = new Set<RouterFault>();

/** A test of one fault; the last test asks that each has one. */
function fault(name: RouterFault, what: string, body: () => Promise<void>): void {
  shown.add(name);
  verifies('sim.router.faults', `${name}: ${what}`, body);
}

const failureOf = (router: RouterSimulator, extra: Partial<ssh2.ConnectConfig> = {}) =>
  connect(loginTo(router, extra)).then(
    (client) => {
      client.end();
      return 'logged in';
    },
    (error: Error) => error.message,
  );

describe.each(kinds)('%s: a connection', (kind) => {
  const cases: readonly [RouterFault, RegExp, FaultOptions?, Partial<ssh2.ConnectConfig>?][] = [
    ['login-refused', /All configured authentication methods failed/],
    ['publickey-only', /All configured authentication methods failed/],
    ['keyboard-interactive-only', /All configured authentication methods failed/],
    ['no-common-algorithm', /no matching key exchange algorithm/],
    ['sessions-full', /Connection lost before handshake|ECONNRESET/],
    ['sessions-full', /ECONNRESET/, { value: 'reset' }],
    ['closed-early', /Connection lost before handshake|ECONNRESET/],
    ['hang', /Timed out while waiting for handshake/, {}, { readyTimeout: 300 }],
    ['not-ssh', /Connection lost before handshake|ECONNRESET/],
  ];
  for (const [name, message, options, login] of cases) {
    fault(name, `${JSON.stringify(options ?? {})} refuses once, then the next one gets in`, async () => {
      await using router = await startRouter(kind, { methods: ['password'] });
      router.fail(name, { ...options, times: 1 });
      expect(await failureOf(router, login)).toMatch(message);
      expect(await failureOf(router)).toBe('logged in');
    });
  }

  fault('not-ssh', 'answers in HTTP', async () => {
    await using router = await startRouter(kind);
    router.fail('not-ssh');
    const socket = connectTcp(Number(router.url.port), '127.0.0.1');
    socket.write('SSH-2.0-client\r\n');
    expect(String(await new Promise((resolve) => socket.once('data', resolve)))).toMatch(/^HTTP\/1\.1 400/);
  });

  fault('keyboard-interactive-only', 'lets a client in that can answer', async () => {
    await using router = await startRouter(kind);
    router.fail('keyboard-interactive-only');
    expect(await failureOf(router, { tryKeyboard: true })).toBe('logged in');
  });

  fault('host-key-changed', 'shows a new key, and the old one after clearing', async () => {
    await using router = await startRouter(kind);
    const before = router.hostKey;
    const seen = async () => {
      let key = '';
      const hostVerifier = (hash: string) => {
        key = hash;
        return true;
      };
      await failureOf(router, { hostHash: 'sha256', hostVerifier });
      return key;
    };
    expect(await seen()).toBe(before);
    router.fail('host-key-changed');
    expect(await seen()).not.toBe(before);
    router.clearFaults();
    expect(await seen()).toBe(before);
  });

  fault('login-restricted', 'says so after the login and closes', async () => {
    await using router = await startRouter(kind);
    router.fail('login-restricted', { times: 1 });
    await using session = await openSession(router, { awaitPrompt: false });
    await session.closed;
    expect(session.text()).toBe('Error: Login access is restricted.\r\n');
  });

  fault('echo-off', 'nothing typed comes back', async () => {
    await using router = await start(kind);
    router.fail('echo-off');
    await using session = await openUnpaged(router);
    expect(await session.run(table[kind])).not.toContain(table[kind]);
  });

  fault('prompt-like-content', 'traps in the banner and in host names', async () => {
    await using router = await start(kind);
    router.fail('prompt-like-content');
    await using session = await openSession(router, { awaitPrompt: false });
    const banner = await session.until(/helpdesk[^>]*[>#] ?$/);
    expect(banner).toMatch(/Authorised users only >/);
    expect(banner).toMatch(/Password: /);
    if (kind === 'vendor_a') {
      expect(await session.run('show status dhcp')).toMatch(/Host Name: printer>/);
    }
  });
});

describe.each(kinds)('%s: the output of a table', (kind) => {
  const readWith = async (name: RouterFault, options: FaultOptions = {}, act?: (session: RouterSession) => void) => {
    const router = await start(kind);
    const session = await openUnpaged(router);
    router.fail(name, options);
    session.type(`${table[kind]}\r`);
    act?.(session);
    return { router, session, [Symbol.asyncDispose]: () => endBoth(session, router) };
  };

  test('without a fault every row is there', async () => {
    await using router = await start(kind);
    await using session = await openUnpaged(router);
    expect(rows(await session.run(table[kind]))).toHaveLength(sessions);
  });

  for (const value of ['destroy', 'end', 'close']) {
    for (const afterBytes of [undefined, 0, 1500, 10_000_000]) {
      fault('truncated', `${value} after ${afterBytes} bytes ends inside a row, without a prompt`, async () => {
        const options = { value, ...(afterBytes === undefined ? {} : { afterBytes }) };
        await using broken = await readWith('truncated', options);
        await broken.session.closed;
        const text = broken.session.text();
        expect(text.startsWith(table[kind])).toBe(true);
        expect(promptPattern.test(text)).toBe(false);
        expect(rows(text).length).toBeLessThan(sessions);
        expect(text.endsWith('\r\n')).toBe(afterBytes === 0);
      });
    }
  }

  for (const name of ['kicked', 'drop'] as const) {
    fault(name, 'the session ends without a word', async () => {
      await using broken = await readWith(name, { afterBytes: 800 });
      await broken.session.closed;
      expect(promptPattern.test(broken.session.text())).toBe(false);
    });
  }

  fault('stall', 'stops after so many bytes and stays connected', async () => {
    await using broken = await readWith('stall', { afterBytes: 1000 });
    await broken.session.until(/198\.18\./);
    await systemClock.sleep(200);
    expect(broken.session.text().length).toBeGreaterThan(900);
    expect(broken.session.text().length).toBeLessThan(1200);
    expect(broken.router.sessionsOpen).toBe(1);
  });

  fault('half-open', 'neither echo of the next line nor answer, and the connection stays', async () => {
    await using broken = await readWith('half-open');
    await broken.session.until(/\r\n$/);
    broken.session.type('show users\r');
    await systemClock.sleep(200);
    expect(broken.session.text()).toBe('');
    expect(broken.router.sessionsOpen).toBe(1);
  });

  fault('garbage', 'noise bytes inside rows', async () => {
    await using broken = await readWith('garbage');
    await broken.session.until(promptPattern);
    const noisy = broken.session
      .bytes()
      .toString('latin1')
      .split('\r\n')
      .filter((line) => [...line].some((character) => character < ' ' || character > '~'));
    expect(noisy.length).toBeGreaterThan(5);
  });

  fault('garbage', '30 kB of it before the rows', async () => {
    await using broken = await readWith('garbage', { value: 30_000 });
    await broken.session.until(/198\.18\.[\s\S]*\n[\w-]*[>#] ?$/);
    expect(broken.session.bytes().length).toBeGreaterThan(30_000);
  });

  fault('pager', 'pages although it was turned off', async () => {
    await using broken = await readWith('pager');
    const mark = kind === 'vendor_a' ? /---more---$/ : / --More-- $/;
    await broken.session.until(mark);
    broken.session.type('q');
    await broken.session.until(/[>#] ?$/);
  });

  fault('wrap', 'rows are broken inside tokens', async () => {
    await using broken = await readWith('wrap', { value: 40 });
    const text = await broken.session.until(promptPattern);
    const lengths = text
      .split('\r\n')
      .slice(1)
      .map((line) => line.length);
    expect(Math.max(...lengths)).toBe(40);
  });

  fault('log-lines', 'log lines between the rows', async () => {
    await using broken = await readWith('log-lines', { value: 'LAN3: link flap' });
    const text = await broken.session.until(promptPattern);
    expect(text.match(/LAN3: link flap/g)?.length).toBeGreaterThan(8);
    expect(rows(text)).toHaveLength(sessions);
  });

  fault('slow-output', 'waits on the clock for each write', async () => {
    const clock = new ManualClock();
    await using router = await start(kind, { clock });
    await using session = await openUnpaged(router);
    router.fail('slow-output', { value: 100 });
    session.type(`${table[kind]}\r`);
    await systemClock.sleep(200);
    expect(rows(session.text())).toHaveLength(0);
    await clock.advance(200_000);
    await session.until(promptPattern);
    expect(rows(session.text())).toHaveLength(sessions);
  });

  fault('unknown-command', 'the error of the vendor, once', async () => {
    await using broken = await readWith('unknown-command', { times: 1 });
    const text = await broken.session.until(promptPattern);
    expect(text).toMatch(kind === 'vendor_a' ? /Error: / : /% Invalid input detected/);
    expect(rows(await broken.session.run(table[kind]))).toHaveLength(sessions);
  });

  fault('table-cleared', 'no sessions when the command runs', async () => {
    await using broken = await readWith('table-cleared', { command: 'show' });
    expect(rows(await broken.session.until(promptPattern))).toHaveLength(0);
  });
});

async function endBoth(session: RouterSession, router: RouterSimulator): Promise<void> {
  await session[Symbol.asyncDispose]();
  await router[Symbol.asyncDispose]();
}

describe.each(kinds)('%s: the router', (kind) => {
  fault('privilege-error', 'the right secret is refused for the whole dialogue, and is no retry', async () => {
    await using router = await startRouter(kind);
    router.fail('privilege-error', { times: 1 });
    await using session = await openSession(router);
    const escalate = kind === 'vendor_a' ? 'administrator' : 'enable';
    session.type(`${escalate}\r`);
    await session.until(/assword: $/);
    session.type(`${router.credentials.enable}\r`);
    if (kind === 'vendor_b') {
      await session.until(/assword: $/);
      session.type('\r');
      await session.until(/assword: $/);
      session.type('\r');
      expect(await session.until(promptPattern)).toMatch(/% Bad secrets/);
    } else {
      await session.until(/\r\n> $/);
    }
    expect(router.violations).toEqual([]);
    session.type(`${escalate}\r`);
    await session.until(/assword: $/);
    session.type(`${router.credentials.enable}\r`);
    await session.until(/# ?$/);
  });

  fault('privilege-error', 'another text instead', async () => {
    await using router = await startRouter(kind);
    router.fail('privilege-error', { value: '% Access denied' });
    await using session = await openSession(router);
    session.type(`${kind === 'vendor_a' ? 'administrator' : 'enable'}\r`);
    await session.until(/assword: $/);
    session.type(`${router.credentials.enable}\r`);
    expect(await session.until(promptPattern)).toMatch(/% Access denied\r\n\r\n.*> ?$/);
  });

  fault('reboot', 'away, then back on the same port with the same key', async () => {
    const clock = new ManualClock();
    await using router = await startRouter(kind, { clock, sessions });
    await using session = await openSession(router);
    const key = router.hostKey;
    router.fail('reboot', { value: 90_000 });
    await session.closed;
    expect(await failureOf(router)).toMatch(/ECONNREFUSED/);
    await clock.advance(100_000);
    expect(await failureOf(router)).toBe('logged in');
    expect(router.hostKey).toBe(key);
    expect(router.truth().filter(({ fixed }) => !fixed)).toEqual([]);
    expect(router.settings.bootedAt).toBe(clock.now() - 10_000);
  });

  fault('clock-skew', 'the clock it shows is off, until cleared', async () => {
    const clock = new ManualClock();
    await using router = await startRouter(kind, { clock, settings: { clockZoneMs: 0, lines: 'infinity' } });
    await using session = await openSession(router);
    const command = kind === 'vendor_a' ? 'show environment' : 'show clock';
    const time = async () => (await session.run(command)).match(/\d\d:\d\d:\d\d(?!.*\d\d:\d\d:\d\d \+)/g)?.join(' ');
    const before = await time();
    router.fail('clock-skew', { value: 7_200_000 });
    expect(await time()).not.toBe(before);
    router.clearFaults();
    expect(await time()).toBe(before);
  });

  fault('table-full', 'refuses new flows until cleared', async () => {
    await using router = await startRouter(kind, { sessions });
    router.fail('table-full');
    const flow = { src: '192.168.100.9', dst: '198.51.100.9', dport: 443 };
    expect(router.flow(flow)).toBeNull();
    expect(router.journal().some((entry) => entry.kind === 'flow-refused')).toBe(true);
    router.clearFaults();
    expect(router.flow(flow)).not.toBeNull();
  });
});

fault('character-set-changed', 'the next output is in the other character set', async () => {
  await using router = await start('vendor_a');
  await using session = await openUnpaged(router);
  expect(await session.run('show arp')).toMatch(/Count: /);
  router.fail('character-set-changed', { value: 'ja.euc' });
  await session.run('show arp');
  expect(session.text('euc-jp')).toMatch(/カウント数/);
  router.clearFaults();
  expect(await session.run('show arp')).toMatch(/Count: /);
});

fault('character-set-ignored', 'the output is in it, and the settings name another one', async () => {
  await using router = await start('vendor_a');
  await using session = await openUnpaged(router);
  router.fail('character-set-ignored');
  await session.run('show arp');
  expect(session.text('euc-jp')).toMatch(/カウント数/);
  expect(await session.run('show config | grep "console character"')).toContain('console character en.ascii');
  router.clearFaults();
  expect(await session.run('show arp')).toMatch(/Count: /);
});

fault('prompt-character-set', 'the prompt is in it, and all the rest in that of the settings', async () => {
  await using router = await start('vendor_a', { settings: { hostName: '本社', character: 'ja.sjis' } });
  router.fail('prompt-character-set');
  await using session = await openSession(router, { awaitPrompt: false });
  await session.until(/> $/);
  session.type('show nat descriptor address\r');
  await session.until(/> $/);
  expect(session.text('utf-8')).toMatch(/本社> $/);
  expect(session.text('shift_jis')).toContain('外側アドレス');
});

fault('descriptor-missing', 'the old number is empty, the new one has the sessions', async () => {
  await using router = await start('vendor_a');
  await using session = await openUnpaged(router);
  router.fail('descriptor-missing', { value: 20_000 });
  expect(rows(await session.run(table.vendor_a))).toHaveLength(0);
  expect(rows(await session.run('show nat descriptor address 20000 detail'))).toHaveLength(sessions);
});

fault('save-question', 'the last exit asks, and N closes', async () => {
  await using router = await start('vendor_a');
  await using session = await openUnpaged(router);
  router.fail('save-question');
  session.type('exit\r');
  await session.until(/\(Y\/N\)$/);
  session.type('N');
  await session.closed;
  expect(router.violations).toEqual([]);
});

test('every fault is shown here', () => {
  expect([...shown].sort()).toEqual(otherFaults.sort());
});

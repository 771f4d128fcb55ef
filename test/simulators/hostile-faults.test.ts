// The faults of a hostile router show, seen by a real SSH client: its secrets in its texts, output without end, single bytes.
import { connect as connectTcp } from 'node:net';
import type ssh2 from 'ssh2';
import { describe, expect, test } from 'vitest';
import type { RouterFault } from '#simulators/router/faults.ts';
import type { RouterKind } from '#simulators/router/model.ts';
import type { RouterSimulator } from '#simulators/router/router.ts';
import { type SecretPlace, secretPlaces } from '#simulators/router/secret-places.ts';
import { startRouter } from '#simulators/router/start.ts';
import type { FaultOptions } from '#simulators/support/simulator.ts';
import { hostileFaults, kinds, rows, startUnpaged, table } from '../support/router-faults.ts';
import { connect, loginTo, openSession, promptPattern, type RouterSession } from '../support/router-session.ts';
import { verifies } from '../support/verifies.ts';

const sessions = 10;
const shown = new Set<string>();

function fault(name: RouterFault, what: string, body: () => Promise<void>): void {
  shown.add(name);
  verifies('sim.router.faults', `${name}: ${what}`, body);
}

interface Broken extends AsyncDisposable {
  router: RouterSimulator;
  session: RouterSession;
}

/** A session on a router without pager, in English, that has the fault from its login on. */
async function startBroken(kind: RouterKind, name: RouterFault, options: FaultOptions = {}): Promise<Broken> {
  const router = await startUnpaged(kind, { sessions });
  router.fail(name, options);
  const session = await openSession(router, { awaitPrompt: false });
  return {
    router,
    session,
    async [Symbol.asyncDispose]() {
      await session[Symbol.asyncDispose]();
      await router[Symbol.asyncDispose]();
    },
  };
}

/** Types the command that reads the table, behind one that turns the pager off. */
function askForTable({ router, session }: Broken): void {
  session.type(`${router.kind === 'vendor_b' ? 'terminal length 0\r' : ''}${table[router.kind]}\r`);
}

/** The first 150,000 characters of what does not end. */
function flood({ session }: Broken): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    session.channel.on('data', (bytes: Buffer) => {
      text += text.length < 150_000 ? bytes.toString('latin1') : '';
      if (text.length >= 150_000) {
        resolve(text);
        session.client.destroy();
      }
    });
  });
}

const onTable = (options: FaultOptions = {}) => ({ command: 'show', ...options });

describe.each(kinds)('%s: output', (kind) => {
  fault('dribble', 'every byte comes in a packet of its own, and all of them come', async () => {
    await using broken = await startBroken(kind, 'dribble', onTable());
    await broken.session.until(promptPattern);
    const sizes: number[] = [];
    broken.session.channel.on('data', (bytes: Buffer) => sizes.push(bytes.length));
    if (kind === 'vendor_b') {
      await broken.session.run('terminal length 0');
    }
    expect(rows(await broken.session.run(table[kind]))).toHaveLength(sessions);
    expect(sizes.filter((size) => size === 1).length).toBeGreaterThan(500);
  });

  for (const value of [undefined, 'again']) {
    fault('endless', `goes on with ${value ?? 'its rows'} until the client leaves`, async () => {
      await using broken = await startBroken(kind, 'endless', onTable(value === undefined ? {} : { value }));
      await broken.session.until(promptPattern);
      askForTable(broken);
      const text = await flood(broken);
      expect(value === undefined ? rows(text).length : text.split('again').length).toBeGreaterThan(5 * sessions);
    });
  }

  fault('endless-line', 'one line that goes on until the client leaves', async () => {
    await using broken = await startBroken(kind, 'endless-line', onTable());
    await broken.session.until(promptPattern);
    askForTable(broken);
    expect(await flood(broken)).toMatch(/x{100000}/);
  });

  fault('endless-banner', 'banner lines until the client leaves', async () => {
    await using broken = await startBroken(kind, 'endless-banner');
    expect((await flood(broken)).split('helpdesk').length).toBeGreaterThan(200);
  });
});

describe.each(kinds)('%s: what it says of its secrets', (kind) => {
  const places = new Set<string>();
  const place = (value: SecretPlace, body: (broken: Broken, secrets: string) => Promise<void>) => {
    places.add(value);
    fault('secret-shown', value, async () => {
      await using broken = await startBroken(kind, 'secret-shown', { value });
      await body(broken, `${broken.router.credentials.password} ${broken.router.credentials.enable}`);
    });
  };

  for (const value of ['row', 'error', 'hang-up'] as const) {
    place(value, async (broken, secrets) => {
      if (value !== 'hang-up') {
        await broken.session.until(promptPattern);
      }
      if (kind === 'vendor_b' && value === 'row') {
        await broken.session.run('terminal length 0');
      }
      broken.session.type(`${table[kind]}\r`);
      await (value === 'hang-up' ? broken.session.closed : broken.session.until(/\n[^\n]*[>#] ?$/));
      for (const secret of secrets.split(' ')) {
        expect(broken.session.text()).toContain(secret);
      }
    });
  }

  for (const value of ['prompt', 'banner', 'host-name'] as const) {
    place(value, async (broken, secrets) => {
      const text = await broken.session.until(promptPattern);
      expect(text).toContain(value === 'banner' ? secrets : secrets.replace(' ', '-'));
    });
  }

  place('model', async (broken, secrets) => {
    await broken.session.until(promptPattern);
    broken.session.type(`${kind === 'vendor_a' ? 'show environment' : 'show version'}\r`);
    const text = await broken.session.until(promptPattern);
    expect(text).toContain(secrets.replace(' ', '-'));
    expect(text).not.toContain(broken.router.settings.model);
  });

  for (const value of ['answer', 'greeting', 'methods'] as const) {
    places.add(value);
  }

  fault('secret-shown', 'answer: echoes the secret typed, and refuses it', async () => {
    await using router = await startRouter(kind);
    await using session = await openSession(router);
    router.fail('secret-shown');
    session.type(`${kind === 'vendor_a' ? 'administrator' : 'enable'}\r`);
    await session.until(/assword: $/);
    session.type(`${router.credentials.enable}\r`);
    expect(await session.until(/denied\r\n\r\n.*> ?$/)).toContain(`\n${router.credentials.enable}\r\n`);
    expect(router.journal()).toContainEqual(expect.objectContaining({ kind: 'secret-shown', right: true }));
  });

  fault('secret-shown', 'greeting', async () => {
    await using router = await startRouter(kind);
    router.fail('secret-shown', { value: 'greeting', times: 1 });
    const socket = connectTcp(Number(router.url.port), '127.0.0.1');
    const { password, enable } = router.credentials;
    expect(String((await socket.toArray())[0])).toBe(`${password} ${enable}\r\n`);
    (await connect(loginTo(router))).end();
  });

  fault('secret-shown', 'methods', async () => {
    await using router = await startRouter(kind);
    router.fail('secret-shown', { value: 'methods' });
    const offered: string[] = [];
    const authHandler = (left: string[] | null, _partial: boolean, next: (method: unknown) => void) => {
      offered.push(...(left ?? []));
      next(left === null ? 'none' : false);
    };
    const login = loginTo(router, { authHandler: authHandler as ssh2.AuthHandlerMiddleware });
    await expect(connect(login)).rejects.toThrow('methods failed');
    expect(offered).toEqual(expect.arrayContaining([router.credentials.password, router.credentials.enable]));
  });

  test('each place is shown here', () => {
    expect([...places].sort()).toEqual(Object.keys(secretPlaces).sort());
  });
});

test('every hostile fault is shown here', () => {
  expect([...shown].sort()).toEqual([...hostileFaults].sort());
});

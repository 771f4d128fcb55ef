// The terminals of the two kinds as a client meets them: character set, width, line ends, pager.
import { describe, expect, test } from 'vitest';
import type { RouterKind } from '#simulators/router/model.ts';
import { type RouterOptions, startRouter } from '#simulators/router/start.ts';
import { openSession, type RouterSession } from '../support/router-session.ts';
import { verifies } from '../support/verifies.ts';

const natTable = 'show nat descriptor address 1000 detail';

/** What `use` finds in a session of a router of its own. */
async function inSession<T>(
  kind: RouterKind,
  options: RouterOptions,
  use: (session: RouterSession) => Promise<T>,
): Promise<T> {
  await using router = await startRouter(kind, options);
  await using session = await openSession(router);
  return await use(session);
}

describe('vendor_a', () => {
  verifies('sim.router.character-sets', 'the same words come in the bytes of its character set', async () => {
    const encodings = { 'ja.sjis': 'shift_jis', 'ja.euc': 'euc-jp', 'ja.utf8': 'utf-8' } as const;
    const seen = new Map<string, string>();
    for (const [character, encoding] of Object.entries(encodings)) {
      const settings = { character: character as keyof typeof encodings };
      await inSession('vendor_a', { sessions: 30, settings }, async (session) => {
        session.type(`${natTable}\r`);
        await session.until(/---[^-]+---$/);
        expect(session.text(encoding)).toMatch(/---つづく---$/);
        seen.set(session.bytes().subarray(-30).toString('hex'), character);
      });
    }
    expect([...seen.values()]).toEqual(Object.keys(encodings));
    await inSession('vendor_a', { sessions: 30, settings: { character: 'en.ascii' } }, async (session) => {
      session.type(`${natTable}\r`);
      expect(await session.until(/---more---$/)).toMatch(/^[\r\n\x20-\x7e]*$/);
    });
  });

  verifies('sim.router.wrapping', 'rows are as wide as the console at most, and whole on a wide one', async () => {
    const rowsAt = (columns: number) =>
      inSession(
        'vendor_a',
        { seed: 7, sessions: 5, settings: { columns, lines: 'infinity', character: 'ja.utf8' } },
        async (session) => {
          session.type('show config\r');
          await session.until(/> $/);
          const rows = session.text('utf-8').split('\r\n').slice(1, -1);
          return rows.filter((row) => !/console columns|Reporting Date/.test(row));
        },
      );
    const [narrow, wide] = [await rowsAt(80), await rowsAt(400)];
    expect(Math.max(...wide.map(({ length }) => length))).toBeGreaterThan(80);
    expect(Math.max(...narrow.map(({ length }) => length))).toBe(80);
    expect(narrow.join('')).toBe(wide.join(''));
  });

  verifies('sim.router.line-ends', 'CR and LF end a line each, so that CR LF gives one prompt more', () =>
    inSession('vendor_a', { settings: { character: 'en.ascii' } }, async (session) => {
      for (const [end, prompts] of [
        ['\r', 1],
        ['\n', 1],
        ['\r\n', 2],
      ] as const) {
        session.type(`show status boot${end}`);
        await session.until(prompts === 1 ? /\n> $/ : /\n> \r\n> $/);
        expect([end, session.text().match(/\n> /g)?.length]).toEqual([end, prompts]);
      }
    }),
  );
});

describe('vendor_b', () => {
  verifies('sim.router.line-ends', 'CR, LF and CR LF end one line', () =>
    inSession('vendor_b', { credentials: { privileged: true } }, async (session) => {
      for (const end of ['\r', '\n', '\r\n']) {
        session.type(`show clock${end}show version | include Cisco${end}`);
        await session.until(/show version[^#]*#$/);
        expect([end, session.text().match(/\nedge-rtr1#/g)?.length]).toEqual([end, 2]);
      }
    }),
  );

  verifies('sim.router.paging', 'a table is paged until terminal length 0', () =>
    inSession('vendor_b', { sessions: 60, credentials: { privileged: true } }, async (session) => {
      session.type('show ip nat translations\r');
      expect((await session.until(/ --More-- $/)).split('\r\n')).toHaveLength(24 + 1);
      session.type('q');
      await session.until(/#$/);
      await session.run('terminal length 0');
      const whole = await session.run('show ip nat translations');
      expect(whole).not.toContain('--More--');
      expect(whole.split('\r\n').length).toBeGreaterThan(60);
    }),
  );
});

describe('somebody who is added by commands', () => {
  const cases = [
    {
      kind: 'vendor_a' as const,
      lines: ['administrator', 'enable-password', 'login user gatehouse right', 'save'],
      shown: ['show config | grep "login user gatehouse"', 'login user gatehouse *'],
    },
    {
      kind: 'vendor_b' as const,
      lines: [
        'enable',
        'enable-password',
        'configure terminal',
        'username gatehouse secret right',
        'end',
        'write memory',
      ],
      shown: ['show privilege', 'Current privilege level is 1'],
    },
  ];

  test.each(cases)('may log in to $kind with that password, and with no other', async ({ kind, lines, shown }) => {
    await using router = await startRouter(kind, { settings: { character: 'en.ascii' } });
    await using session = await openSession(router);
    for (const line of lines) {
      session.type(`${line}\r`);
      expect(await session.until(/(?:[>#] ?|assword: )$/)).not.toMatch(/Error|^%/m);
    }
    const as = (password: string) => openSession({ url: router.url, credentials: { user: 'gatehouse', password } });
    await expect(as('wrong')).rejects.toThrow(/authentication/);
    await using other = await as('right');
    const [command = '', answer = ''] = shown;
    expect(await other.run(command)).toContain(answer);
    expect(JSON.stringify(router.journal())).not.toContain('gatehouse right');
    router.reset();
    await expect(as('right')).rejects.toThrow(/authentication/);
  });

  test('lands on # of vendor_b with privilege 15, and enable takes the secret that was set', async () => {
    await using router = await startRouter('vendor_b', { credentials: { privileged: true } });
    await using session = await openSession(router);
    for (const line of ['configure terminal', 'username root privilege 15 secret right', 'enable secret new', 'end']) {
      await session.run(line);
    }
    await using other = await openSession({ url: router.url, credentials: { user: 'root', password: 'right' } });
    expect(await other.run('show privilege')).toContain('level is 15');
    expect(router.credentials.enable).toBe('new');
  });
});

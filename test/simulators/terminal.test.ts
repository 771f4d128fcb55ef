// Terminal behaviour of the simulated routers, seen by a real SSH client.
import { describe, expect, test } from 'vitest';
import { systemClock } from '#kernel/time/clock.ts';
import { startRouter } from '#simulators/router/start.ts';
import type { Vendor } from '#simulators/router/vendor.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { openSession } from '../support/router-session.ts';
import { verifies } from '../support/verifies.ts';

/** A command language just large enough to see the terminal: `rows N`, `wide`, `ask`, `save`, `slow`, `bye`. */
function tinyVendor(change: Partial<Vendor> = {}): Vendor {
  return {
    kind: 'vendor_a',
    lineEnds: 'each',
    newLogin: (user) => ({ user, privileged: false, length: 24, width: 80, context: '', promptTimestamp: false }),
    banner: () => ['', 'tiny'],
    prompt: () => '> ',
    run: (line) => {
      const [word, count] = line.split(' ');
      if (word === 'rows') {
        return { kind: 'lines', lines: Array.from({ length: Number(count) }, (_, i) => `row ${i + 1}`) };
      }
      if (word === 'wide') {
        return { kind: 'lines', lines: ['あいうえおかきくけこ', 'abcdefghijklmnopqrstuvwxy'] };
      }
      if (word === 'ask') {
        return {
          kind: 'secret',
          prompt: 'Password: ',
          answer: (typed) => ({ kind: 'lines', lines: [typed === '' ? 'empty' : `got ${typed.length}`] }),
        };
      }
      if (word === 'save') {
        return { kind: 'key', prompt: 'Save? (Y/N)', answer: (key) => ({ kind: 'lines', lines: [`key ${key}`] }) };
      }
      return word === 'bye' ? { kind: 'close', lines: ['bye'] } : { kind: 'lines', lines: [`ran [${line}]`] };
    },
    pager: () => ({ text: '---つづく---', erase: '\r            \r', rows: null }),
    wrapAt: () => null,
    encoding: () => 'utf-8',
    logLine: (_world, text) => `LOG ${text}`,
    readOnly: () => true,
    ...change,
  };
}

const start = (change: Partial<Vendor> = {}) => startRouter('vendor_a', { vendor: tinyVendor(change) });

describe('line ends and editing', () => {
  test('each CR and each LF ends a line where the vendor says so', async () => {
    await using router = await start();
    await using session = await openSession(router);
    session.type('one\r\ntwo\n');
    await session.until(/ran \[two\]\r\n> $/);
    expect(session.text()).toBe('one\r\nran [one]\r\n> \r\n> two\r\nran [two]\r\n> ');
    session.type('ask\r\n');
    expect(await session.until(/empty\r\n> $/)).toBe('ask\r\nPassword: \r\nempty\r\n> ');
  });

  test('CR, LF or CR LF end one line where the vendor says so', async () => {
    await using router = await start({ lineEnds: 'once' });
    await using session = await openSession(router);
    session.type('one\r\ntwo\nthree\r');
    await session.until(/ran \[three\]\r\n> $/);
    expect(session.text()).toBe('one\r\nran [one]\r\n> two\r\nran [two]\r\n> three\r\nran [three]\r\n> ');
  });

  verifies('sim.router.real-ssh', 'BS, DEL, Ctrl-U, Ctrl-C and arrow keys edit the line', async () => {
    await using router = await start();
    await using session = await openSession(router);
    session.type('abX\bc\x7fcd\r');
    await session.until(/ran \[abcd\]\r\n> $/);
    session.type('wrong\x15right\x1b[A\r');
    expect(await session.until(/ran \[right\]\r\n> $/)).toContain(`wrong${'\b \b'.repeat(5)}right`);
    session.type('never\x03');
    expect(await session.until(/never\r\n> $/)).toBe('never\r\n> ');
    expect(router.commands).toEqual(['abcd', 'right']);
  });

  verifies('sim.router.escalation', 'a secret is not echoed and not in the journal', async () => {
    await using router = await start();
    await using session = await openSession(router);
    session.type('ask\r');
    await session.until(/Password: $/);
    session.type('s3cr3t-thing\r');
    expect(await session.until(/> $/)).toBe('\r\ngot 12\r\n> ');
    expect(JSON.stringify(router.journal())).not.toContain('s3cr3t-thing');
  });

  verifies(
    'sim.router.violations',
    'Y to a save question is a violation, N is not; one key without a line end',
    async () => {
      await using router = await start();
      await using session = await openSession(router);
      session.type('save\r');
      await session.until(/\(Y\/N\)$/);
      session.type('N');
      expect(await session.until(/> $/)).toBe('N\r\nkey N\r\n> ');
      expect(router.violations).toEqual([]);
      session.type('save\r');
      await session.until(/\(Y\/N\)$/);
      session.type('y');
      await session.until(/> $/);
      expect(router.violations).toMatchObject([{ kind: 'configuration-saved' }]);
    },
  );
});

describe('output', () => {
  const paged: Partial<Vendor> = { pager: () => ({ text: '---more---', erase: '\r            \r', rows: 5 }) };
  const rowsIn = (text: string) => [...text.matchAll(/row (\d+)/g)].map(([, number]) => Number(number));

  verifies(
    'sim.router.paging',
    'SPACE gives a page, ENTER a row, q and Ctrl-C stop; the mark is erased as the vendor does',
    async () => {
      await using router = await start(paged);
      await using session = await openSession(router);
      session.type('rows 12\r');
      expect(rowsIn(await session.until(/---more---$/))).toEqual([1, 2, 3, 4, 5]);
      session.type('\r');
      expect(await session.until(/---more---$/)).toBe('\r            \rrow 6\r\n---more---');
      session.type(' ');
      expect(rowsIn(await session.until(/---more---$/))).toEqual([7, 8, 9, 10, 11]);
      session.type('q');
      expect(await session.until(/> $/)).toBe('\r            \r> ');
      session.type('rows 6\r');
      await session.until(/---more---$/);
      session.type('\x03');
      expect(await session.until(/> $/)).not.toContain('row 6');
      const keys = router
        .journal()
        .filter((entry) => entry.kind === 'pager-key')
        .map(({ key }) => key);
      expect(keys).toEqual(['end', ' ', 'q', 'interrupt']);
    },
  );

  verifies('sim.router.paging', 'no mark when the last row fills the page', async () => {
    await using router = await start(paged);
    await using session = await openSession(router);
    expect(await session.run('rows 5')).not.toContain('more');
  });

  verifies('sim.router.real-ssh', 'what is typed ahead runs afterwards, in order', async () => {
    await using router = await start();
    await using session = await openSession(router);
    session.type('rows 300\rone\rtwo\r');
    const text = await session.until(/ran \[two\]\r\n> $/);
    expect(rowsIn(text)).toHaveLength(300);
    expect(text.indexOf('ran [one]')).toBeGreaterThan(text.indexOf('row 300'));
  });

  verifies('sim.router.wrapping', 'rows wrap by display width, inside tokens', async () => {
    await using router = await start({ wrapAt: () => 11 });
    await using session = await openSession(router);
    const text = await session.run('wide');
    expect(text.split('\r\n').slice(1, -1)).toEqual(['あいうえお', 'かきくけこ', 'abcdefghijk', 'lmnopqrstuv', 'wxy']);
  });

  test('text and pager are in the character set of the router', async () => {
    for (const encoding of ['shift_jis', 'euc-jp', 'utf-8']) {
      await using router = await start({
        encoding: () => encoding,
        pager: () => ({ text: '---つづく---', erase: '\r', rows: 1 }),
      });
      await using session = await openSession(router);
      session.type('wide\r');
      await session.until(/---[^-]+---$/);
      expect(session.text(encoding)).toBe('wide\r\nあいうえおかきくけこ\r\n---つづく---');
    }
  });

  verifies('sim.router.real-ssh', 'Ctrl-S stops the output, Ctrl-Q lets it go on, Ctrl-C ends it', async () => {
    let pulled = 0;
    function* endless() {
      for (;;) {
        pulled += 1;
        yield `row ${pulled}`;
      }
    }
    await using router = await start({ run: () => ({ kind: 'lines', lines: endless() }) });
    await using session = await openSession(router);
    session.type('go\r');
    await session.until(/row 500\r/);
    session.type('\x13');
    let seen = -1;
    while (seen !== pulled) {
      seen = pulled;
      await systemClock.sleep(50);
    }
    session.type('\x11');
    await session.until(new RegExp(`row ${seen + 500}\r`));
    session.type('\x03');
    await session.until(/\r\n> $/);
  });

  verifies('sim.router.table-moves', 'a listing is worked out row by row, as fast as the client reads', async () => {
    let pulled = 0;
    function* many() {
      for (; pulled < 400_000; pulled += 1) {
        yield `row ${pulled} of a table that is too long to be held in memory`;
      }
    }
    await using router = await start({ run: () => ({ kind: 'lines', lines: many() }) });
    await using session = await openSession(router);
    session.channel.pause();
    session.type('go\r');
    let seen = -1;
    while (seen !== pulled || pulled === 0) {
      seen = pulled;
      await systemClock.sleep(100);
    }
    expect(pulled).toBeLessThan(200_000);
    const last = new Promise<string>((resolve) => {
      let tail = '';
      session.channel.on('data', (bytes: Buffer) => {
        tail = (tail + bytes.toString('latin1')).slice(-100);
        if (tail.endsWith('> ')) {
          resolve(tail);
        }
      });
    });
    session.channel.resume();
    expect(await last).toContain('row 399999 of a table');
  });

  verifies('sim.router.real-ssh', 'a log line appears between rows and at the prompt', async () => {
    await using router = await start();
    await using session = await openSession(router);
    session.clear();
    router.log('LAN2: link down');
    expect(await session.until(/link down\r\n/)).toBe('\r\nLOG LAN2: link down\r\n');
  });
});

describe('session ends', () => {
  verifies('sim.router.idle-limit', 'an idle session is closed without a word, a busy one is not', async () => {
    const clock = new ManualClock();
    await using router = await startRouter('vendor_a', { vendor: tinyVendor(), clock });
    await using session = await openSession(router);
    await clock.advance(290_000);
    await session.run('one');
    await clock.advance(290_000);
    expect(router.sessionsOpen).toBe(1);
    session.clear();
    await clock.advance(20_000);
    await session.closed;
    expect(session.text()).toBe('');
    expect(router.journal().some((entry) => entry.kind === 'idle-timeout')).toBe(true);
  });

  verifies('sim.router.real-ssh', 'close prints its lines and ends channel and connection', async () => {
    await using router = await start();
    await using session = await openSession(router);
    session.type('bye\r');
    await session.closed;
    expect(session.text()).toBe('bye\r\nbye\r\n');
    expect(router.sessionsOpen).toBe(0);
  });

  verifies('sim.router.real-ssh', 'input right behind the banner is lost where the profile says so', async () => {
    const clock = new ManualClock();
    await using router = await startRouter('vendor_a', { vendor: tinyVendor(), clock, deafMs: 300 });
    await using session = await openSession(router);
    session.type('lost\r');
    await systemClock.sleep(100);
    await clock.advance(400);
    expect(await session.run('kept')).toBe('kept\r\nran [kept]\r\n> ');
    expect(router.commands).toEqual(['kept']);
  });
});

// What one router can make the hub keep or wait for is bounded: counted in rows and bytes, at a device that never stops.
import { describe, expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { createActivity } from '#hub/collect/routers/activity.ts';
import type { Channel } from '#hub/collect/routers/shell/terminal.ts';
import { createNatDetailReader } from '#hub/collect/routers/vendor-a/nat.ts';
import { createTranslationReader } from '#hub/collect/routers/vendor-b/nat.ts';
import { yieldToEventLoop } from '#kernel/time/clock.ts';
import { createDevice, open } from './devices.ts';
import { failureOf } from './polls.ts';
import { sessionWith } from './tables.ts';

interface Flood {
  channel: Channel;
  typed: string[];
  /** Bytes sent since the flood began. */
  sent(): number;
}

/** A device like vendor_b that goes on and on with `text` once `when` was typed, until it is hung up on. */
function floodBehind(when: string, text: string): Flood {
  const chunk = Buffer.from(text.repeat(Math.ceil(60_000 / text.length)));
  let events: Parameters<Channel['listen']>[0] | null = null;
  let sent = 0;
  let closed = false;
  const device = createDevice(when === '' ? [] : ['\r\nedge>'], (typed) =>
    typed === `${when}\r` ? [`${when}\r\n`] : [`${typed.replace('\r', '')}\r\nedge>`],
  );
  const flood = async (): Promise<void> => {
    for (; !closed; sent += chunk.length) {
      events?.data(chunk);
      await yieldToEventLoop();
    }
  };
  const channel: Channel = {
    write(typed) {
      device.channel.write(typed);
      if (typed === `${when}\r`) {
        void yieldToEventLoop().then(yieldToEventLoop).then(flood);
      }
    },
    close() {
      closed = true;
      device.channel.close();
    },
    listen(listener) {
      events = listener;
      device.channel.listen(listener);
      if (when === '') {
        void flood();
      }
    },
  };
  return { channel, typed: device.typed, sent: () => sent };
}

const openFlood = (flood: Flood) => open({ ...flood, send: () => undefined });
/** What may be under way when the bound is reached. */
const underWay = 200_000;

describe('an answer without end', () => {
  test.each([
    ['rows', 'show x\r\n', `${limits.answerRows.toLocaleString('en')} rows`],
    ['empty rows', '\n', `${limits.answerRows.toLocaleString('en')} rows`],
    ['one line', 'x', '8 MB'],
    ['noise', '\u0007\r\n', '8 MB'],
  ])('%s kept as lines', async (_what, text, says) => {
    const flood = floodBehind('show x', text);
    const error = await failureOf((await openFlood(flood)).run('show x'));
    expect(error.failure).toBe('too_much_output');
    expect(error.message).toContain(says);
    expect(error.message).toMatch(/restart|update/);
    expect(flood.sent()).toBeLessThan(limits.keptAnswerBytes + underWay);
  });

  test('lines that are handed on', async () => {
    const flood = floodBehind('show x', 'a row of a table\r\n');
    let rows = 0;
    const onLine = () => {
      rows += 1;
    };
    const error = await failureOf((await openFlood(flood)).run('show x', { onLine }));
    expect(error.failure).toBe('too_much_output');
    expect(flood.sent()).toBeLessThan(limits.answerBytes + underWay);
    expect(rows).toBeLessThan(limits.answerBytes / 18 + 20_000);
  });

  test('pages that each bring a row, handed on', async () => {
    let events: Parameters<Channel['listen']>[0] | null = null;
    let keys = 0;
    const device = createDevice(['edge>'], () => ['\r\nedge>']);
    const write = (typed: string) => {
      keys += typed === ' ' ? 1 : 0;
      if (typed === ' ' || typed === 'show x\r') {
        events?.data(Buffer.from(typed === ' ' ? '\r \rrow\r\n---more---' : 'show x\r\n---more---'));
      } else {
        device.channel.write(typed);
      }
    };
    const listen: Channel['listen'] = (listener) => {
      events = listener;
      device.channel.listen(listener);
    };
    const shell = await open({ ...device, channel: { ...device.channel, write, listen } });
    const error = await failureOf(shell.run('show x', { onLine: () => undefined }));
    expect([error.failure, keys]).toEqual(['too_much_output', limits.answerRows]);
    expect(error.message).toContain('131,070 pages');
  });

  test('a reader that throws ends its command, not the program', async () => {
    const flood = floodBehind('show x', 'row\r\n');
    const shell = await openFlood(flood);
    const onLine = (): never => {
      throw new Error('the reader broke');
    };
    await expect(shell.run('show x', { onLine })).rejects.toThrow('the reader broke');
    expect(flood.sent()).toBeLessThan(underWay);
  });
});

describe('what stands around answers', () => {
  test('a banner without end', async () => {
    const flood = floodBehind('', 'welcome to the edge\r\n');
    const error = await failureOf(openFlood(flood));
    expect(error.failure).toBe('too_much_output');
    expect(flood.sent()).toBeLessThan(limits.dialogueBytes + underWay);
  });

  test('an answer to `enable` without end', async () => {
    const flood = floodBehind('enable', 'you may not\r\n');
    const error = await failureOf((await openFlood(flood)).escalate('enable', 's3cret'));
    expect(error.failure).toBe('too_much_output');
    expect(flood.sent()).toBeLessThan(limits.dialogueBytes + underWay);
  });

  test('a goodbye without end', async () => {
    const flood = floodBehind('exit', 'goodbye\r\n');
    await (await openFlood(flood))[Symbol.asyncDispose]();
    expect(flood.sent()).toBeLessThan(limits.dialogueBytes + underWay);
  });

  test('talk that nobody asked for: the connection is given up, the next command finds it closed', async () => {
    const flood = floodBehind('show x', 'edge>\r\nedge>');
    const shell = await openFlood(flood);
    await shell.run('show x');
    while (flood.sent() < limits.dialogueBytes) {
      await yieldToEventLoop();
    }
    for (let turn = 0; turn < 20; turn += 1) {
      await yieldToEventLoop();
    }
    expect(flood.sent()).toBeLessThan(limits.dialogueBytes + underWay);
    expect((await failureOf(shell.run('show y'))).failure).toBe('cut_off');
  });

  test('a question whether to save that comes again and again gets few answers', async () => {
    const device = createDevice(['edge>'], (typed) =>
      typed === 'show x\r' ? ['show x\r\n', '(Y/N)'] : typed === 'N' ? ['\r\n(Y/N)'] : ['\r\nedge>'],
    );
    const shell = await open(device);
    const error = await failureOf(shell.run('show x'));
    expect(error.failure).toBe('paging_stuck');
    expect(device.typed.filter((typed) => typed === 'N').length).toBeLessThan(30);
  });
});

describe('rows of a table', () => {
  const aRow = '       TCP      192.168.100.2.443     203.0.113.86.443    60001      146';
  const bRow = 'tcp 203.0.113.24:60178 192.168.100.2:54434 203.0.113.86:1883 203.0.113.86:1883';
  test.each([
    ['vendor_a sessions', createNatDetailReader(), aRow],
    ['vendor_a headers', createNatDetailReader(), 'Reference Descriptor : 1, Assigned Interface : LAN2(1)'],
    ['vendor_b sessions', createTranslationReader(), bRow],
  ])('%s: twice the largest table is read, one more is too much', (_what, reader, row) => {
    for (let count = 0; count < limits.answerRows; count += 1) {
      reader.push(row);
    }
    expect(() => reader.push(row)).toThrow('131,070 rows');
  });

  test('tables that never come whole are remembered up to twice the largest one', async () => {
    const activity = createActivity();
    const rows = (from: number) =>
      Array.from({ length: 60_000 }, (_, at) => sessionWith({ sport: from + at, ttl: 100 }));
    for (const from of [0, 60_000, 120_000]) {
      await activity.observe(rows(from), null);
      activity.stored();
    }
    const isNew = async (index: number) =>
      (await activity.observe([sessionWith({ sport: index, ttl: 100 })], null)).observations[0]?.newSession;
    expect(await isNew(179_999)).toBeUndefined();
    expect(await isNew(100)).toBe('poll');
  });
});

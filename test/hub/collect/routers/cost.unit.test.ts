// What a device sends costs time in proportion to its bytes, whatever they are and however they come: CPU time, wide margins.
import { describe, expect, test } from 'vitest';
import { createScreen } from '#hub/collect/routers/shell/screen.ts';
import { type Channel, createTerminal } from '#hub/collect/routers/shell/terminal.ts';
import { parseVendorAConfig } from '#hub/collect/routers/vendor-a/config.ts';
import { parseVendorADhcp } from '#hub/collect/routers/vendor-a/dhcp.ts';
import { createNatDetailReader } from '#hub/collect/routers/vendor-a/nat.ts';
import { parseVersion } from '#hub/collect/routers/vendor-b/device.ts';
import { createTranslationReader } from '#hub/collect/routers/vendor-b/nat.ts';
import { systemClock, yieldToEventLoop } from '#kernel/time/clock.ts';

/** Milliseconds of CPU, of all threads: other programs make it more, never less. */
function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/**
 * Expects that four times the bytes cost less than eight times as much, and 100 ms; sixteen times would be a square. The
 * best of three tries.
 */
function expectInProportion(work: (bytes: number) => void, bytes: number): void {
  const limit = 8 * cpuMs(() => work(bytes)) + 100;
  let cost = cpuMs(() => work(4 * bytes));
  for (let more = 0; more < 2 && cost >= limit; more += 1) {
    cost = cpuMs(() => work(4 * bytes));
  }
  expect(cost).toBeLessThan(limit);
}

function feedByByte(bytes: Uint8Array): void {
  const screen = createScreen('utf-8', () => undefined);
  for (let at = 0; at < bytes.length; at += 1) {
    screen.feed(bytes.subarray(at, at + 1));
    screen.rest();
    screen.isPaused();
  }
}

const filled = (bytes: number, text: string, head = '') =>
  Buffer.from(head + text.repeat(Math.ceil(bytes / text.length))).subarray(0, bytes);

const table = '       TCP      192.168.100.2.443     203.0.113.86.443    60001      146\r\n';

describe('the screen, byte by byte', () => {
  test.each([
    ['a table', table, ''],
    ['dashes', '-', ''],
    ['backspaces', '\b', ''],
    ['returns', '\r', ''],
    ['returns inside a line', '\r', 'x'],
    ['a question that never ends', ' --More-', ''],
    ['questions', ' --More-- ', ''],
    ['questions that are text', '---more---\r X', ''],
    ['questions that are erased', '---more---\r          \r', ''],
    ['an erasure of blanks that never ends', ' ', '---more---\r'],
    ['an erasure of backspaces that never ends', '\b', ' --More-- '],
    ['empty lines', '\n', ''],
    ['a line without end', 'x', ''],
  ])('%s', (_what, text, head) => {
    expectInProportion((bytes) => feedByByte(filled(bytes, text, head)), 30_000);
  });
});

/** What the terminal takes for these bytes, in chunks of one, 256 in each turn of the event loop. */
async function terminalMs(bytes: Uint8Array): Promise<number> {
  let send = (_bytes: Uint8Array): void => undefined;
  const channel: Channel = {
    write: () => undefined,
    close: () => undefined,
    listen(events) {
      send = events.data;
    },
  };
  const terminal = createTerminal(channel, { clock: systemClock, idleMs: 600_000, encoding: 'utf-8' });
  const over = Promise.withResolvers<void>();
  const exchange = terminal.exchange<void>({ signal: undefined, idleMs: 600_000, bytes: 2_000_000 }, ({ settle }) => {
    void over.promise.then(settle);
    return { changed: () => terminal.screen.isPaused(), closed: () => undefined };
  });
  const before = process.cpuUsage();
  for (let at = 0; at < bytes.length; at += 1) {
    send(bytes.subarray(at, at + 1));
    if (at % 256 === 255) {
      await yieldToEventLoop();
    }
  }
  const { user, system } = process.cpuUsage(before);
  over.resolve();
  await exchange;
  return (user + system) / 1000;
}

describe('the terminal gathers single bytes: less than three quarters of the cost of the screen for each', () => {
  // A quarter to a half, measured; as much as the screen, and more, if nothing were gathered.
  test.each([table, '-', ' --More-- ', '---more---\r          \r', '\n'])('%j', async (text) => {
    const bytes = filled(250_000, text);
    const shares: number[] = [];
    while (shares.length < 5 && !shares.some((share) => share < 0.75)) {
      const byByte = cpuMs(() => feedByByte(bytes));
      shares.push((await terminalMs(bytes)) / byByte);
    }
    expect(Math.min(...shares)).toBeLessThan(0.75);
  });
});

describe('the screen, in one piece', () => {
  test.each([' --More-- y', '---more---\r X', '---more---\r          \r', '--', '\r', '\r\n'])('of %j', (text) => {
    const feed = (bytes: number) => createScreen('utf-8', () => undefined).feed(filled(bytes, text));
    expectInProportion(feed, 250_000);
  });
});

describe('the readers, a line as long as a line may be', () => {
  const nat = (line: string) => createNatDetailReader().push(line);
  const translation = (line: string) => createTranslationReader().push(line);
  test.each([
    ['vendor_a NAT, blanks', nat, ' ', 'Descriptor : 1, '],
    ['vendor_a NAT, many heads', nat, 'Descriptor:1,:', ''],
    ['vendor_a NAT, letters', nat, 'a', '1 '],
    ['vendor_a NAT, words', nat, '1 tabl ', ''],
    ['vendor_a NAT, a total', nat, ' ', 'Total: 1'],
    ['vendor_b NAT, a total', translation, ' 1', 'Total'],
    ['vendor_a leases', (line: string) => parseVendorADhcp([line]), ' ', 'Host Name: a'],
    ['vendor_a settings', (line: string) => parseVendorAConfig([line]), '1 ', 'ip lan2 nat descriptor '],
    ['vendor_b NAT, labels', translation, 'a', 'create: '],
    ['vendor_b NAT, log line', translation, 'A-', '%'],
    ['vendor_b version', (line: string) => parseVersion([line]), ') ', 'cisco X ('],
  ])('%s', (_what, read, text, head) => {
    const tenTimes = (length: number) => {
      const line = `${filled(length, text, head).toString()}!`;
      for (let count = 0; count < 10; count += 1) {
        read(line);
      }
    };
    expectInProportion(tenTimes, 2000);
  });
});

// The simulated trapper listener at the byte level: frames in all their forms, known items, faults, control.
import { connect } from 'node:net';
import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { trapperControlRoutes } from '#simulators/trapper/control.ts';
import { type TrapperFault, trapperFaults } from '#simulators/trapper/faults.ts';
import { startTrapper, type TrapperOptions } from '#simulators/trapper/trapper.ts';
import { serveControl } from '../support/control-client.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { expectAllShown } from '../support/shown-faults.ts';
import { verifies } from '../support/verifies.ts';

/** A request as the protocol describes it, written here once more: the simulator's own framing is what is tested. */
function frame(body: string | Buffer, flags = 0x01, uncompressed = 0): Buffer {
  const bytes = Buffer.from(body);
  const head = Buffer.alloc(flags & 0x04 ? 21 : 13);
  head.write('ZBXD', 'latin1');
  head[4] = flags;
  if (flags & 0x04) {
    head.writeBigUInt64LE(BigInt(bytes.length), 5);
    head.writeBigUInt64LE(BigInt(uncompressed), 13);
  } else {
    head.writeUInt32LE(bytes.length, 5);
    head.writeUInt32LE(uncompressed, 9);
  }
  return Buffer.concat([head, bytes]);
}

const batch = (...values: [key: string, value: string][]) =>
  JSON.stringify({ request: 'sender data', data: values.map(([key, value]) => ({ host: 'ups1', key, value })) });
const two = batch(['ups.load', '19.0'], ['ups.status', 'On Line']);

/** Sends bytes and resolves to all that comes back until the other side closes. */
async function exchange(url: URL, ...parts: Buffer[]): Promise<Buffer> {
  const socket = connect({ host: url.hostname, port: Number(url.port) });
  const received: Buffer[] = [];
  for (const part of parts) {
    await new Promise<void>((resolve) => socket.write(part, () => resolve()));
  }
  try {
    for await (const part of socket) {
      received.push(part);
    }
  } catch (error) {
    expect((error as NodeJS.ErrnoException).code).toMatch(/ECONNRESET|EPIPE/);
  }
  return Buffer.concat(received);
}

/** The answer's JSON, its frame checked. */
function answerOf(bytes: Buffer): Record<string, unknown> {
  expect(bytes.subarray(0, 5)).toEqual(Buffer.from('ZBXD\x01', 'latin1'));
  expect(bytes.readUInt32LE(5)).toBe(bytes.length - 13);
  expect(bytes.readUInt32LE(9)).toBe(0);
  return JSON.parse(bytes.subarray(13).toString());
}

const infoOf = async (url: URL, body = two) => String(answerOf(await exchange(url, frame(body))).info ?? '');

verifies('sim.trapper.framing', 'plain, compressed, large, both, and in single bytes', async () => {
  await using trapper = await startTrapper();
  const compressed = deflateSync(two);
  const forms = [
    frame(two),
    frame(compressed, 0x03, two.length),
    frame(two, 0x05),
    frame(compressed, 0x07, two.length),
  ];
  for (const bytes of forms) {
    expect(answerOf(await exchange(trapper.url, bytes))).toMatchObject({
      response: 'success',
      info: expect.stringMatching(/^processed: 2; failed: 0; total: 2; seconds spent: 0\.\d+$/),
    });
  }
  const single = [...frame(two)].map((byte) => Buffer.from([byte]));
  expect(answerOf(await exchange(trapper.url, ...single))).toMatchObject({ response: 'success' });
  expect(trapper.values).toHaveLength(10);
  expect(trapper.values.slice(0, 2)).toEqual([
    { host: 'ups1', key: 'ups.load', value: '19.0', clock: null },
    { host: 'ups1', key: 'ups.status', value: 'On Line', clock: null },
  ]);
});

verifies('sim.trapper.framing', 'what is no frame is closed without an answer, and nothing is kept', async () => {
  await using trapper = await startTrapper();
  const wrong = [
    Buffer.from('GET / HTTP/1.1\r\n\r\n'),
    frame(two, 0x00),
    frame(two, 0x09),
    frame('not compressed', 0x03, 5),
    Buffer.concat([Buffer.from('ZBXD\x01', 'latin1'), Buffer.from([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0])]),
  ];
  for (const bytes of wrong) {
    expect(await exchange(trapper.url, bytes)).toHaveLength(0);
  }
  expect(trapper.journal().map(({ kind }) => kind)).toEqual(wrong.map(() => 'not-a-frame'));
  for (const body of ['{', '{"request":"agent data"}', '{"request":"sender data","data":[{"host":"a"}]}']) {
    expect(answerOf(await exchange(trapper.url, frame(body)))).toMatchObject({ response: 'failed' });
  }
  expect(trapper.values).toEqual([]);
});

test('unknown hosts and keys are counted as failed', async () => {
  await using trapper = await startTrapper({ known: { ups1: ['ups.load'] } });
  expect(await infoOf(trapper.url)).toMatch(/^processed: 1; failed: 1; total: 2;/);
  expect(trapper.values).toMatchObject([{ key: 'ups.load' }]);
  trapper.patch({ known: null });
  expect(await infoOf(trapper.url)).toMatch(/^processed: 2; failed: 0;/);
});

const shown = new Set<TrapperFault>();

/** A test of one fault; the last test asks that each has one. */
function fault(
  name: TrapperFault,
  what: string,
  body: (trapper: Awaited<ReturnType<typeof startTrapper>>, clock: ManualClock) => Promise<void>,
): void {
  shown.add(name);
  verifies('sim.trapper.faults', `${name}: ${what}`, async () => {
    const clock = new ManualClock();
    await using trapper = await startTrapper({ clock } satisfies TrapperOptions);
    trapper.fail(name, { times: 1, ...(name === 'slow' ? { value: 20_000 } : {}) });
    await body(trapper, clock);
    expect(await infoOf(trapper.url)).toMatch(/^processed: 2; failed: 0; total: 2;/);
  });
}

const raw = (url: URL) => exchange(url, frame(two));

fault('partial', 'one of two', async ({ url }) => {
  expect(await infoOf(url)).toMatch(/^processed: 1; failed: 1; total: 2;/);
});
fault('all-failed', 'none of two', async (trapper) => {
  expect(await infoOf(trapper.url)).toMatch(/^processed: 0; failed: 2; total: 2;/);
  expect(trapper.values).toEqual([]);
});
fault('failed', 'the request as a whole', async ({ url }) => {
  expect(answerOf(await raw(url))).toMatchObject({ response: 'failed' });
});
fault('garbage', 'bytes that are no frame', async ({ url }) => {
  expect((await raw(url)).subarray(0, 4).toString('latin1')).not.toBe('ZBXD');
});
fault('not-json', 'a frame around something else', async ({ url }) => {
  const bytes = await raw(url);
  expect(bytes.readUInt32LE(5)).toBe(bytes.length - 13);
  expect(() => JSON.parse(bytes.subarray(13).toString())).toThrow(SyntaxError);
});
fault('half-frame', 'less than it says', async ({ url }) => {
  const bytes = await raw(url);
  expect(bytes.readUInt32LE(5)).toBeGreaterThan(bytes.length - 13);
});
fault('close', 'no answer', async (trapper) => {
  expect(await raw(trapper.url)).toHaveLength(0);
  expect(trapper.values).toEqual([]);
});
fault('hang', 'no answer, and open', async (trapper) => {
  const socket = connect({ host: trapper.url.hostname, port: Number(trapper.url.port) });
  socket.write(frame(two));
  await expect.poll(() => trapper.journal().at(-1)).toMatchObject({ kind: 'fault', fault: 'hang' });
  expect([socket.bytesRead, socket.destroyed]).toEqual([0, false]);
  socket.destroy();
});
fault('closed-early', 'before anything is read', async (trapper) => {
  expect(await exchange(trapper.url)).toHaveLength(0);
  expect(trapper.journal().some(({ kind }) => kind === 'request')).toBe(false);
});
fault('slow', 'after a while', async (trapper, clock) => {
  const waiting = raw(trapper.url);
  await expect.poll(() => trapper.journal().at(-1)).toMatchObject({ kind: 'fault', fault: 'slow' });
  await clock.advance(20_000);
  expect(answerOf(await waiting)).toMatchObject({ response: 'success' });
});

test('each fault has a sentence, and a test that shows it', () => {
  expectAllShown(shown, trapperFaults);
});

verifies('sim.trapper.control sim.trapper.journal', 'over HTTP: values, known items, journal, reset', async () => {
  const clock = new ManualClock();
  await using trapper = await startTrapper({ clock });
  await using served = await serveControl({
    control: trapper,
    clock,
    extra: trapperControlRoutes(trapper),
  });
  const call = served.ask;
  expect(await call('PATCH', '/state', { known: { ups1: ['ups.load'] } })).toMatchObject({ status: 200 });
  expect(await call('PATCH', '/state', { known: 'all' })).toMatchObject({
    status: 400,
    body: { code: 'invalid_body' },
  });
  expect(await call('POST', '/faults', { fault: 'close', value: 2 })).toMatchObject({ status: 400 });
  await infoOf(trapper.url);
  expect((await call('GET', '/values')).body).toEqual({
    values: [{ host: 'ups1', key: 'ups.load', value: '19.0', clock: null }],
  });
  expect((await call('GET', '/journal')).body).toMatchObject({
    journal: [
      { kind: 'request', flags: 1 },
      { kind: 'value', host: 'ups1', key: 'ups.load', value: '19.0' },
      { kind: 'batch', processed: 1, failed: 1 },
    ],
  });
  await call('POST', '/reset');
  expect((await call('GET', '/state')).body).toMatchObject({ known: null, values: 0, faults: [] });
});

// One stream of live events, read in pieces: what it hands on and in which form, when it is slow, and how it ends.
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Permission } from '#contract/access.ts';
import { limits } from '#contract/limits.ts';
import { createEventRing } from '#hub/notify/live/event-ring.ts';
import { createEventStream } from '#hub/notify/live/event-stream.ts';
import { createRandom } from '../../../support/random.ts';

const opening = Buffer.from('[opening]');

function openStream(permissions: Permission[], { missed = [] as string[], maxEvents = 1000 } = {}) {
  const ring = createEventRing({ epoch: 'run', maxEvents, maxBytes: 64 * limits.liveWaitingBytes });
  for (const text of missed) {
    ring.append({ needs: 'network.read', frame: () => Buffer.from(text) });
  }
  const time = { now: 1_000_000 };
  const stream = createEventStream({
    ...{ ring, after: 0, opening, permissions: new Set(permissions), now: () => time.now },
    resyncFrame: (id) => Buffer.from(`[resync ${id}]`),
  });
  const publish = (needs: Permission, text: string, fuller?: string) => {
    const form = (part: string) => () => Buffer.from(part);
    const more = fuller === undefined ? undefined : { needs: 'settings.write' as const, frame: form(fuller) };
    stream.appended(ring.append({ needs, frame: form(text), fuller: more }));
  };
  /** What a reader that takes all gets now. */
  const read = async () => {
    let text = '';
    for (let turn = 0; turn < 3; turn += 1) {
      for (let chunk = stream.body.read(); chunk !== null; chunk = stream.body.read()) {
        text += chunk.toString();
      }
      await setImmediate();
    }
    return text;
  };
  return { ring, time, stream, publish, read };
}

const waiting = (bytes: number) => 'x'.repeat(bytes);

test.each([1, 2, 3, 4])(
  'a reader gets what it may see, once and in order, however it reads (seed %i)',
  async (seed) => {
    const random = createRandom(seed);
    const permissions: Permission[] = random() < 0.5 ? ['network.read'] : ['network.read', 'settings.write'];
    const mayMore = permissions.includes('settings.write');
    const { stream, publish, read } = openStream(permissions);
    let expected = '[opening]';
    let got = '';
    for (let step = 0; step < 300; step += 1) {
      const text = `[${step}${'.'.repeat(Math.floor(random() * 3000))}]`;
      const needs = (['network.read', 'ai.run', 'settings.write'] as const)[Math.floor(random() * 3)] ?? 'ai.run';
      const fuller = random() < 0.3 ? `[more ${step}]` : undefined;
      publish(needs, text, fuller);
      const isSeen = needs === 'network.read' || (needs === 'settings.write' && mayMore);
      expected += isSeen ? (mayMore && fuller !== undefined ? fuller : text) : '';
      got += random() < 0.2 ? await read() : '';
    }
    got += await read();
    expect(got).toBe(expected);
    expect(stream.ending.aborted).toBe(false);
    stream.end('stopping');
    stream.end('revoked');
    publish('network.read', '[late]');
    stream.heartbeat();
    expect(stream.ending.aborted).toBe(true);
    expect(await read()).toBe('event: closed\ndata: {"reason":"stopping"}\n\n');
    expect(stream.body.readableEnded).toBe(true);
  },
);

test('events that left the ring before they were read are one resync, and what came before counts no more', async () => {
  const { ring, time, publish, read, stream } = openStream(['network.read'], { maxEvents: 3 });
  expect(await read()).toBe('[opening]');
  publish('network.read', waiting(limits.liveWaitingBytes));
  for (let count = 0; count < 5; count += 1) {
    publish('network.read', `[${count}]`);
  }
  expect(await read()).toBe(`${waiting(limits.liveWaitingBytes)}[resync ${ring.idOf(6)}]`);
  time.now += limits.liveSlowMs;
  publish('network.read', '[6]');
  stream.heartbeat();
  expect(await read()).toBe('[6]:\n\n');
});

test('a stream is slow when more than a megabyte waits for five seconds, told by an event or by the heartbeat', async () => {
  for (const told of ['event', 'heartbeat'] as const) {
    const { time, stream, publish, read } = openStream(['network.read']);
    expect(await read()).toBe('[opening]');
    publish('network.read', waiting(20_000));
    publish('network.read', waiting(limits.liveWaitingBytes));
    time.now += limits.liveSlowMs;
    stream.heartbeat();
    expect(stream.ending.aborted).toBe(false);
    publish('network.read', '!');
    expect(stream.ending.aborted).toBe(true);
    expect(await read()).toMatch(/too_slow/);
    const other = openStream(['network.read']);
    other.publish('network.read', waiting(20_000));
    other.publish('network.read', waiting(limits.liveWaitingBytes + 1));
    other.time.now += limits.liveSlowMs - 1;
    other.stream.heartbeat();
    expect(other.stream.ending.aborted).toBe(false);
    other.time.now += 1;
    told === 'event' ? other.publish('network.read', '!') : other.stream.heartbeat();
    expect(other.stream.ending.aborted).toBe(true);
  }
});

test('the time of a slow reader begins with what it has not read, and what others may see does not count', async () => {
  const { time, stream, publish, read } = openStream(['network.read']);
  publish('network.read', '[first]');
  expect(await read()).toBe('[opening][first]');
  time.now += 10 * limits.liveSlowMs;
  publish('ai.run', waiting(2 * limits.liveWaitingBytes));
  publish('network.read', waiting(20_000));
  publish('network.read', waiting(2 * limits.liveWaitingBytes));
  stream.heartbeat();
  expect(stream.ending.aborted).toBe(false);
  time.now += limits.liveSlowMs - 1;
  stream.heartbeat();
  expect(stream.ending.aborted).toBe(false);
  expect((await read()).length).toBe(20_000 + 2 * limits.liveWaitingBytes);
  time.now += 1;
  stream.heartbeat();
  expect(stream.ending.aborted).toBe(false);
  expect(await read()).toBe(':\n\n');
});

test('a reader that goes away ends its stream, and nothing is handed on any more', async () => {
  const { stream, publish } = openStream(['network.read']);
  stream.body.destroy();
  await setImmediate();
  expect(stream.ending.aborted).toBe(true);
  publish('network.read', '[late]');
  stream.heartbeat();
  stream.end('stopping');
  expect(String(stream.body.read())).toBe('[opening]');
  expect(stream.body.readableLength).toBe(0);
});

test('what a reader missed before it came back is no sign that it is slow, nor a credit', async () => {
  const { time, stream, publish, read } = openStream(['network.read'], {
    missed: [waiting(2 * limits.liveWaitingBytes), '[missed]'],
  });
  time.now += limits.liveSlowMs;
  stream.heartbeat();
  expect(await read()).toBe(`[opening]${waiting(2 * limits.liveWaitingBytes)}[missed]`);
  publish('network.read', waiting(20_000));
  publish('network.read', waiting(limits.liveWaitingBytes + 1));
  time.now += limits.liveSlowMs;
  stream.heartbeat();
  expect(stream.ending.aborted).toBe(true);
});

test('nothing is handed on to a reader that has not asked for more', async () => {
  const { stream, publish, read } = openStream(['network.read']);
  publish('network.read', '[event]');
  stream.heartbeat();
  expect(stream.body.readableLength).toBe(opening.length);
  expect(await read()).toBe('[opening][event]');
  publish('network.read', waiting(20_000));
  publish('network.read', '[behind]');
  stream.heartbeat();
  expect(stream.body.readableLength).toBe(20_000);
  expect(await read()).toBe(`${waiting(20_000)}[behind]`);
});

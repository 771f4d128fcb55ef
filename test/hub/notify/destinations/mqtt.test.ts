// Events at MQTT brokers: the simulated one with its faults, and mosquitto.
import { lookup } from 'node:dns';
import { connectAsync } from 'mqtt';
import { describe, expect, test } from 'vitest';
import type { ToldEvent } from '#hub/base/told-event.ts';
import { createMqttSender } from '#hub/notify/destinations/mqtt/sender.ts';
import type { SettingsOf } from '#hub/notify/destinations/sender.ts';
import { freePort } from '#kernel/http/listening.ts';
import { lookupOutside } from '#kernel/net/forbidden-target.ts';
import { createLog } from '#kernel/process/log.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { type BrokerSimulator, startBroker } from '#simulators/mqtt/broker.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { startMosquitto } from '../../../support/mosquitto.ts';
import { startProgram } from '../../../support/program.ts';
import { withPrograms } from '../../../support/real-programs.ts';
import { verifies } from '../../../support/verifies.ts';

const user = 'gate';
const password = 'Broker-password-1';

const event: ToldEvent = {
  key: 'alert:1',
  kind: 'threat',
  state: 'raised',
  level: 'danger',
  at: Date.UTC(2026, 2, 1),
  title: 'A listed address was contacted',
  facts: [{ name: 'destination', label: 'Destination', value: '{{ states("lock.door") }}' }],
};

function createSender(
  port: number | string,
  changes: Partial<SettingsOf<'mqtt'>> = {},
  clock = systemClock,
  find = lookup,
) {
  const settings: SettingsOf<'mqtt'> = {
    kind: 'mqtt',
    host: '127.0.0.1',
    port: Number(port),
    tls: false,
    ca: '',
    user: '',
    password: '',
    topic: 'gatehouse',
    discovery: true,
    allowPrivate: true,
    ...changes,
  };
  const sender = createMqttSender(settings, {
    clock,
    log: createLog('test', 'silent'),
    version: '1.2.3',
    lookup: find,
  });
  let count = 0;
  return {
    send: (signal = new AbortController().signal, one = event) =>
      sender.send({ event: one, id: `id-${++count}`, now: clock.now(), signal }),
    [Symbol.asyncDispose]: () => sender[Symbol.asyncDispose](),
  };
}

const sentTo = (broker: BrokerSimulator, topic: string) =>
  broker.messages.filter((one) => one.topic === topic).map(({ payload }) => payload);
const config = 'homeassistant/device/gatehouse_gatehouse/config';

verifies('rest.telling.mqtt', 'an event, the state after it, and availability while the sender lives', async () => {
  await using broker = await startBroker({ user, password });
  const sender = createSender(broker.url.port, { user, password });
  await sender.send();
  const told = broker.messages.find(({ topic }) => topic === 'gatehouse/events');
  expect(told).toMatchObject({ qos: 1, retain: false });
  expect(JSON.parse(told?.payload ?? '')).toEqual({
    ...event,
    event_type: 'threat',
    id: 'id-1',
    at: '2026-03-01T00:00:00.000Z',
  });
  await sender.send(undefined, { ...event, state: 'resolved', title: 'x'.repeat(300) });
  await expect.poll(() => sentTo(broker, 'gatehouse/state').length).toBe(2);
  const state = JSON.parse(sentTo(broker, 'gatehouse/state')[1] ?? '');
  expect(state).toMatchObject({ count: 2, kind: 'threat', state: 'resolved', byKind: { threat: { level: 'danger' } } });
  expect(state.title).toHaveLength(255);
  // One connection, and everything that Home Assistant needs after a restart is retained.
  expect(broker.journal().filter(({ kind }) => kind === 'connected')).toHaveLength(1);
  expect(broker.messages.filter(({ retain }) => !retain)).toHaveLength(2);
  expect(sentTo(broker, 'gatehouse/availability')).toEqual(['online']);
  await broker.publish({ topic: 'homeassistant/status', payload: 'online' });
  await expect.poll(() => sentTo(broker, config).length).toBe(2);
  // The will of a connection before this one.
  await broker.publish({ topic: 'gatehouse/availability', payload: 'offline', retain: true });
  await expect.poll(() => sentTo(broker, 'gatehouse/availability').at(-1)).toBe('online');
  await sender[Symbol.asyncDispose]();
  expect(sentTo(broker, 'gatehouse/availability').at(-1)).toBe('offline');
  await expect.poll(() => broker.state().connections).toBe(0);
  await expect(sender.send()).rejects.toMatchObject({ kind: 'unreachable' });
});

verifies('rest.telling.mqtt-outage', 'a broker goes away and comes back; a missing PUBACK is no delivery', async () => {
  const clock = new ManualClock();
  await using broker = await startBroker();
  await using sender = createSender(broker.url.port, { discovery: false }, clock);
  await sender.send();
  broker.fail('no-ack', { times: 1 });
  const unanswered = sender.send();
  const outcome = expect(unanswered).rejects.toMatchObject({ kind: 'unreachable', code: 'no_answer' });
  await expect.poll(() => broker.journal().some(({ kind }) => kind === 'fault')).toBe(true);
  await clock.advance(15_000);
  await outcome;
  await sender.send();
  broker.fail('drop-on-publish', { times: 1 });
  await expect(sender.send()).rejects.toMatchObject({ kind: 'unreachable' });
  broker.fail('closed-early');
  await expect(sender.send()).rejects.toMatchObject({ kind: 'unreachable' });
  broker.clearFaults();
  await sender.send();
  expect(sentTo(broker, 'gatehouse/events')).toHaveLength(3);
  // Without anything to send, the loop brings the connection and the availability back.
  const times = sentTo(broker, 'gatehouse/availability').length;
  broker.reset();
  await expect
    .poll(
      async () => {
        await clock.advance(60_000);
        return sentTo(broker, 'gatehouse/availability');
      },
      { timeout: 10_000 },
    )
    .toContain('online');
  expect(times).toBeGreaterThan(1);
  broker.fail('silent');
  broker.reset();
  const stop = new AbortController();
  const reason = new Error('the hub ends');
  const waiting = sender.send(stop.signal);
  stop.abort(reason);
  await expect(waiting).rejects.toBe(reason);
});

describe('what the operator must change', () => {
  verifies('rest.telling.mqtt-refused', 'login, certificate and target, in words', async () => {
    await using broker = await startBroker({ user, password });
    const { port } = broker.url;
    const failures: [Partial<SettingsOf<'mqtt'>>, string, string][] = [
      [{}, 'settings', 'refused_login'],
      [{ user, password: 'wrong' }, 'settings', 'refused_login'],
      [{ port: Number(broker.tlsUrl.port), tls: true }, 'settings', 'tls_failed'],
      [{ port: Number(broker.tlsUrl.port), tls: true, ca: 'no PEM' }, 'settings', 'tls_failed'],
      [{ port: await freePort() }, 'unreachable', 'unreachable'],
    ];
    for (const [changes, kind, code] of failures) {
      await using sender = createSender(port, changes);
      const error = await sender.send().catch((one: unknown) => one);
      expect.soft(error, JSON.stringify(changes)).toMatchObject({ kind, code });
      expect.soft(String(error)).not.toContain('wrong');
    }
    await using secure = createSender(broker.tlsUrl.port, { tls: true, ca: broker.ca ?? '', user, password });
    await secure.send();
  });

  test('a refused target is not connected to, be it a name or an address', async () => {
    await using broker = await startBroker();
    for (const host of ['localhost', '127.0.0.1']) {
      await using sender = createSender(broker.url.port, { host }, systemClock, lookupOutside(false) as typeof lookup);
      await expect.soft(sender.send()).rejects.toMatchObject({ kind: 'settings', code: 'private_target' });
    }
    expect(broker.journal()).toEqual([]);
  });
});

withPrograms('mosquitto', ['mosquitto'], () => {
  verifies('rest.telling.mqtt-will', 'mosquitto takes events, and says `offline` when the process dies', async () => {
    await using broker = await startMosquitto(user, password);
    const listener = await connectAsync(`mqtt://127.0.0.1:${broker.port}`, { username: user, password });
    const heard: string[] = [];
    listener.on('message', (topic, payload) => heard.push(`${topic} ${payload}`));
    await listener.subscribeAsync('gatehouse/#', { qos: 1 });
    const login = { user, password };
    const script = `
      import { lookup } from 'node:dns';
      import { createMqttSender } from '#hub/notify/destinations/mqtt/sender.ts';
      import { createLog } from '#kernel/process/log.ts';
      import { systemClock } from '#kernel/time/clock.ts';
      const settings = ${JSON.stringify({ kind: 'mqtt', host: '127.0.0.1', port: broker.port, tls: false, ca: '', ...login, topic: 'gatehouse', discovery: true, allowPrivate: true })};
      const sender = createMqttSender(settings, { clock: systemClock, log: createLog('test', 'silent'), version: '1', lookup });
      const signal = new AbortController().signal;
      await sender.send({ event: ${JSON.stringify(event)}, id: 'x', now: 0, signal });
      setInterval(() => {}, 1000);`;
    await using program = startProgram(['--input-type=module', '--eval', script], { command: process.execPath });
    await expect.poll(() => heard.some((one) => one.startsWith('gatehouse/events ')), { timeout: 10_000 }).toBe(true);
    expect(heard[0]).toBe('gatehouse/availability online');
    program.kill('SIGKILL');
    await expect.poll(() => heard.at(-1), { timeout: 10_000 }).toBe('gatehouse/availability offline');
    await listener.endAsync();
    await using wrong = createSender(broker.port, { user, password: 'wrong' });
    await expect(wrong.send()).rejects.toMatchObject({ kind: 'settings', code: 'refused_login' });
  });
});

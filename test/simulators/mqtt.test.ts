// The simulated MQTT broker with the npm mqtt library: messages, retained ones, TLS, users, faults, control.
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { connectAsync, type IClientOptions, type MqttClient } from 'mqtt';
import { expect, test } from 'vitest';
import { freePort } from '#kernel/http/listening.ts';
import { type BrokerOptions, type BrokerSimulator, startBroker } from '#simulators/mqtt/broker.ts';
import { brokerControlRoutes } from '#simulators/mqtt/control.ts';
import { type BrokerFault, brokerFaults } from '#simulators/mqtt/faults.ts';
import { serveControl } from '../support/control-client.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { expectAllShown } from '../support/shown-faults.ts';
import { verifies } from '../support/verifies.ts';

const noRetry = { reconnectPeriod: 0, connectTimeout: 20_000 } as const;

function connect(url: URL, options: IClientOptions = {}): Promise<MqttClient> {
  return connectAsync(url.href, { ...noRetry, ...options }, false);
}

/** Why the library could not connect or publish. */
async function failure(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => new Error('nothing went wrong'),
    (thrown: unknown) => thrown,
  );
  return `${(error as NodeJS.ErrnoException).code ?? ''} ${(error as Error).message}`.trim();
}

/** The next message a client gets. */
async function nextMessage(client: MqttClient): Promise<{ topic: string; payload: string; retain: boolean }> {
  const [topic, payload, packet] = await new Promise<[string, Buffer, { retain: boolean }]>((resolve) => {
    client.once('message', (...message) => resolve(message));
  });
  return { topic, payload: payload.toString(), retain: packet.retain };
}

const publishOne = async (broker: BrokerSimulator, qos: 0 | 1 | 2 = 0, options: IClientOptions = {}) => {
  const client = await connect(broker.url, options);
  // The library tells of a lost connection here as well.
  client.on('error', () => undefined);
  await client.publishAsync('upsget/ups', '{"load":"19.0"}', { qos });
  await client.endAsync();
};

verifies(
  'sim.mqtt.independent-client card.ships.mqtt-simulator',
  'what is published reaches who has subscribed, retained also who comes later',
  async () => {
    await using broker = await startBroker();
    const listener = await connect(broker.url);
    await listener.subscribeAsync('upsget/+');
    const heard = nextMessage(listener);
    await publishOne(broker, 1);
    expect(await heard).toEqual({ topic: 'upsget/ups', payload: '{"load":"19.0"}', retain: false });
    expect(broker.messages).toMatchObject([{ topic: 'upsget/ups', payload: '{"load":"19.0"}', qos: 1, retain: false }]);
    await broker.publish({ topic: 'upsget/state', payload: 'online', retain: true });
    await listener.endAsync();
    const later = await connect(broker.url);
    const kept = nextMessage(later);
    await later.subscribeAsync('#');
    expect(await kept).toMatchObject({ topic: 'upsget/state', retain: true });
    await later.endAsync();
  },
);

verifies('sim.mqtt.independent-client', 'over TLS whoever trusts the CA is served, others are not', async () => {
  await using broker = await startBroker();
  const client = await connect(broker.tlsUrl, { ca: broker.ca ?? '' });
  await client.publishAsync('a', 'b', { qos: 2 });
  await client.endAsync();
  expect(broker.messages).toMatchObject([{ topic: 'a', qos: 2 }]);
  expect(await failure(connect(broker.tlsUrl))).toMatch(/UNABLE_TO_VERIFY|SELF_SIGNED/);
});

verifies('sim.mqtt.auth', 'the right password, a wrong one, none', async () => {
  await using broker = await startBroker({ user: 'ha', password: 'right-Password-1' });
  const client = await connect(broker.url, { username: 'ha', password: 'right-Password-1' });
  await client.endAsync();
  const wrong = { username: 'ha', password: 'wrong' };
  expect(await failure(connect(broker.url, wrong))).toMatch(/^5 .*Not authorized/);
  expect(await failure(connect(broker.url))).toMatch(/^5 .*Not authorized/);
  broker.patch({ user: null });
  await (await connect(broker.url, wrong)).endAsync();
});

verifies('sim.mqtt.journal', 'connections, refusals and messages in order, no password', async () => {
  await using broker = await startBroker({ user: 'ha', password: 'right-Password-1' });
  await failure(connect(broker.url, { clientId: 'one', username: 'ha', password: 'wrong' }));
  await publishOne(broker, 0, { clientId: 'two', username: 'ha', password: 'right-Password-1' });
  await expect.poll(() => broker.journal().at(-1)?.kind).toBe('disconnected');
  expect(broker.journal().filter(({ kind }) => kind !== 'client-error')).toMatchObject([
    { kind: 'login-refused', client: 'one', user: 'ha', reason: 'wrong user name or password' },
    { kind: 'connected', client: 'two', user: 'ha', version: 4 },
    { kind: 'publish', client: 'two', topic: 'upsget/ups', payload: '{"load":"19.0"}', qos: 0, retain: false },
    { kind: 'disconnected', client: 'two' },
  ]);
  expect(JSON.stringify(broker.journal())).not.toContain('right-Password-1');
});

const shown = new Set<BrokerFault>();

/** A test of one fault; the last test asks that each has one. */
function fault(
  name: BrokerFault,
  what: string,
  body: (broker: BrokerSimulator, clock: ManualClock) => Promise<void>,
): void {
  shown.add(name);
  verifies('sim.mqtt.faults', `${name}: ${what}`, async () => {
    const clock = new ManualClock();
    await using broker = await startBroker({ clock } satisfies BrokerOptions);
    await body(broker, clock);
    broker.clearFaults();
    await publishOne(broker, 1);
  });
}

fault('silent', 'no answer to CONNECT', async (broker) => {
  broker.fail('silent', { times: 1 });
  expect(await failure(connect(broker.url, { connectTimeout: 300 }))).toMatch(/connack timeout/);
});

fault('closed-early', 'the connection is gone', async (broker) => {
  broker.fail('closed-early', { times: 2 });
  for (const url of [broker.url, broker.tlsUrl]) {
    expect(await failure(connect(url))).toMatch(/close|ECONNRESET|disconnected|Couldn't connect/i);
  }
});

fault('not-mqtt', 'HTTP answers', async (broker) => {
  broker.fail('not-mqtt', { times: 1 });
  const socket = connectTcp({ host: broker.url.hostname, port: Number(broker.url.port) });
  const [part] = await once(socket, 'data');
  expect(String(part)).toMatch(/^HTTP\/1\.1 400/);
  socket.destroy();
});

fault('auth-refused', 'return code 5', async (broker) => {
  broker.fail('auth-refused', { times: 1 });
  expect(await failure(connect(broker.url))).toMatch(/^5 /);
});

fault('unavailable', 'return code 3', async (broker) => {
  broker.fail('unavailable', { times: 1 });
  expect(await failure(connect(broker.url))).toMatch(/^3 /);
});

fault('slow', 'the answer comes after the wait', async (broker, clock) => {
  broker.fail('slow', { times: 1, value: 10_000 });
  const connecting = connect(broker.url);
  await expect
    .poll(() => broker.journal().some(({ kind, fault: name }) => kind === 'fault' && name === 'slow'))
    .toBe(true);
  expect(broker.journal().some(({ kind }) => kind === 'connected')).toBe(false);
  await clock.advance(10_000);
  await (await connecting).endAsync();
});

fault('drop-on-publish', 'the connection is gone and the message too', async (broker) => {
  broker.fail('drop-on-publish', { times: 1 });
  const client = await connect(broker.url);
  client.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => client.once('close', () => resolve()));
  client.publish('a', 'b', { qos: 1 }, () => undefined);
  await closed;
  await client.endAsync(true);
  expect(broker.messages).toEqual([]);
});

fault('no-ack', 'a message of QoS 1 is never acknowledged', async (broker) => {
  broker.fail('no-ack', { times: 1 });
  const client = await connect(broker.url);
  let acknowledged = false;
  client.publish('a', 'b', { qos: 1 }, (error) => {
    acknowledged = !error;
  });
  await expect
    .poll(() => broker.journal().some(({ kind, fault: name }) => kind === 'fault' && name === 'no-ack'))
    .toBe(true);
  await client.endAsync(true);
  expect([acknowledged, broker.messages]).toEqual([false, []]);
});

test('each fault has a sentence, and a test that shows it', () => {
  expectAllShown(shown, brokerFaults);
});

verifies('sim.mqtt.control', 'over HTTP: messages, publishing, settings, reset', async () => {
  const clock = new ManualClock();
  await using broker = await startBroker({ clock });
  await using served = await serveControl({
    control: broker,
    clock,
    extra: brokerControlRoutes(broker),
  });
  const call = served.ask;
  expect(await call('POST', '/messages', { topic: 'a/b', payload: 'c', retain: true })).toMatchObject({ status: 201 });
  expect(await call('POST', '/messages', { topic: 'a/#', payload: 'c' })).toMatchObject({ status: 400 });
  expect((await call('GET', '/messages')).body).toEqual({
    messages: [{ topic: 'a/b', payload: 'c', qos: 0, retain: true, client: null }],
  });
  expect(await call('PATCH', '/state', { user: 'ha', password: 'x' })).toMatchObject({
    status: 200,
    body: { user: 'ha' },
  });
  expect(await call('PATCH', '/state', { users: [] })).toMatchObject({ status: 400, body: { code: 'invalid_body' } });
  expect(await call('POST', '/faults', { fault: 'silent', value: 3 })).toMatchObject({ status: 400 });
  expect(await call('POST', '/reset')).toMatchObject({ status: 200 });
  expect((await call('GET', '/state')).body).toMatchObject({ user: null, messages: 0, clients: 0 });
  const later = await connect(broker.url);
  await later.subscribeAsync('#');
  const heard: string[] = [];
  later.on('message', (topic) => heard.push(topic));
  await later.publishAsync('end', '', { qos: 1 });
  await expect.poll(() => heard).toEqual(['end']);
  await later.endAsync();
});

test('a broker whose port for TLS is taken leaves nothing that listens', async () => {
  const port = await freePort();
  expect(await failure(startBroker({ port, tlsPort: port }))).toMatch(/^EADDRINUSE /);
  const socket = connectTcp({ host: '127.0.0.1', port });
  expect(await failure(once(socket, 'connect'))).toMatch(/^ECONNREFUSED /);
});

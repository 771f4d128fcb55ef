// Values sent on: over MQTT with the command-line client and with the library, and to a trapper with the sender command.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { connectAsync } from 'mqtt';
import { describe, expect, test } from 'vitest';
import { type BrokerSimulator, startBroker } from '#simulators/mqtt/broker.ts';
import type { BrokerFault } from '#simulators/mqtt/faults.ts';
import type { TrapperFault } from '#simulators/trapper/faults.ts';
import { startTrapper } from '#simulators/trapper/trapper.ts';
import type { UpsSimulator } from '#simulators/ups/ups.ts';
import { publishWithLibrary } from '#upsget/mqtt-library.ts';
import { parseOptions } from '#upsget/options.ts';
import { eventually } from '../support/eventually.ts';
import { startMosquitto } from '../support/mosquitto.ts';
import { withPrograms } from '../support/real-programs.ts';
import { startUpsLab } from '../support/ups-lab.ts';
import { copyOfUpsget, newHome, plainValues, runUpsget, startUpsget, withoutPrograms } from '../support/upsget.ts';
import { verifies } from '../support/verifies.ts';

const user = 'ha';
const password = 'Broker-password "1" #%';

const brokerArgs = (port: string | number) => ['--mqtt-send', '127.0.0.1', '--mqtt-port', String(port)];
const login = ['--mqtt-user', user, '--mqtt-password', password];
const oneError = (says: string) => expect.stringMatching(new RegExp(`^Error: [^\n]*${says}[^\n]*\n$`));

/** What both ways of publishing must do, and both brokers say. */
function publishes(how: string, env: Record<string, string>): void {
  const run = (args: readonly string[], ups: UpsSimulator) => runUpsget(args, { ups, env });

  describe(how, () => {
    verifies('ups.mode.mqtt ups.option.mqtt-auth ups.option.mqtt-topic', 'all values arrive as one JSON', async () => {
      await using lab = await startUpsLab({ settings: { locale: 'ja' } });
      await using broker = await startBroker({ user, password });
      const args = [...brokerArgs(broker.url.port), ...login];
      expect(await run(args, lab.ups)).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
      const more = ['--mqtt-topic', 'home/ups 1', '--qos', '1', '--retain', '--json-typed'];
      expect(await run([...args, ...more], lab.ups)).toMatchObject({ code: 0, stdout: '' });
      expect(broker.messages).toMatchObject([
        { topic: 'upsget/ups', qos: 0, retain: false },
        { topic: 'home/ups 1', qos: 1, retain: true },
      ]);
      const [first, second] = broker.messages.map(({ payload }) => JSON.parse(payload));
      expect(first).toEqual(plainValues);
      expect(second).toMatchObject({ load: 19, units: { load: '%' } });
      expect(lab.ups.state()).toMatchObject({ locale: 'ja', loggedOn: 0 });
    });

    test('--ha-discovery announces each value, retained, before it is sent', async () => {
      await using lab = await startUpsLab();
      await using broker = await startBroker();
      expect(await run([...brokerArgs(broker.url.port), '--ha-discovery'], lab.ups)).toMatchObject({ code: 0 });
      const [config, state, availability] = broker.messages;
      expect(broker.messages).toHaveLength(3);
      expect(config).toMatchObject({
        topic: expect.stringMatching(/^homeassistant\/device\/upsget_127_0_0_1_\d+\/config$/),
        retain: true,
      });
      const announced = JSON.parse(config?.payload ?? '{}');
      const { device, components, origin, state_topic: topic } = announced;
      expect(availability).toMatchObject({ topic: announced.availability_topic, payload: 'online', retain: true });
      expect(announced.availability_topic).toBe(`${topic}/availability`);
      expect(device).toMatchObject({
        model: expect.stringMatching(/UPS/),
        sw_version: expect.stringMatching(/^upsget \d+\.\d+\.\d+$/),
        configuration_url: lab.ups.url.href,
      });
      expect(`upsget ${origin.sw_version}`).toBe(device.sw_version);
      expect({ topic, names: Object.keys(components) }).toEqual({
        topic: state?.topic,
        names: Object.keys(plainValues),
      });
      expect(device.identifiers).toHaveLength(1);
      expect(components.battery).toMatchObject({
        platform: 'sensor',
        device_class: 'battery',
        unit_of_measurement: '%',
        state_class: 'measurement',
      });
      expect(components.status).not.toHaveProperty('unit_of_measurement');
      // One reading alone says nothing of the next.
      expect(config?.payload).not.toContain('expire_after');
      const ids = Object.values(components as Record<string, { unique_id: string }>).map((one) => one.unique_id);
      expect(new Set(ids).size).toBe(6);
    });

    test('--ha-discovery says when no values come any more, and when they come again', async () => {
      await using lab = await startUpsLab();
      await using broker = await startBroker();
      const args = [...brokerArgs(broker.url.port), '--ha-discovery'];
      const told = () =>
        broker.messages.filter(({ topic }) => topic.endsWith('/availability')).map(({ payload }) => payload);
      lab.ups.fail('error-500', { command: '/status' });
      expect(await run(args, lab.ups)).toMatchObject({ code: 1 });
      expect(broker.messages).toMatchObject([{ topic: 'upsget/ups/availability', payload: 'offline', retain: true }]);
      lab.ups.clearFaults();
      expect(await run(args, lab.ups)).toMatchObject({ code: 0 });
      expect(told()).toEqual(['offline', 'online']);
      await using watching = startUpsget([...args, '--watch', '3600'], { ups: lab.ups, env });
      await expect.poll(() => told().length).toBe(3);
      watching.kill('SIGTERM');
      expect(await watching.ended).toEqual({ code: 0, signal: null });
      expect(told()).toEqual(['offline', 'online', 'online', 'offline']);
    });

    test('--ha-discovery with --watch bears two failed readings, and no way out but its own counts', async () => {
      await using lab = await startUpsLab();
      await using broker = await startBroker();
      const told = () =>
        broker.messages.filter(({ topic }) => topic.endsWith('/availability')).map(({ payload }) => payload);
      const seen = (count: number) =>
        eventually(
          async () => told().length,
          (length) => (length >= count ? true : undefined),
        );
      const trapper = ['--trapper-send', '127.0.0.1', '--trapper-port', '1'];
      const args = [...brokerArgs(broker.url.port), ...trapper, '--ha-discovery', '--watch', '1'];
      await using watching = startUpsget(args, { ups: lab.ups, env });
      await seen(1);
      const { components } = JSON.parse(broker.messages[0]?.payload ?? '{}');
      // Three times the one second between readings, and the 30 that a request may take.
      expect(components).toMatchObject({ load: { expire_after: 33 }, status: { expire_after: 33 } });
      lab.ups.fail('error-500', { command: '/status' });
      await expect.poll(() => told().at(-1)).toBe('offline');
      // The third one is printed when the broker has been told.
      const failed = watching.stderr().match(/^Error: .*\/status.*$/gm) ?? [];
      expect(failed.length).toBeGreaterThanOrEqual(2);
      lab.ups.clearFaults();
      await expect.poll(() => told().at(-1)).toBe('online');
      watching.kill('SIGTERM');
      expect(await watching.ended).toEqual({ code: 0, signal: null });
      expect(told().at(-1)).toBe('offline');
    });

    test('--ha-discovery says why the broker could not be told', async () => {
      await using lab = await startUpsLab();
      lab.ups.fail('error-500', { command: '/status' });
      const { code, stderr } = await run([...brokerArgs(1), '--ha-discovery'], lab.ups);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^Warning: the broker could not be told that no values come: .*\nError: .*\n$/);
    });

    test('--mqtts speaks TLS to a broker that is known, and to no other', async () => {
      await using lab = await startUpsLab();
      await using broker = await startBroker();
      const ca = path.join(newHome(), 'ca.pem');
      writeFileSync(ca, broker.ca ?? '');
      const args = [...brokerArgs(broker.tlsUrl.port), '--mqtts'];
      expect(await run([...args, '--mqtts-ca', ca], lab.ups)).toMatchObject({ code: 0, stderr: '' });
      expect(await run(args, lab.ups)).toMatchObject({
        code: 1,
        stderr: oneError('MQTT publish to 127\\.0\\.0\\.1:\\d+ failed'),
      });
      expect(broker.messages).toHaveLength(1);
    });

    verifies('ups.error.mqtt', 'a wrong password, a missing user, nobody there, no MQTT there', async () => {
      await using lab = await startUpsLab({ settings: { locale: 'ja' } });
      await using broker = await startBroker({ user, password });
      const failed = (says: string) => ({
        code: 1,
        stdout: '',
        stderr: oneError(`MQTT publish to 127\\.0\\.0\\.1:\\d+ failed.*${says}`),
      });
      const args = brokerArgs(broker.url.port);
      const wrong = await run([...args, '--mqtt-user', user, '--mqtt-password', 'Wrong-password-2'], lab.ups);
      expect(wrong).toMatchObject(failed('(?:refused user and password|[Nn]ot authori[sz]ed)'));
      expect(wrong.stderr).not.toContain('Wrong-password-2');
      expect(await run(args, lab.ups)).toMatchObject(failed('(?:refused user and password|[Nn]ot authori[sz]ed)'));
      expect(await run(brokerArgs(1), lab.ups)).toMatchObject(failed('[Cc]onnection refused'));
      const faults: [BrokerFault, string][] = [
        ['not-mqtt', ''],
        ['closed-early', ''],
        ['unavailable', ''],
      ];
      for (const [fault, says] of faults) {
        broker.fail(fault, { times: 1 });
        expect.soft(await run([...args, ...login], lab.ups), fault).toMatchObject(failed(says));
      }
      broker.fail('drop-on-publish', { times: 1 });
      expect(await run([...args, ...login, '--qos', '1'], lab.ups)).toMatchObject(failed(''));
      expect(broker.messages).toEqual([]);
      expect(lab.ups.state()).toMatchObject({ locale: 'ja', loggedOn: 0 });
    });
  });
}

withPrograms('mosquitto-clients', ['mosquitto_pub'], () => {
  publishes('with mosquitto_pub', {});

  verifies('ups.mqtt.client-first', 'the command-line client is used when it is there', async () => {
    await using lab = await startUpsLab();
    await using broker = await startBroker();
    await runUpsget(brokerArgs(broker.url.port), { ups: lab.ups });
    expect(broker.messages).toMatchObject([{ client: expect.stringMatching(/^upsget-[\da-f]{8}$/) }]);
  });

  test('user and password also come from the environment or the file, with the options of the client itself', async () => {
    await using lab = await startUpsLab();
    await using broker = await startBroker({ user, password });
    const args = brokerArgs(broker.url.port);
    const env = { UPSGET_MQTT_USER: user, UPSGET_MQTT_PASSWORD: password };
    expect(await runUpsget(args, { ups: lab.ups, env })).toMatchObject({ code: 0, stderr: '' });
    const home = newHome();
    writeFileSync(path.join(home, '.upsget.conf'), `[mqtt]\nusername = ${user}\npassword = ${password}\n`, {
      mode: 0o600,
    });
    mkdirSync(path.join(home, '.config'));
    writeFileSync(path.join(home, '.config/mosquitto_pub'), '--will-topic gone\n--will-payload x');
    expect(await runUpsget(args, { ups: lab.ups, home })).toMatchObject({ code: 0, stderr: '' });
    expect(broker.messages).toHaveLength(2);
  });

  test('no password is in an argument, an environment or a file but the 0600 one, and none is left', async () => {
    await using lab = await startUpsLab({ settings: { locale: 'ja' } });
    await using broker = await startBroker({ user, password });
    broker.fail('silent');
    const home = newHome();
    const temporary = path.join(home, 'tmp');
    mkdirSync(temporary);
    const env = { TMPDIR: temporary, UPSGET_MQTT_USER: user, UPSGET_MQTT_PASSWORD: password };
    await using program = startUpsget(brokerArgs(broker.url.port), { ups: lab.ups, home, env });
    const child = await eventually(
      async () => childrenOf(program.pid).find((pid) => readProc(pid, 'cmdline').startsWith('mosquitto_pub')),
      (pid) => pid,
    );
    const secrets = [password, lab.ups.credentials.password];
    for (const text of [readProc(program.pid, 'cmdline'), readProc(child, 'cmdline'), readProc(child, 'environ')]) {
      expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
    }
    expect(readProc(child, 'environ')).not.toContain('UPSGET_');
    const files = filesBelow(home).filter((file) =>
      secrets.some((secret) => readFileSync(file, 'utf8').includes(secret)),
    );
    expect(files).toHaveLength(1);
    expect(files.map((file) => [statSync(file).mode & 0o777, statSync(path.dirname(file)).mode & 0o777])).toEqual([
      [0o600, 0o700],
    ]);
    program.kill('SIGTERM');
    expect(await program.ended).toEqual({ code: 143, signal: null });
    expect(readdirSync(temporary)).toEqual([]);
    expect(() => readProc(child, 'cmdline')).toThrow();
    expect(lab.ups.state()).toMatchObject({ locale: 'ja', loggedOn: 0 });
    for (const secret of secrets) {
      expect(
        program.stdout() + program.stderr() + filesBelow(home).map((file) => readFileSync(file, 'utf8')),
      ).not.toContain(secret);
    }
  });

  test('a password too long for the option file goes to the library', async () => {
    await using lab = await startUpsLab();
    const long = 'p'.repeat(1200);
    await using broker = await startBroker({ user, password: long });
    const env = { UPSGET_MQTT_USER: user, UPSGET_MQTT_PASSWORD: long };
    expect(await runUpsget(brokerArgs(broker.url.port), { ups: lab.ups, env })).toMatchObject({ code: 0, stderr: '' });
    expect(broker.messages).toHaveLength(1);
  });
});

publishes('with the library', withoutPrograms);

test('a signal ends the library while it waits for a silent broker', async () => {
  await using lab = await startUpsLab({ settings: { locale: 'ja' } });
  await using broker = await startBroker();
  broker.fail('silent');
  await using program = startUpsget(brokerArgs(broker.url.port), { ups: lab.ups, env: withoutPrograms });
  await expect.poll(() => broker.state().connections).toBe(1);
  program.kill('SIGTERM');
  expect(await program.ended).toEqual({ code: 143, signal: null });
  // It did not wait until the broker would have been given up.
  expect(program.stderr()).toBe('Error: ended by SIGTERM\n');
  expect(lab.ups.state()).toMatchObject({ locale: 'ja', loggedOn: 0 });
});

test('the library leaves a broker that acknowledges nothing, when it is ended', async () => {
  await using broker = await startBroker();
  broker.fail('no-ack');
  const reason = new Error('ended');
  const options = parseOptions([...brokerArgs(broker.url.port), '--qos', '1']);
  const mqtt = typeof options === 'string' ? null : options.mqtt;
  const controller = new AbortController();
  const message = { topic: 'upsget/ups', payload: '{}', retain: false };
  const publishing = publishWithLibrary([message], mqtt ?? expect.unreachable(), controller.signal);
  await expect.poll(() => broker.journal().map(({ kind }) => kind)).toContain('fault');
  controller.abort(reason);
  await expect(publishing).rejects.toBe(reason);
  // A connection that stays keeps the program from ending.
  await expect.poll(() => broker.state().connections, { timeout: 20_000 }).toBe(0);
  broker.clearFaults();
  // What has been given up is not waited for.
  await expect(publishWithLibrary([message], mqtt ?? expect.unreachable(), controller.signal)).rejects.toBe(reason);
});

verifies(
  'ups.mqtt.client-fallback ups.error.mqtt-missing ups.run.extra-tools',
  'the library does it without the client; without both a sentence names them',
  async () => {
    await using lab = await startUpsLab();
    await using broker = await startBroker();
    const args = brokerArgs(broker.url.port);
    expect(await runUpsget(args, { ups: lab.ups, env: withoutPrograms })).toMatchObject({ code: 0 });
    const alone = await runUpsget([...args, '--json'], { ups: lab.ups, env: withoutPrograms, root: copyOfUpsget() });
    expect(alone).toMatchObject({
      code: 1,
      stdout: `${JSON.stringify(plainValues)}\n`,
      stderr: oneError('mosquitto_pub .*npm library "mqtt".*neither is installed'),
    });
    expect(broker.messages).toHaveLength(1);
    expect(lab.ups.state()).toMatchObject({ loggedOn: 0 });
  },
);

withPrograms('mosquitto mosquitto-clients', ['mosquitto', 'mosquitto_pub'], () => {
  test('the real broker agrees with the simulated one, for both ways of publishing', async () => {
    await using lab = await startUpsLab();
    await using real = await startMosquitto(user, password);
    await using simulated = await startBroker({ user, password });
    const outcomes = async (port: string | number) => {
      const listener = await connectAsync(`mqtt://127.0.0.1:${port}`, { username: user, password });
      const heard: string[] = [];
      listener.on('message', (topic, payload) => heard.push(`${topic} ${payload}`));
      await listener.subscribeAsync('#');
      const found: { code: number | null; stderr: string }[] = [];
      for (const env of [{}, withoutPrograms]) {
        for (const extra of [
          login,
          ['--mqtt-user', user, '--mqtt-password', 'Wrong-password-2'],
          [],
          [...login, '--retain', '--ha-discovery'],
        ]) {
          const { code, stderr } = await runUpsget([...brokerArgs(port), ...extra], { ups: lab.ups, env });
          found.push({ code, stderr: stderr.replaceAll(`:${port}`, '') });
        }
      }
      await expect.poll(() => heard.length).toBeGreaterThanOrEqual(8);
      await listener.endAsync();
      return { found, heard };
    };
    const theirs = await outcomes(real.port);
    expect(theirs.heard).toHaveLength(8);
    expect(theirs.found.map(({ code }) => code)).toEqual([0, 1, 1, 0, 0, 1, 1, 0]);
    expect(await outcomes(simulated.url.port)).toEqual(theirs);
  });
});

const trapperArgs = (port: string | number) => ['--trapper-send', '127.0.0.1', '--trapper-port', String(port)];

withPrograms('zabbix-agent', ['zabbix_sender'], () => {
  verifies('ups.mode.trapper ups.option.trapper-host', 'all values arrive, for the address or a host', async () => {
    await using lab = await startUpsLab({ settings: { locale: 'ja' } });
    await using trapper = await startTrapper();
    expect(await runUpsget(trapperArgs(trapper.url.port), { ups: lab.ups })).toEqual({
      code: 0,
      signal: null,
      stdout: '',
      stderr: '',
    });
    expect(
      await runUpsget([...trapperArgs(trapper.url.port), '--trapper-host', 'my ups'], { ups: lab.ups }),
    ).toMatchObject({ code: 0 });
    const expected = (host: string) =>
      Object.entries(plainValues).map(([name, value]) => ({ host, key: `ups.${name}`, value }));
    expect(trapper.values).toMatchObject([...expected('127.0.0.1'), ...expected('my ups')]);
  });

  test('a value with quotes and backslashes arrives as it is', async () => {
    await using lab = await startUpsLab();
    await using trapper = await startTrapper();
    lab.ups.set({ DeviceStatus: 'On "Line" \\ C:\\new' });
    expect(await runUpsget(trapperArgs(trapper.url.port), { ups: lab.ups })).toMatchObject({ code: 0 });
    expect(trapper.values[0]?.value).toBe('On "Line" \\ C:\\new');
  });

  verifies('ups.error.trapper', 'nobody there, a refusal, a part refused, garbage: each with what to do', async () => {
    await using lab = await startUpsLab({ settings: { locale: 'ja' } });
    await using trapper = await startTrapper();
    const send = () => runUpsget(trapperArgs(trapper.url.port), { ups: lab.ups });
    const faults: [TrapperFault, string][] = [
      ['partial', 'refused 1 of 6 values: it must know the host "127.0.0.1"'],
      ['all-failed', 'refused 6 of 6 values'],
      ['failed', 'failed \\(zabbix_sender exit code 1\\): '],
      ['garbage', 'failed \\(zabbix_sender exit code 1\\): '],
      ['not-json', 'failed \\(zabbix_sender exit code 1\\): '],
      ['half-frame', 'failed \\(zabbix_sender exit code 1\\): '],
      ['closed-early', 'failed \\(zabbix_sender exit code 1\\): '],
    ];
    for (const [fault, says] of faults) {
      trapper.reset();
      trapper.fail(fault);
      expect.soft(await send(), fault).toMatchObject({ code: 1, stdout: '', stderr: oneError(says) });
    }
    const nobody = await runUpsget(trapperArgs(1), { ups: lab.ups });
    expect(nobody).toMatchObject({ code: 1, stderr: oneError('sending to the trapper at 127\\.0\\.0\\.1:1 failed') });
    expect(lab.ups.state()).toMatchObject({ locale: 'ja', loggedOn: 0 });
  });

  verifies('ups.mode.combined', 'JSON, MQTT and trapper together: each is tried whatever the others do', async () => {
    await using lab = await startUpsLab();
    await using broker = await startBroker();
    await using trapper = await startTrapper();
    const all = ['--json', ...brokerArgs(broker.url.port), ...trapperArgs(trapper.url.port)];
    const sent = (b: BrokerSimulator) => [b.messages.length, trapper.values.length];
    expect(await runUpsget(all, { ups: lab.ups })).toMatchObject({
      code: 0,
      stdout: `${JSON.stringify(plainValues)}\n`,
      stderr: '',
    });
    expect(sent(broker)).toEqual([1, 6]);
    broker.fail('auth-refused', { times: 1 });
    const half = await runUpsget(all, { ups: lab.ups });
    expect(half).toMatchObject({
      code: 1,
      stdout: `${JSON.stringify(plainValues)}\n`,
      stderr: oneError('MQTT publish'),
    });
    expect(sent(broker)).toEqual([1, 12]);
    broker.fail('auth-refused', { times: 1 });
    trapper.fail('failed');
    const neither = await runUpsget(all, { ups: lab.ups });
    expect(neither.stderr).toMatch(/^Error: MQTT publish[^\n]*\nError: sending to the trapper[^\n]*\n$/);
  });
});

verifies('ups.trapper.sender-installed ups.run.extra-tools', 'without the sender its package is named', async () => {
  await using lab = await startUpsLab();
  const result = await runUpsget(trapperArgs(1), { ups: lab.ups, env: withoutPrograms });
  expect(result).toMatchObject({
    code: 1,
    stdout: '',
    stderr: oneError('zabbix_sender \\(package zabbix-sender; in Debian zabbix-agent\\), which is not installed'),
  });
  expect(lab.ups.state()).toMatchObject({ loggedOn: 0 });
});

function readProc(pid: number, what: 'cmdline' | 'environ'): string {
  return readFileSync(`/proc/${pid}/${what}`, 'utf8');
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

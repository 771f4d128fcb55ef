// Values of a UPS at mosquitto in a container: what the packaged broker of a home automation gets.
import { connectAsync } from 'mqtt';
import { GenericContainer, Wait } from 'testcontainers';
import { expect, test } from 'vitest';
import { startUpsLab } from '../support/ups-lab.ts';
import { runUpsget } from '../support/upsget.ts';

test('upsget publishes what the web UI of the UPS shows, and the broker retains it', async () => {
  const broker = await new GenericContainer('docker.io/library/eclipse-mosquitto:2.0.22')
    .withCommand(['mosquitto', '-c', '/mosquitto-no-auth.conf'])
    .withExposedPorts(1883)
    .withWaitStrategy(Wait.forListeningPorts())
    .start();
  try {
    await using lab = await startUpsLab();
    const [host, port] = [broker.getHost(), String(broker.getMappedPort(1883))];
    const sent = await runUpsget(['--mqtt-send', host, '--mqtt-port', port, '--qos', '1', '--retain', '--json-typed'], {
      ups: lab.ups,
    });
    expect(sent).toMatchObject({ code: 0, stderr: '' });
    const client = await connectAsync(`mqtt://${host}:${port}`);
    const message = new Promise<string>((resolve) =>
      client.once('message', (_topic, payload) => resolve(payload.toString())),
    );
    await client.subscribeAsync('upsget/ups', { qos: 1 });
    expect(JSON.parse(await message)).toMatchObject({ load: 19 });
    await client.endAsync();
  } finally {
    await broker.stop();
  }
});

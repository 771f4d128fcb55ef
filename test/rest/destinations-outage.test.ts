// Events to a real MQTT broker and a real mail server that are away for an hour while the hub is started again.
import { connectAsync, type MqttClient } from 'mqtt';
import { expect } from 'vitest';
import { byToldKind } from '#contract/destinations.ts';
import { freePort } from '#kernel/http/listening.ts';
import { startLab } from '../support/lab.ts';
import { watchLeaks } from '../support/leak-guard.ts';
import { startMosquitto } from '../support/mosquitto.ts';
import { withPrograms } from '../support/real-programs.ts';
import { startSmtpServer } from '../support/smtp-server.ts';
import { letPass } from '../support/told-server.ts';
import { verifies } from '../support/verifies.ts';

const login = { user: 'gate', password: 'Broker-password-1' };
const newcomer = (text: string) => /192\.168\.100\.2\d\d/.exec(text)?.[0];

async function listen(port: number, heard: string[]): Promise<MqttClient> {
  const client = await connectAsync(`mqtt://127.0.0.1:${port}`, { username: login.user, password: login.password });
  client.on('message', (_topic, payload) => void heard.push(payload.toString()));
  await client.subscribeAsync('gatehouse/events', { qos: 1 });
  return client;
}

withPrograms('mosquitto', ['mosquitto', 'mosquitto_passwd'], () => {
  verifies(
    'rest.destinations.real-outage',
    'broker and mail server away for an hour, and the hub started again meanwhile: each is told everything in order',
    async () => {
      await using _watch = watchLeaks();
      const ports = { mqtt: await freePort(), smtp: await freePort() };
      const heard: string[] = [];
      const mails: string[] = [];
      const open = async () => {
        await using opened = new AsyncDisposableStack();
        const broker = opened.use(await startMosquitto(login.user, login.password, ports.mqtt));
        const smtp = opened.use(await startSmtpServer({ port: ports.smtp }));
        opened.adopt(await listen(broker.port, heard), (client) => client.endAsync(true));
        opened.defer(() => void mails.push(...smtp.mails));
        return opened.move();
      };
      const servers = await open();
      await using lab = await startLab({ routers: { home: 'vendor_a' } });
      const { destinations } = lab.as.admin;
      const tells = { ...byToldKind(false), newDevice: true };
      const shared = { host: '127.0.0.1', allowPrivate: true };
      const broker = { ...shared, ...login, kind: 'mqtt' as const, port: ports.mqtt };
      await destinations.create({ body: { name: 'broker', tells, settings: broker } });
      const mail = {
        kind: 'email' as const,
        security: 'none' as const,
        from: 'hub@example.net',
        to: ['ann@example.net'],
      };
      await destinations.create({ body: { name: 'mail', tells, settings: { ...shared, ...mail, port: ports.smtp } } });
      const met: string[] = [];
      const meet = async () => {
        met.push(`192.168.100.${200 + met.length}`);
        lab.routers.home.flow({ src: met.at(-1) ?? '', dst: '203.0.113.80', dport: 443 });
        await lab.poll();
      };
      const readDeliveries = async () =>
        (await lab.as.admin.destinations.list({})).destinations.map(({ delivery: { waiting, events } }) => [
          waiting,
          ...events.map(({ delivery }) => delivery),
        ]);
      const untilDelivered = (count: number) =>
        expect
          .poll(async () => {
            await letPass(lab, 1);
            return await readDeliveries();
          })
          .toEqual(Array.from({ length: 2 }, () => [0, ...Array.from({ length: count }, () => 'delivered')]));
      await meet();
      await untilDelivered(1);
      await servers.disposeAsync();
      await meet();
      await letPass(lab, 20);
      await lab.restart();
      await lab.poll();
      await meet();
      await letPass(lab, 40);
      expect((await readDeliveries()).map(([waiting]) => waiting)).toEqual([2, 2]);
      const again = await open();
      await untilDelivered(3);
      await again.disposeAsync();
      for (const told of [heard, mails]) {
        const about = told.map(newcomer).filter((one) => one !== undefined);
        // At least once, and in order: a repetition is of the last one.
        expect(about.filter((one, at) => one !== about[at - 1])).toEqual(met);
      }
    },
  );
});

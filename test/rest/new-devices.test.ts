// Newcomers on the LAN: in the detection log, told to the chat workspace and live, once; what is no news is silent.
import { expect } from 'vitest';
import { startChat } from '#simulators/chat/workspace.ts';
import { readEvents } from '../support/event-reader.ts';
import { startLab } from '../support/lab.ts';
import { verifies } from '../support/verifies.ts';

const flow = { dst: '203.0.113.80', dport: 443 };

verifies(
  'rest.service.new-devices rest.detection.log-new-devices',
  'what a first look finds is logged, nobody is told; who comes later is told once',
  async () => {
    await using chat = await startChat();
    await using lab = await startLab({ routers: { a: 'vendor_a' }, hub: { chatApiUrl: chat.url } });
    const { detection, devices, chat: workspace } = lab.as.admin;
    const on = { chat: true, history: true };
    expect((await detection.config({})).config).toMatchObject({ newDevice: on });
    const { token, userId } = chat.credentials;
    await workspace.saveConfig({ body: { enabled: true, token, userId, displayName: 'Olga' } });
    const found = (await devices.list({})).devices;
    const { logs } = await detection.log({});
    expect(logs.map(({ type }) => type)).toEqual(found.map(() => 'new_device'));
    expect(new Set(logs.map(({ srcMac }) => srcMac))).toEqual(new Set(found.map(({ mac }) => mac)));
    using reader = await readEvents(lab.url, { 'x-admin-token': lab.adminToken });
    lab.routers.a.flow({ ...flow, src: '192.168.100.200' });
    await lab.poll();
    const { data } = await reader.next('new-device');
    const device = (await devices.list({})).devices.find(({ ip }) => ip === '192.168.100.200');
    const words = { src: '192.168.100.200', srcMac: device?.mac, srcVendor: device?.vendor };
    expect(data).toMatchObject({ ...words, srcDeviceId: device?.deviceId });
    await lab.poll();
    await lab.restart();
    await lab.poll();
    const rows = (await lab.as.admin.detection.log({ query: { limit: '1' } })).logs;
    expect(rows).toMatchObject([{ type: 'new_device', ...words, dst: null, chatSent: 1 }]);
    expect((await lab.as.admin.detection.log({})).logs).toHaveLength(found.length + 1);
    expect(chat.messages.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^\*New device\*.*192[.[\]]+168[.[\]]+100[.[\]]+200/s),
    ]);
    expect(reader.names.filter((name) => name === 'new-device')).toHaveLength(1);
  },
);

// What is found and that it is told are one thing: when the log cannot be written, both come later, and once.
import { expect, test } from 'vitest';
import { startChat } from '#simulators/chat/workspace.ts';
import { device, startDetectionLab } from '../support/detection-lab.ts';
import { readEvents } from '../support/event-reader.ts';
import { refuseInserts } from '../support/held-writes.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { watchLeaks } from '../support/leak-guard.ts';

const minute = 60_000;
const dst = '203.0.113.80';
const newcomer = '192.168.100.200';

/** Rows of `table` cannot be added while `work` is done; then the hub is another one, with what was written down. */
async function failThenRestart(lab: Lab<string>, table: string, work: () => Promise<unknown>): Promise<void> {
  const allow = await refuseInserts(lab, table);
  await work();
  await allow();
  await lab.restart();
  await lab.settled();
}

const readLog = async (lab: Lab<string>) => (await lab.as.admin.detection.log({})).logs;

async function startToldLab() {
  const watch = watchLeaks();
  const chat = await startChat();
  const lab = await startLab({ routers: { a: 'vendor_a' }, hub: { chatApiUrl: chat.url } });
  const { token, userId } = chat.credentials;
  await lab.as.admin.chat.saveConfig({ body: { enabled: true, token, userId, displayName: 'Olga' } });
  const known = (await readLog(lab)).length;
  const meet = async () => {
    lab.routers.a.flow({ src: newcomer, dst, dport: 443 });
    await lab.poll();
  };
  return {
    lab,
    meet,
    async expectToldOnce() {
      const { devices } = await lab.as.admin.devices.list({});
      expect(devices.filter(({ ip }) => ip === newcomer)).toHaveLength(1);
      const logged = (await readLog(lab)).filter(({ src }) => src === newcomer);
      expect(logged).toMatchObject([{ type: 'new_device', chatSent: 1 }]);
      expect(await readLog(lab)).toHaveLength(known + 1);
      expect(chat.messages).toHaveLength(1);
    },
    async [Symbol.asyncDispose]() {
      await lab[Symbol.asyncDispose]();
      await chat[Symbol.asyncDispose]();
      await watch[Symbol.asyncDispose]();
    },
  };
}

test.each(['detection', 'detection_told', 'outbox_event'])(
  'a new device is told once when %s could not be written at first',
  async (table) => {
    await using told = await startToldLab();
    await failThenRestart(told.lab, table, told.meet);
    await told.lab.poll();
    await told.lab.poll();
    await told.expectToldOnce();
  },
);

test('a new device is told live once, with the poll that could write it down', async () => {
  await using told = await startToldLab();
  const { lab } = told;
  using reader = await readEvents(lab.url, { 'x-admin-token': lab.adminToken });
  const allow = await refuseInserts(lab, 'detection');
  await told.meet();
  await allow();
  await lab.poll();
  await lab.poll();
  await told.expectToldOnce();
  const names = reader.names.filter((name) => name === 'detection' || name === 'new-device');
  expect(names.toSorted()).toEqual(['detection', 'new-device']);
});

test('a contact with a listed address is told once when the log could not be written at first', async () => {
  await using lab = await startDetectionLab();
  lab.contact(dst);
  await lab.poll();
  await lab.list(dst);
  await failThenRestart(lab, 'detection', () => lab.poll());
  await lab.poll();
  await lab.poll();
  expect(await readLog(lab)).toMatchObject([{ type: 'threat', src: device, dst, chatSent: 1 }]);
  expect(lab.told()).toHaveLength(1);
});

test('a beacon is told once when the log could not be written at first', async () => {
  const every = 40 * minute;
  await using lab = await startDetectionLab({ router: 'vendor_b', hub: { pollIntervalMs: every / 2 } });
  await lab.as.admin.beacons.saveConfig({ body: { scanIntervalMs: 24 * 60 * minute } });
  for (let turn = 0; turn < 11; turn += 1) {
    lab.routers.home.flow({ src: device, dst, dport: 443, proto: 'tcp', lastsMs: 25 * minute, ends: 'silent' });
    await lab.advance(every / 2);
    await lab.advance(every / 2);
  }
  const scan = async () => {
    await lab.as.admin.beacons.saveConfig({ body: {} });
    await lab.settled();
  };
  await failThenRestart(lab, 'detection', scan);
  using reader = await readEvents(lab.url, { 'x-admin-token': lab.adminToken });
  await scan();
  await scan();
  expect((await lab.as.admin.beacons.list({})).beacons).toHaveLength(1);
  expect(await readLog(lab)).toMatchObject([{ type: 'beacon', src: device, dst, chatSent: 1 }]);
  expect(lab.told()).toHaveLength(1);
  expect(reader.names.filter((name) => name === 'beacon')).toHaveLength(1);
});

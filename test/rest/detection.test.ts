// From a contact with a listed address to a row of the detection log and one message: once, whatever happens between.
import { describe, expect, test } from 'vitest';
import { device, startDetectionLab } from '../support/detection-lab.ts';
import { readEvents } from '../support/event-reader.ts';
import { verifies } from '../support/verifies.ts';

const listed = '203.0.113.80';
const hour = 3_600_000;

verifies(
  'rest.detection.log-threats rest.service.detection-log rest.service.notify-chat',
  'a contact with a listed address is in the log and told once; again within the cooldown it is not',
  async () => {
    await using lab = await startDetectionLab();
    lab.contact(listed);
    await lab.poll();
    expect((await lab.as.admin.detection.log({})).logs).toEqual([]);
    await lab.list(listed);
    await lab.poll();
    const { logs, truncated, next } = await lab.as.admin.detection.log({});
    expect(logs).toEqual([
      expect.objectContaining({
        type: 'threat',
        src: device,
        dst: listed,
        dport: 443,
        proto: 'TCP',
        threatSource: 'feed_c2',
        threatTag: 'ExampleBot',
        threatConfidence: 'high',
        intervalMs: null,
        detectedAt: lab.clock.now(),
        chatSent: 1,
      }),
    ]);
    expect({ truncated, next }).toEqual({ truncated: false, next: null });
    expect(lab.told()).toEqual([expect.stringMatching(/^\*Known-bad destination\*.*203\[\.\]0\[\.\]113\[\.\]80/s)]);
    lab.contact(listed, 8443);
    await lab.list(listed);
    await lab.poll();
    await lab.poll();
    expect((await lab.as.admin.detection.log({})).logs).toHaveLength(1);
    expect(lab.told()).toHaveLength(1);
  },
);

test('after the cooldown, a device that goes on talking is logged again; people are told again once they closed the alert', async () => {
  await using lab = await startDetectionLab();
  await lab.as.admin.chat.saveConfig({ body: { cooldownMinutes: 5 } });
  const talkAfterCooldown = async () => {
    await lab.skip(6 * 60_000);
    await lab.poll();
    lab.contact(listed);
    await lab.poll();
  };
  lab.contact(listed);
  await lab.poll();
  await lab.list(listed);
  await lab.poll();
  await talkAfterCooldown();
  expect((await lab.as.admin.detection.log({})).logs).toHaveLength(2);
  expect(lab.told()).toHaveLength(1);
  const [alert] = (await lab.as.admin.alerts.list({})).alerts;
  await lab.as.admin.alerts.resolve({ params: { id: String(alert?.id) }, body: {} });
  await talkAfterCooldown();
  expect(lab.told()).toHaveLength(2);
});

describe('while the workspace is down', () => {
  const faults = ['server-error', 'cut-connection', 'rate-limited', 'invalid_auth', 'html-answer'] as const;
  test.each(faults)('for an hour of %s, exactly one message comes after it', async (fault) => {
    const tenMinutes = 600_000;
    await using lab = await startDetectionLab({ hub: { pollIntervalMs: tenMinutes } });
    lab.chat.fail(fault, fault === 'rate-limited' ? { value: 120 } : {});
    lab.contact(listed);
    await lab.advance(tenMinutes);
    await lab.list(listed);
    await lab.advance(tenMinutes);
    for (let turn = 0; turn < 6; turn += 1) {
      if (turn === 3) {
        await lab.restart();
      }
      await lab.advance(tenMinutes);
    }
    expect(lab.told()).toEqual([]);
    expect((await lab.as.admin.detection.log({ query: { type: 'threat' } })).logs).toMatchObject([{ chatSent: 0 }]);
    expect((await lab.as.admin.chat.config({})).delivery).toMatchObject({ waiting: 1, lastSentAt: null });
    lab.chat.clearFaults();
    await lab.advance(tenMinutes);
    await lab.advance(tenMinutes);
    expect(lab.told()).toHaveLength(1);
    expect((await lab.as.admin.detection.log({ query: { type: 'threat' } })).logs).toMatchObject([{ chatSent: 1 }]);
    expect((await lab.as.admin.chat.config({})).delivery).toMatchObject({ waiting: 0, lastError: null });
  });

  test('silent, tries end after ten seconds each, and one message comes when it speaks again', async () => {
    await using lab = await startDetectionLab();
    lab.chat.fail('no-answer', { command: 'chat.postMessage', times: 2 });
    lab.contact(listed);
    await lab.poll();
    await lab.list(listed);
    await lab.pollThroughSilence();
    await lab.clock.advance(30_000);
    await lab.settleThroughSilence();
    await lab.clock.advance(60_000);
    await lab.settleThroughSilence();
    expect(lab.told()).toHaveLength(1);
  });

  test('a message taken whose answer was lost is not sent twice', async () => {
    await using lab = await startDetectionLab();
    lab.chat.fail('lost-answer', { command: 'chat.postMessage', times: 1 });
    lab.contact(listed);
    await lab.poll();
    await lab.list(listed);
    await lab.poll();
    expect((await lab.as.admin.detection.log({})).logs).toMatchObject([{ chatSent: 0 }]);
    await lab.restart();
    await lab.advance(60_000);
    expect((await lab.as.admin.detection.log({})).logs).toMatchObject([{ chatSent: 1 }]);
    const posts = lab.chat.journal().filter(({ kind, method }) => kind === 'call' && method === 'chat.postMessage');
    expect(posts.length).toBeGreaterThan(1);
    expect(lab.told()).toHaveLength(1);
  });
});

test('more than five at once are told as one', async () => {
  await using lab = await startDetectionLab();
  const many = Array.from({ length: 9 }, (_, index) => `203.0.113.${index + 10}`);
  for (const dst of many) {
    lab.contact(dst);
  }
  await lab.poll();
  for (const dst of many) {
    await lab.list(dst);
  }
  await lab.poll();
  expect(lab.told()).toEqual([expect.stringMatching(/^\*9 detections\*/)]);
  expect((await lab.as.admin.detection.log({})).logs.map(({ chatSent }) => chatSent)).toEqual(many.map(() => 1));
});

verifies(
  'rest.settings.detection-read rest.settings.detection-write',
  'switches say what goes into the log and what is told',
  async () => {
    await using lab = await startDetectionLab();
    const { detection } = lab.as.admin;
    const on = { chat: true, history: true };
    const off = { chat: false, history: false };
    expect(await detection.config({})).toEqual({ config: { threat: on, newDevice: off, beacon: on, retroMatch: on } });
    const { config } = await detection.saveConfig({ body: { threat: { chat: false } } });
    expect(config).toEqual({ threat: { chat: false, history: true }, newDevice: off, beacon: on, retroMatch: on });
    await lab.restart();
    await lab.settled();
    lab.contact(listed);
    lab.contact('203.0.113.81');
    await lab.poll();
    await lab.list(listed);
    await lab.poll();
    expect(lab.told()).toEqual([]);
    expect((await lab.as.admin.detection.log({})).logs).toMatchObject([{ dst: listed, chatSent: 0 }]);
    await lab.as.admin.detection.saveConfig({ body: { threat: { chat: true, history: false } } });
    await lab.list('203.0.113.81');
    await lab.poll();
    expect(lab.told()).toHaveLength(1);
    expect((await lab.as.admin.detection.log({})).logs).toHaveLength(1);
    const body = { threat: { history: true }, newDevice: on, beacon: { chat: false }, retroMatch: { history: false } };
    const half = { beacon: { chat: false, history: true }, retroMatch: { chat: true, history: false } };
    const saved = { threat: on, newDevice: on, ...half };
    expect((await lab.as.admin.detection.saveConfig({ body })).config).toEqual(saved);
    expect(await lab.as.admin.detection.config({})).toEqual({ config: saved });
    const wrong = { body: { threat: { chat: 'yes' } } } as never;
    await expect(lab.as.admin.detection.saveConfig(wrong)).rejects.toMatchObject({ code: 'invalid_body' });
  },
);

describe('the log', () => {
  verifies('rest.detection.log-read', 'is filtered by time, kind and source, and paged without loss', async () => {
    await using lab = await startDetectionLab({ isSetUp: false });
    const many = Array.from({ length: 7 }, (_, index) => `203.0.113.${index + 10}`);
    for (const dst of many) {
      lab.contact(dst);
    }
    await lab.poll();
    for (const dst of many) {
      await lab.list(dst);
    }
    await lab.poll();
    const at = lab.clock.now();
    const { log } = lab.as.admin.detection;
    const seen: (string | null)[] = [];
    for (let before: string | undefined, page = 0; page < 5; page += 1) {
      const { logs, next } = await log({ query: { limit: '3', ...(before === undefined ? {} : { before }) } });
      seen.push(...logs.map(({ dst }) => dst));
      if (next === null) {
        break;
      }
      before = next;
    }
    expect(seen.toSorted()).toEqual(many);
    const count = async (query: Record<string, string>) => (await log({ query })).logs.length;
    expect(await count({ from: String(at + 1) })).toBe(0);
    expect(await count({ from: String(at), to: String(at) })).toBe(7);
    expect(await count({ type: 'threat' })).toBe(7);
    expect(await count({ type: 'beacon' })).toBe(0);
    expect(await count({ sourceKind: 'router', sourceId: lab.routers.home.id })).toBe(7);
    for (const query of [
      { type: 'noise' },
      { limit: '0' },
      { limit: '2001' },
      { before: 'x' },
      { sourceKind: 'router' },
    ]) {
      await expect(log({ query: query as never })).rejects.toMatchObject({ code: 'invalid_query' });
    }
    await expect(log({ query: { sourceKind: 'router', sourceId: 'vendor-a-none' } })).rejects.toMatchObject({
      code: 'invalid_query',
      message: expect.stringContaining('sourceId is no router of this hub'),
    });
    await expect(log({ query: { sourceKind: 'agent', sourceId: lab.routers.home.id } })).rejects.toMatchObject({
      code: 'invalid_query',
      message: expect.stringContaining('sourceId is no Agent of this hub'),
    });
  });

  test('forgets what is older than the retention', async () => {
    await using lab = await startDetectionLab({ isSetUp: false });
    lab.contact(listed);
    await lab.poll();
    await lab.list(listed);
    await lab.poll();
    expect((await lab.as.admin.detection.log({})).logs).toHaveLength(1);
    await lab.skip(731 * 24 * hour);
    await lab.skip(2 * hour);
    expect((await lab.as.admin.detection.log({})).logs).toEqual([]);
  });

  verifies('rest.service.notify-web-ui', 'is told live, row by row', async () => {
    await using lab = await startDetectionLab({ isSetUp: false });
    lab.contact(listed);
    await lab.poll();
    using reader = await readEvents(lab.url, { 'x-admin-token': lab.adminToken });
    await reader.next('ready');
    await lab.list(listed);
    await lab.poll();
    expect((await reader.next('detection')).data).toMatchObject({ type: 'threat', dst: listed });
  });
});

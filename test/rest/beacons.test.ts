// Regular contacts of a simulated router's device: found, told once, dismissed for good, and gone when they are stale.
import path from 'node:path';
import { expect, test } from 'vitest';
import { Db } from '#kernel/sqlite/sqlite.ts';
import { type DetectionLab, device, startDetectionLab } from '../support/detection-lab.ts';
import { readEvents } from '../support/event-reader.ts';
import { verifies } from '../support/verifies.ts';

const minute = 60_000;
const hour = 60 * minute;
const target = '203.0.113.80';

const every = 40 * minute;

/** Sessions to each destination every forty minutes; the router is polled every twenty. */
async function beaconFor(
  lab: DetectionLab,
  contacts: number,
  dsts: readonly Target[] = [{ dst: target }],
): Promise<void> {
  for (let turn = 0; turn < contacts; turn += 1) {
    for (const { dst, dport = 443, proto = 'tcp' } of dsts) {
      const flow = { src: device, dst, dport, proto, lastsMs: 25 * minute, ends: 'silent' } as const;
      lab.routers.home.flow(flow);
    }
    await lab.advance(every / 2);
    await lab.advance(every / 2);
  }
}

interface Target {
  dst: string;
  dport?: number;
  proto?: 'tcp' | 'udp';
}

/** Looks for beacons at once, as a change of the settings does. */
async function scan(lab: DetectionLab, change: Record<string, unknown> = {}) {
  await lab.as.admin.beacons.saveConfig({ body: change });
  await lab.settled();
  return lab.as.admin.beacons.list({});
}

const lives = { router: 'vendor_b', hub: { pollIntervalMs: every / 2 } } as const;

verifies(
  'rest.beacons.list rest.detection.log-beacons rest.service.beacon-candidates',
  'a device that calls home every forty minutes is a candidate, logged and told once',
  async () => {
    await using lab = await startDetectionLab(lives);
    using reader = await readEvents(lab.url, { 'x-admin-token': lab.adminToken });
    await lab.as.admin.beacons.saveConfig({ body: { scanIntervalMs: 24 * hour } });
    await beaconFor(lab, 11);
    const { beacons, scan: last } = await scan(lab);
    expect(beacons).toEqual([
      expect.objectContaining({
        src: device,
        dst: target,
        dport: 443,
        proto: 'TCP',
        status: 'candidate',
        benign: null,
        threatLevel: 'safe',
        obsCount: 11,
        detectedAt: lab.clock.now(),
      }),
    ]);
    expect(Math.abs((beacons[0]?.intervalMs ?? 0) - every)).toBeLessThan(2000);
    expect(beacons[0]?.intervalCov).toBeLessThan(0.01);
    expect(beacons[0]?.score).toBeGreaterThan(0.6);
    expect(last).toMatchObject({ groups: 1, regular: 1, benign: 0 });
    const { beacon, starts } = await lab.as.admin.beacons.detail({ params: { id: String(beacons[0]?.id) } });
    expect(beacon).toEqual(beacons[0]);
    expect([starts.exact, starts.truncated, starts.at.length]).toEqual([true, false, 11]);
    expect(starts.at[0]).toBe(beacon.firstSeen);
    // The lab began them so, and the router shows ages in whole seconds.
    const between = starts.at.slice(1).map((at, index) => at - (starts.at[index] ?? 0));
    expect(Math.max(...between.map((ms) => Math.abs(ms - every)))).toBeLessThan(2000);
    const { logs } = await lab.as.admin.detection.log({});
    expect(logs).toMatchObject([{ type: 'beacon', src: device, dst: target, obsCount: 11, chatSent: 1 }]);
    expect(lab.told()).toEqual([expect.stringMatching(/^\*Regular beacon\*.*40 min, seen 11 times/s)]);
    expect((await reader.next('beacon')).data).toMatchObject({ dst: target, status: 'candidate' });
    await scan(lab);
    await lab.restart();
    await scan(lab);
    expect((await lab.as.admin.detection.log({})).logs).toHaveLength(1);
    expect(lab.told()).toHaveLength(1);
  },
);

verifies(
  'rest.beacons.dismiss',
  'a dismissed candidate is not raised again while dismissed, and one without an id is not there',
  async () => {
    await using lab = await startDetectionLab(lives);
    await lab.as.admin.beacons.saveConfig({ body: { scanIntervalMs: 24 * hour } });
    await beaconFor(lab, 11);
    const [found] = (await scan(lab)).beacons;
    const id = String(found?.id);
    expect(await lab.as.admin.beacons.dismiss({ params: { id }, body: {} })).toEqual({ success: true });
    expect((await lab.as.admin.beacons.list({})).beacons).toEqual([]);
    await beaconFor(lab, 3);
    await lab.restart();
    expect((await scan(lab)).beacons).toEqual([]);
    const all = await lab.as.admin.beacons.list({ query: { includeDismissed: '1' } });
    expect(all.beacons).toMatchObject([{ id: found?.id, status: 'dismissed', obsCount: 14 }]);
    expect(await lab.as.admin.beacons.detail({ params: { id } })).toMatchObject({
      beacon: { status: 'dismissed' },
      starts: { at: { length: 14 } },
    });
    await expect(lab.as.admin.beacons.detail({ params: { id: '999' } })).rejects.toMatchObject({ code: 'not_found' });
    expect(lab.told()).toHaveLength(1);
    const dismiss = (other: string) => lab.as.admin.beacons.dismiss({ params: { id: other }, body: {} });
    await expect(dismiss('999')).rejects.toMatchObject({ code: 'not_found' });
    await expect(dismiss('x')).rejects.toMatchObject({ code: 'invalid_params' });
    await expect(lab.as.admin.beacons.list({ query: { includeDismissed: '2' } as never })).rejects.toMatchObject({
      code: 'invalid_query',
    });
  },
);

verifies(
  'rest.beacons.config-read rest.beacons.config-write',
  'settings are kept, checked, and looked with at once',
  async () => {
    await using lab = await startDetectionLab({ ...lives, isSetUp: false });
    const { beacons } = lab.as.admin;
    const { config } = await beacons.config({});
    expect(config).toMatchObject({
      enabled: true,
      minObs: 8,
      maxCov: 0.5,
      maxIntervalMs: 4 * hour,
      scanIntervalMs: hour,
    });
    for (const body of [
      { minObs: 1 },
      { maxCov: 0 },
      { maxCov: 2.1 },
      { minIntervalMs: 0 },
      { minIntervalMs: 4 * hour },
      { minIntervalMs: 5 * hour },
      { scanIntervalMs: 299_999 },
      { whitelistDomains: ['not a name'] },
      { whitelistDomains: Array.from({ length: 201 }, (_, index) => `d${index}.example`) },
      { orgAllowlist: [''] },
      { unknown: 1 },
    ]) {
      await expect(beacons.saveConfig({ body: body as never })).rejects.toMatchObject({ code: 'invalid_body' });
    }
    expect(await beacons.config({})).toEqual({ config });
    await beaconFor(lab, 11);
    expect((await scan(lab, { minObs: 12 })).beacons).toEqual([]);
    expect((await scan(lab, { minObs: 8, maxIntervalMs: 39 * minute })).beacons).toEqual([]);
    expect((await scan(lab, { maxIntervalMs: 4 * hour })).beacons).toHaveLength(1);
    const db = new Db(path.join(lab.dataDir, 'monitor.db'));
    await db.write((writer) =>
      writer.prepare("UPDATE destination SET host = 'cdn.vendor.example', org = 'Vendor Inc'").run(),
    );
    await db.close();
    expect((await scan(lab, { whitelistDomains: ['*.Vendor.example'] })).scan).toMatchObject({ regular: 1, benign: 1 });
    expect((await beacons.config({})).config.whitelistDomains).toEqual(['vendor.example']);
    const listed = async () =>
      (await beacons.list({ query: { includeBenign: '1' } })).beacons.map(({ benign }) => benign);
    expect(await listed()).toEqual(['domain']);
    await scan(lab, { whitelistDomains: [], orgAllowlist: ['vendor'] });
    expect(await listed()).toEqual(['organisation']);
    await lab.list(target);
    expect((await scan(lab)).beacons).toMatchObject([{ benign: null, threatLevel: 'danger' }]);
    await lab.restart();
    expect((await lab.as.admin.beacons.config({})).config).toMatchObject({ orgAllowlist: ['vendor'] });
  },
);

test('from polls alone: NTP is benign, private destinations are not looked at, and what is not regular any more goes', async () => {
  await using lab = await startDetectionLab({ ...lives, router: 'vendor_a', isSetUp: false });
  await lab.as.admin.beacons.saveConfig({ body: { scanIntervalMs: 24 * hour } });
  await beaconFor(lab, 11, [{ dst: '203.0.113.123', dport: 123, proto: 'udp' }, { dst: '10.9.8.7' }, { dst: target }]);
  expect((await scan(lab)).beacons.map(({ dst }) => dst)).toEqual([target]);
  const { beacons } = await lab.as.admin.beacons.list({ query: { includeBenign: '1' } });
  expect(beacons.map(({ dst, benign }) => [dst, benign]).toSorted()).toEqual([
    ['203.0.113.123', 'time_service'],
    [target, null],
  ]);
  await lab.skip(8 * 24 * hour);
  expect((await scan(lab)).beacons).toEqual([]);
  const db = new Db(path.join(lab.dataDir, 'monitor.db'));
  expect(db.prepare('SELECT count(*) AS count FROM session_start').get()).toEqual({ count: 0 });
  await db.close();
});

test('what a scan finds by other settings than those of now is dropped: nobody is told when it is switched off', async () => {
  await using lab = await startDetectionLab(lives);
  const { beacons } = lab.as.admin;
  await beacons.saveConfig({ body: { scanIntervalMs: 24 * hour, minObs: 100 } });
  await beaconFor(lab, 11);
  await beacons.saveConfig({ body: { minObs: 8 } });
  await beacons.saveConfig({ body: { enabled: false } });
  await lab.settled();
  expect((await beacons.list({})).beacons).toEqual([]);
  expect(lab.told()).toEqual([]);
  expect((await scan(lab, { enabled: true })).beacons).toHaveLength(1);
  expect(lab.told()).toHaveLength(1);
});

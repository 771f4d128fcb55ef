// Devices through the API: what routers show of them, what is decided about them, and who is let in.
import { describe, expect } from 'vitest';
import type { Device } from '#contract/devices.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { seeAsAgents } from '../support/seen-as-agents.ts';
import { verifies } from '../support/verifies.ts';

const flow = { dst: '203.0.113.80', dport: 443 };

async function listed(lab: Lab<string>, includeArchived: '0' | '1' = '0'): Promise<Device[]> {
  return (await lab.as.admin.devices.list({ query: { includeArchived } })).devices;
}

async function deviceAt(lab: Lab<string>, ip: string): Promise<Device> {
  const found = (await listed(lab)).filter((device) => device.ip === ip);
  expect(found, ip).toHaveLength(1);
  return found[0] as Device;
}

const refused = (status: number, code: string) => expect.objectContaining({ status, code });
const stranger = '6f1d2c3b-0000-4000-8000-000000000001';

describe('what routers show', () => {
  verifies(
    'rest.devices.identity rest.devices.ipv6 rest.devices.list',
    'hosts of vendor_a are devices with MAC, DHCP name and IPv6 addresses; their flows name them',
    async () => {
      await using lab = await startLab({ routers: { a: 'vendor_a' } });
      lab.routers.a.flow({ ...flow, src: '192.168.100.7' });
      await lab.poll();
      const devices = await listed(lab);
      const laptop = await deviceAt(lab, '192.168.100.7');
      expect(laptop).toMatchObject({
        mac: '00:00:5e:00:53:05',
        dnsName: 'laptop-01',
        mdnsName: null,
        status: 'active',
        archivedAt: null,
        mergedInto: null,
        note: null,
        noteKey: null,
        lastSeen: lab.clock.now(),
        sources: 'nat,dhcp,ndp,vendor_a',
        sourceList: ['nat', 'dhcp', 'ndp', 'vendor_a'],
        interfaces: [{ mac: '00:00:5e:00:53:05', kind: 'stable', wifi: null }],
      });
      expect(laptop.deviceId).toMatch(/^[\da-f]{8}-[\da-f]{4}-4/);
      expect(laptop.ipv6Addrs).toHaveLength(3);
      expect(laptop.ipv6Addrs).toContain('fe80::200:5eff:fe00:5305');
      expect(new Set(devices.map(({ mac }) => mac)).size).toBe(devices.length);
      expect(devices.map(({ lastSeen }) => lastSeen)).toEqual(
        devices.map(({ lastSeen }) => lastSeen).sort((one, other) => other - one),
      );
      const { connections } = await lab.as.admin.connections.list({ query: { fSrc: '192.168.100.7' } });
      expect(connections[0]).toMatchObject({
        srcMac: '00:00:5e:00:53:05',
        srcDnsName: 'laptop-01',
        srcDeviceId: laptop.deviceId,
      });
      await lab.as.admin.notes.write({ body: { deviceId: laptop.deviceId, note: 'by the door' } });
      await lab.restart();
      expect(await deviceAt(lab, '192.168.100.7')).toEqual({
        ...laptop,
        note: 'by the door',
        noteKey: laptop.deviceId,
      });
    },
  );

  verifies('rest.devices.identity', 'hosts of vendor_b are devices too, and two routers share theirs', async () => {
    await using lab = await startLab({ routers: { a: 'vendor_a', b: 'vendor_b' } });
    lab.routers.b.flow({ ...flow, src: '192.168.100.7' });
    await lab.poll();
    const laptop = await deviceAt(lab, '192.168.100.7');
    expect(laptop.sourceList).toEqual(['nat', 'dhcp', 'ndp', 'vendor_a', 'vendor_b']);
    for (const { id } of [lab.routers.a, lab.routers.b]) {
      const { devices } = await lab.as.admin.devices.list({ query: { sourceKind: 'router', sourceId: id } });
      expect(devices.map(({ deviceId }) => deviceId)).toContain(laptop.deviceId);
    }
    await expect(
      lab.as.admin.devices.list({ query: { sourceKind: 'router', sourceId: 'vendor-a-none' } }),
    ).rejects.toEqual(refused(400, 'invalid_query'));
    expect(lab.routers.a.violations).toEqual([]);
    expect(lab.routers.b.violations).toEqual([]);
  });
});

describe('what is decided', () => {
  verifies(
    'rest.devices.archive rest.devices.unarchive rest.devices.include-archived',
    'an archived device is listed on demand alone, until it is active again',
    async () => {
      await using lab = await startLab({ routers: { a: 'vendor_a' } });
      await lab.poll();
      const { deviceId, ip } = await deviceAt(lab, '192.168.100.7');
      const { devices } = lab.as.admin;
      expect(await devices.archive({ body: { deviceId } })).toEqual({ success: true });
      expect((await listed(lab)).map((device) => device.ip)).not.toContain(ip);
      const archived = (await listed(lab, '1')).find((device) => device.deviceId === deviceId);
      expect(archived).toMatchObject({ status: 'archived', archivedAt: lab.clock.now(), mergedInto: null });
      await lab.poll();
      expect((await listed(lab)).map((device) => device.ip)).not.toContain(ip);
      await expect(devices.archive({ body: { deviceId } })).rejects.toEqual(refused(404, 'not_found'));
      expect(await devices.unarchive({ body: { deviceId } })).toEqual({ success: true });
      expect(await deviceAt(lab, '192.168.100.7')).toMatchObject({ deviceId, status: 'active', archivedAt: null });
      expect(await devices.unarchive({ body: { deviceId } })).toEqual({ success: true });
      for (const call of [devices.archive, devices.unarchive, devices.split]) {
        await expect(call({ body: { deviceId: stranger } })).rejects.toEqual(refused(404, 'not_found'));
      }
      const wrong = await lab.as.raw({ method: 'GET', path: '/api/devices?includeArchived=yes' });
      expect(wrong).toMatchObject({ status: 400, body: { code: 'invalid_query' } });
    },
  );

  verifies('rest.devices.merge', 'two devices are one from then on, and two again when that is undone', async () => {
    await using lab = await startLab({ routers: { a: 'vendor_a' } });
    lab.routers.a.flow({ ...flow, src: '192.168.100.8' });
    await lab.poll();
    const [keep, drop] = [await deviceAt(lab, '192.168.100.7'), await deviceAt(lab, '192.168.100.8')];
    const { devices, connections } = lab.as.admin;
    const before = await listed(lab, '1');
    const holder = async () =>
      (await connections.list({ query: { fSrc: '192.168.100.8' } })).connections[0]?.srcDeviceId;
    expect(await devices.merge({ body: { keepId: keep.deviceId, dropId: drop.deviceId } })).toEqual({ success: true });
    const merged = (await listed(lab)).find(({ deviceId }) => deviceId === keep.deviceId);
    expect(merged?.interfaces.map(({ mac }) => mac).sort()).toEqual([keep.mac, drop.mac].sort());
    expect(merged?.firstSeen).toBe(Math.min(keep.firstSeen, drop.firstSeen));
    expect(await holder()).toBe(keep.deviceId);
    const dropped = (await listed(lab, '1')).find(({ deviceId }) => deviceId === drop.deviceId);
    expect(dropped).toMatchObject({ status: 'archived', mergedInto: keep.deviceId, archivedAt: lab.clock.now() });
    await expect(devices.unarchive({ body: { deviceId: drop.deviceId } })).rejects.toEqual(
      refused(409, 'device_merged'),
    );
    await lab.poll();
    expect(await holder()).toBe(keep.deviceId);
    await devices.split({ body: { deviceId: drop.deviceId } });
    expect(await holder()).toBe(drop.deviceId);
    const kept = ({ ip, mac, dnsName, firstSeen, sources, archivedAt, mergedInto, interfaces }: Device) => ({
      ...{ ip, mac, dnsName, firstSeen, sources, archivedAt, mergedInto },
      macs: interfaces.map((one) => one.mac),
    });
    const byId = (all: Device[]) => Object.fromEntries(all.map((device) => [device.deviceId, kept(device)]));
    expect(byId(await listed(lab, '1'))).toEqual(byId(before));
    await expect(devices.split({ body: { deviceId: drop.deviceId } })).rejects.toEqual(
      refused(409, 'device_not_merged'),
    );
  });

  verifies('rest.devices.merge', 'what cannot be merged is refused and changes nothing', async () => {
    await using lab = await startLab({ routers: { a: 'vendor_a' } });
    await lab.poll();
    const [one, two, three] = (await listed(lab)).map(({ deviceId }) => deviceId) as [string, string, string];
    const { devices } = lab.as.admin;
    await devices.merge({ body: { keepId: one, dropId: two } });
    const before = await listed(lab, '1');
    const cases = [
      [one, one, 400, 'invalid_body'],
      [one, stranger, 404, 'not_found'],
      [stranger, one, 404, 'not_found'],
      [one, two, 409, 'device_merged'],
      [two, three, 409, 'device_merged'],
    ] as const;
    for (const [keepId, dropId, status, code] of cases) {
      await expect(devices.merge({ body: { keepId, dropId } })).rejects.toEqual(refused(status, code));
    }
    expect(await listed(lab, '1')).toEqual(before);
    await devices.archive({ body: { deviceId: three } });
    await expect(devices.merge({ body: { keepId: one, dropId: three } })).rejects.toEqual(
      refused(409, 'device_archived'),
    );
    await devices.archive({ body: { deviceId: one } });
    await devices.unarchive({ body: { deviceId: two } });
    expect((await listed(lab)).find(({ deviceId }) => deviceId === two)).toMatchObject({ mergedInto: null });
    for (const body of [
      '{}',
      '{"keepId":1,"dropId":"x"}',
      '{"keepId":"","dropId":"x"}',
      '{"keepId":["a"],"dropId":"b"}',
    ]) {
      const headers = { 'content-type': 'application/json' };
      const answer = await lab.as.raw({ method: 'POST', path: '/api/devices/merge', headers, body });
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_body' } });
    }
  });

  verifies(
    'rest.devices.merge-candidates rest.devices.merge-statuses rest.devices.reject',
    'candidates are listed by status; a rejected one stays rejected',
    async () => {
      await using lab = await startLab();
      await seeAsAgents(lab, ['den', 'den', 'attic', 'attic']);
      const { devices } = lab.as.admin;
      const byStatus = async (status?: 'pending' | 'approved' | 'rejected' | 'all') =>
        (await devices.mergeCandidates({ query: status === undefined ? {} : { status } })).candidates;
      const [first, second] = await byStatus();
      expect(first).toMatchObject({ score: 0.45, status: 'pending', resolvedAt: null, counterReasons: [] });
      expect(first?.reasons).toEqual([expect.stringContaining('Both call themselves')]);
      expect(Number(first?.deviceIdA.localeCompare(first.deviceIdB))).toBeLessThan(0);
      expect(await devices.reject({ body: { id: String(first?.id) } })).toEqual({ success: true });
      await devices.merge({ body: { keepId: second?.deviceIdA ?? '', dropId: second?.deviceIdB ?? '' } });
      expect(await byStatus('pending')).toEqual([]);
      expect((await byStatus('rejected')).map(({ id }) => id)).toEqual([first?.id]);
      expect((await byStatus('approved')).map(({ id }) => id)).toEqual([second?.id]);
      expect(await byStatus('all')).toHaveLength(2);
      const wrong = await lab.as.raw({ method: 'GET', path: '/api/devices/merge-candidates?status=open' });
      expect(wrong).toMatchObject({ status: 400, body: { code: 'invalid_query' } });
      for (const id of [first?.id ?? 0, second?.id ?? 0, 999, '0000000000000999']) {
        await expect(devices.reject({ body: { id } })).rejects.toEqual(refused(404, 'not_found'));
      }
      for (const id of [0, -1, 1.5, 'x', '12345678901234567']) {
        await expect(devices.reject({ body: { id } as { id: number } })).rejects.toEqual(refused(400, 'invalid_body'));
      }
    },
  );
});

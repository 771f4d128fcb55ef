// Devices and their notes: what the REST API says of them, and the one thing an assistant may change.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { isoTime } from '#kernel/time/clock.ts';
import { startRouter } from '#simulators/router/start.ts';
import { until } from '../support/eventually.ts';
import { recordOf } from '../support/lab.ts';
import type { ToolResult } from '../support/mcp-clients.ts';
import { legacy, type McpLab, startMcpLab } from '../support/mcp-lab.ts';
import { verifies } from '../support/verifies.ts';

interface Shown {
  src: string | null;
  found?: boolean;
  deviceId: string | null;
  mac: string | null;
  note: string;
}

/** An endpoint whose hub has seen the LAN of a simulated router. */
async function startNetwork() {
  const opened = new AsyncDisposableStack();
  const scene = opened.use(await startMcpLab());
  const router = opened.use(await startRouter('vendor_a', { clock: scene.lab.clock }));
  await scene.lab.as.admin.routers.create({ body: recordOf(router, 'a') });
  await scene.lab.settled();
  await scene.lab.poll();
  const devices = async () => (await scene.lab.as.admin.devices.list({ query: {} })).devices;
  await until(async () => (await devices()).length > 1);
  return { scene, devices: await devices(), [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

async function call(scene: McpLab, name: string, args: Record<string, unknown> = {}) {
  const answer = await scene.post(legacy('tools/call', { name, arguments: args }));
  const { isError, content, structuredContent } = answer.body.result as ToolResult;
  return {
    requestId: String(answer.headers['x-request-id']),
    said: isError ? content[0]?.text : structuredContent,
  };
}

verifies('mcp.tools.get-devices', 'get_devices lists what devices lists, archived ones when asked', async () => {
  await using network = await startNetwork();
  const { scene } = network;
  const [first] = network.devices;
  await scene.lab.as.admin.devices.archive({ body: { deviceId: first?.deviceId ?? '' } });
  for (const archived of [false, true]) {
    const { devices } = await scene.lab.as.admin.devices.list({ query: { includeArchived: archived ? '1' : '0' } });
    const { said } = await call(scene, 'get_devices', archived ? { include_archived: true } : {});
    expect(said).toEqual({
      count: devices.length,
      devices: devices.map(({ deviceId, ip, ipv6Addrs, mac, vendor, dnsName, mdnsName, status, ...row }) => ({
        ...{ deviceId, ip, ipv6Addrs: ipv6Addrs ?? [], mac, vendor, dnsName, mdnsName, status },
        ...{ firstSeen: isoTime(row.firstSeen), lastSeen: isoTime(row.lastSeen) },
      })),
    });
    expect(devices.some(({ deviceId }) => deviceId === first?.deviceId)).toBe(archived);
  }
});

verifies(
  'mcp.tools.set-device-note mcp.tools.set-device-note-delete mcp.tools.notes-file',
  'a note is written, read, replaced and deleted; it is in the file of notes and not in the database',
  async () => {
    await using network = await startNetwork();
    const { scene } = network;
    const device = network.devices.find(({ ip }) => ip.includes('.'));
    const src = device?.ip ?? '';
    const shown = { deviceId: device?.deviceId, mac: device?.mac, vendor: device?.vendor, dnsName: device?.dnsName };
    expect((await call(scene, 'get_device_notes')).said).toEqual({ count: 0, devices: [] });
    const set = async (note: string) => (await call(scene, 'set_device_note', { src, note })).said;
    expect(await set('  the printer, in the hall  ')).toEqual({
      src,
      note: 'the printer, in the hall',
      deleted: false,
    });
    expect((await scene.lab.as.admin.notes.list({})).notes).toEqual({
      [device?.deviceId ?? '']: 'the printer, in the hall',
    });
    expect((await call(scene, 'get_device_notes')).said).toEqual({
      count: 1,
      devices: [{ src, ...shown, note: 'the printer, in the hall' }],
    });
    expect((await call(scene, 'get_device_notes', { src })).said).toEqual({
      ...{ src, found: true, ...shown, note: 'the printer, in the hall' },
    });
    const file = path.join(scene.lab.dataDir, '.monitor.notes.json');
    expect(readFileSync(file, 'utf8')).toContain('the printer, in the hall');
    for (const name of ['monitor.db', 'monitor.db-wal']) {
      const database = path.join(scene.lab.dataDir, name);
      expect(existsSync(database) && readFileSync(database).includes('the printer, in the hall')).toBe(false);
    }
    expect(await set('moved')).toEqual({ src, note: 'moved', deleted: false });
    expect(await set('x'.repeat(501))).toMatch(/^Invalid arguments: note /);
    expect((await call(scene, 'get_device_notes', { src })).said).toMatchObject({ note: 'moved' });
    expect(await set('   ')).toEqual({ src, note: null, deleted: true });
    expect((await scene.lab.as.admin.notes.list({})).notes).toEqual({});
    expect((await call(scene, 'get_device_notes', { src })).said).toMatchObject({ found: true, note: null });
  },
);

verifies(
  'mcp.tools.get-device-notes-all mcp.tools.get-device-notes-src',
  'without a source all devices that have notes, and no other; with one that device alone',
  async () => {
    await using network = await startNetwork();
    const { scene } = network;
    const [first, second, third] = network.devices.filter(({ ip }) => ip.includes('.')).map(({ ip }) => ip);
    expect(third).toBeDefined();
    await call(scene, 'set_device_note', { src: first, note: 'the printer' });
    await call(scene, 'set_device_note', { src: second, note: 'the scanner' });
    const all = (await call(scene, 'get_device_notes')).said as { count: number; devices: Shown[] };
    expect(all.devices.map(({ src, note }) => [src, note]).sort()).toEqual(
      [
        [first, 'the printer'],
        [second, 'the scanner'],
      ].sort(),
    );
    expect((await call(scene, 'get_device_notes', { src: second })).said).toMatchObject({
      ...{ src: second, found: true, note: 'the scanner' },
    });
    expect((await call(scene, 'get_device_notes', { src: third })).said).toMatchObject({ src: third, note: null });
  },
);

verifies(
  'mcp.hub-calls.request-id',
  'a note for nobody is refused; one that is written is in both audits',
  async () => {
    await using network = await startNetwork();
    const { scene } = network;
    const unknown = await call(scene, 'set_device_note', { src: '192.0.2.200', note: 'who' });
    expect(unknown.said).toBe('no device is known by 192.0.2.200: get_devices lists those that are');
    expect((await scene.lab.as.admin.notes.list({})).notes).toEqual({});
    expect((await call(scene, 'get_device_notes', { src: '192.0.2.200' })).said).toEqual({
      ...{ src: '192.0.2.200', found: false, note: null },
    });
    const src = network.devices.find(({ ip }) => ip.includes('.'))?.ip ?? '';
    const { requestId } = await call(scene, 'set_device_note', { src, note: 'known' });
    const { events } = await scene.lab.as.admin.auth.auditEvents({ query: {} });
    expect(events.find((event) => event.requestId === requestId)).toMatchObject({
      ...{ eventType: 'api_mutation', path: '/api/notes', authMethod: 'api-identity' },
    });
    const rows = await scene.settledRows();
    expect(rows.find((row) => row.request_id === requestId)).toMatchObject({ tool_name: 'set_device_note' });
  },
);

test('every note that is shown can be changed and deleted: of archived devices, and of nobody yet', async () => {
  await using network = await startNetwork();
  const { scene } = network;
  const { admin } = scene.lab.as;
  const archived = network.devices.find(({ ip }) => ip.includes('.'));
  await admin.notes.write({ body: { deviceId: archived?.deviceId, note: 'in the attic' } });
  await admin.devices.archive({ body: { deviceId: archived?.deviceId ?? '' } });
  const waiting = ['192.0.2.77', '192.0.2.78|02:00:5e:00:00:78', '02:00:5e:00:00:79'];
  for (const key of waiting) {
    await admin.notes.write({ body: { key, note: `expected at ${key}` } });
  }
  const all = async () => (await call(scene, 'get_device_notes')).said as { count: number; devices: Shown[] };
  const shown = (await all()).devices;
  expect(shown.map(({ src, mac, note }) => ({ src, mac, note }))).toEqual([
    { src: archived?.ip, mac: archived?.mac, note: 'in the attic' },
    { src: null, mac: '02:00:5e:00:00:79', note: 'expected at 02:00:5e:00:00:79' },
    { src: '192.0.2.77', mac: null, note: 'expected at 192.0.2.77' },
    { src: '192.0.2.78', mac: '02:00:5e:00:00:78', note: 'expected at 192.0.2.78|02:00:5e:00:00:78' },
  ]);
  const found = await Promise.all(
    shown.map(
      async ({ src, mac }) => (await call(scene, 'get_device_notes', { src: src ?? mac })).said as unknown as Shown,
    ),
  );
  expect(found.map(({ found: isKnown, note }) => [isKnown, note])).toEqual(
    shown.map(({ deviceId, note }) => [deviceId !== null, note]),
  );
  for (const { src, mac } of shown) {
    const name = src ?? mac;
    expect((await call(scene, 'set_device_note', { src: name, note: 'changed' })).said).toEqual({
      ...{ src: name, note: 'changed', deleted: false },
    });
  }
  expect((await all()).devices.map(({ note }) => note)).toEqual(shown.map(() => 'changed'));
  expect(Object.keys((await admin.notes.list({})).notes).sort()).toEqual([archived?.deviceId, ...waiting].sort());
  for (const { src, mac } of shown) {
    await call(scene, 'set_device_note', { src: src ?? mac, note: '' });
  }
  expect(await all()).toEqual({ count: 0, devices: [] });
});

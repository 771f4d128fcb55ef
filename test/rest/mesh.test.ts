// The mesh access point as a source: names, bands and signals of devices; what fails is said, what is refused waits.
import { expect, test } from 'vitest';
import { type MeshSimulator, startMesh } from '#simulators/mesh/access-point.ts';
import type { MeshFault } from '#simulators/mesh/faults.ts';
import { readEvents } from '../support/event-reader.ts';
import { type Lab, startLab } from '../support/lab.ts';

async function setUp(lab: Lab<string>, mesh: MeshSimulator): Promise<void> {
  const { user: username, password } = mesh.credentials;
  await lab.as.admin.routers.setUp({ body: { doMesh: true, routerIp: mesh.url.host, username, password } });
  await lab.settled();
}

/** The network while no access point is set up. */
const off = { nodes: [], clients: [], updatedAt: null, state: 'off', message: '', messageFacts: [] };

const networkOf = (lab: Lab<string>) => lab.as.admin.mesh.network({});

test('devices get the name, node, band and signal that the access point tells, and lose them when they leave', async () => {
  await using lab = await startLab({ routers: { a: 'vendor_a' } });
  await using mesh = await startMesh({ clock: lab.clock });
  expect(await networkOf(lab)).toEqual(off);
  using reader = await readEvents(lab.url, { 'x-admin-token': lab.adminToken });
  await setUp(lab, mesh);
  const network = await networkOf(lab);
  expect(network).toMatchObject({ state: 'ready', message: '', updatedAt: lab.clock.now() });
  expect(network.nodes.map(({ name, role }) => [name, role])).toEqual([
    ['Hall', 'main'],
    ['Attic', 'satellite'],
    ['Garden', 'satellite'],
  ]);
  expect(network.nodes.reduce((sum, { clients }) => sum + clients, 0)).toBe(network.clients.length);
  const { data } = await reader.next('network-update');
  expect(data).toEqual({ nodes: network.nodes, clients: network.clients, updatedAt: network.updatedAt });
  const deviceAt = async (ip: string) => {
    const { devices } = await lab.as.admin.devices.list({});
    return devices.find((device) => device.ip === ip);
  };
  const told = network.clients.find(({ mac }) => mac === '00:00:5e:00:53:04');
  const phone = await deviceAt('192.168.100.6');
  expect(phone).toMatchObject({ deviceId: told?.deviceId, interfaces: [{ wifi: { band: '6', node: told?.node } }] });
  expect(phone?.interfaces[0]?.wifi?.signal).toBe(told?.signal);
  expect(phone?.sourceList).toContain('mesh');
  expect((await deviceAt('192.168.100.7'))?.dnsName).toBe('laptop-01');
  mesh.patch({ clients: mesh.settings.clients.filter(({ mac }) => mac !== '00:00:5e:00:53:04') });
  await lab.poll();
  expect((await deviceAt('192.168.100.6'))?.interfaces).toMatchObject([{ wifi: null }]);
  await lab.restart();
  await lab.settled();
  expect((await networkOf(lab)).state).toBe('ready');
  await lab.as.admin.routers.setUp({ body: { doMesh: false } });
  await lab.settled();
  expect(await networkOf(lab)).toEqual(off);
  expect(mesh.journal().filter(({ path }) => path === '/login').length).toBeLessThanOrEqual(3);
});

test('a session that ended is opened again; other trouble is said, and what was known stays', async () => {
  await using lab = await startLab();
  await using mesh = await startMesh({ clock: lab.clock });
  await setUp(lab, mesh);
  const before = await networkOf(lab);
  mesh.fail('session-lost', { times: 1 });
  await lab.poll();
  expect((await networkOf(lab)).state).toBe('ready');
  const noList = [{ code: 'mesh_no_list', values: {} }];
  const silent = (more: object) => [{ code: 'mesh_silent', values: expect.objectContaining(more) }];
  const troubles: Partial<Record<MeshFault, unknown[]>> = {
    'server-error': [{ code: 'mesh_status', values: { status: 500 } }],
    'html-answer': noList,
    truncated: noList,
    'cut-connection': silent({ cause: 'cut' }),
    'large-answer': silent({ detail: 'its answer is longer than 1 MB' }),
  };
  for (const [fault, reasons] of Object.entries(troubles) as [MeshFault, unknown[]][]) {
    mesh.fail(fault, { command: '/network' });
    await lab.poll();
    const { state, message, messageFacts, clients } = await networkOf(lab);
    expect({ fault, state, clients: clients.length }).toEqual({
      fault,
      state: 'failed',
      clients: before.clients.length,
    });
    expect(message).toMatch(/^the mesh access point /);
    expect({ fault, messageFacts }).toEqual({ fault, messageFacts: [{ code: 'mesh_failed', values: {} }, ...reasons] });
    mesh.clearFaults();
    await lab.poll();
    expect((await networkOf(lab)).state, fault).toBe('ready');
  }
  mesh.fail('no-answer', { command: '/network' });
  await lab.pollThroughSilence();
  expect((await networkOf(lab)).state).toBe('failed');
});

test('a refused password is tried once, until another one is set', async () => {
  await using lab = await startLab();
  await using mesh = await startMesh({ clock: lab.clock });
  await setUp(lab, mesh);
  mesh.patch({ password: 'changed' });
  mesh.fail('session-lost', { times: 1 });
  await lab.poll();
  expect(await networkOf(lab)).toMatchObject({
    state: 'failed',
    message: expect.stringContaining('enter the password'),
    messageFacts: [{ code: 'mesh_login_refused', values: {} }],
  });
  const tried = mesh.journal().length;
  await lab.poll();
  await lab.poll();
  expect(mesh.journal()).toHaveLength(tried);
  await setUp(lab, mesh);
  expect((await networkOf(lab)).state).toBe('ready');
});

test('entries that make no sense are left out, and said', async () => {
  await using lab = await startLab();
  await using mesh = await startMesh({ clock: lab.clock });
  mesh.fail('nonsense');
  await setUp(lab, mesh);
  const { state, message, messageFacts, clients, nodes } = await networkOf(lab);
  expect({ state, nodes: nodes.length, clients: clients.length }).toEqual({ state: 'ready', nodes: 3, clients: 7 });
  expect(message).toBe('4 entries of its list make no sense and are left out.');
  expect(messageFacts).toEqual([{ code: 'mesh_entries_dropped', values: { entries: 4 } }]);
  expect(clients.at(-1)).toMatchObject({ ip: null, name: null, node: null, band: null, signal: null });
});

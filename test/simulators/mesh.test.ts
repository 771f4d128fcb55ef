// The simulated mesh access point: nonce, login, what is connected; faults; control; the command.
import { expect, test } from 'vitest';
import { type MeshSimulator, startMesh } from '#simulators/mesh/access-point.ts';
import type { MeshFault } from '#simulators/mesh/faults.ts';
import { createShiftedClock } from '#simulators/support/shifted-clock.ts';
import { serveControl } from '../support/control-client.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { startProgram } from '../support/program.ts';
import { verifies } from '../support/verifies.ts';

interface Network {
  nodes: { id: string }[];
  clients: { mac: string; node: string; signal: number }[];
}

async function ask({ url }: Pick<MeshSimulator, 'url'>, path: string, body?: object, token = '') {
  const response = await fetch(new URL(path, url), {
    method: body ? 'POST' : 'GET',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(2000),
  });
  const text = await response.text();
  return { status: response.status, type: response.headers.get('content-type'), text };
}

async function logIn(mesh: MeshSimulator, change: object = {}): Promise<{ status: number; token: string }> {
  const { nonce, id } = JSON.parse((await ask(mesh, '/login/nonce', { id: 'x' })).text) as Record<string, string>;
  const { user: username, password } = mesh.credentials;
  const answer = await ask(mesh, '/login', { username, password, nonce, id, ...change });
  return { status: answer.status, token: String((JSON.parse(answer.text) as { token?: string }).token) };
}

async function networkOf(mesh: MeshSimulator, token: string): Promise<Network> {
  return JSON.parse((await ask(mesh, '/network', undefined, token)).text) as Network;
}

verifies(
  'sim.mesh.network sim.mesh.journal',
  'a login with a fresh nonce opens the list, until it was idle',
  async () => {
    const clock = new ManualClock();
    await using mesh = await startMesh({ clock });
    expect((await ask(mesh, '/network')).status).toBe(401);
    expect(await logIn(mesh, { password: 'wrong' })).toMatchObject({ status: 401 });
    expect(await logIn(mesh, { nonce: 'made up' })).toMatchObject({ status: 401 });
    const { status, token } = await logIn(mesh);
    expect(status).toBe(200);
    const network = await networkOf(mesh, token);
    expect(network.nodes.map(({ id }) => id)).toEqual(['node-1', 'node-2', 'node-3']);
    expect(network.clients).toContainEqual(
      expect.objectContaining({ mac: '00:00:5e:00:53:05', ip: '192.168.100.7', name: 'laptop-01', band: '5' }),
    );
    const journal = JSON.stringify(mesh.journal());
    expect(journal).toContain('/network');
    expect((await ask(mesh, '/network', undefined, 'of-another')).status).toBe(401);
    const askedWith = mesh
      .journal()
      .filter(({ path }) => path === '/network')
      .map((entry) => entry.token);
    expect(askedWith).toEqual([null, 'own', 'foreign']);
    expect(journal).not.toContain(token);
    expect(journal).not.toContain(mesh.credentials.password);
    clock.jump(clock.now() + 15 * 60_000 + 1);
    expect((await ask(mesh, '/network', undefined, token)).status).toBe(401);
    expect((await ask(mesh, '/nothing')).status).toBe(404);
  },
);

verifies(
  'sim.mesh.network',
  'signals move a little, who roams changes nodes, the same seed gives the same',
  async () => {
    const clock = new ManualClock();
    await using mesh = await startMesh({ clock, seed: 7 });
    await using twin = await startMesh({ clock, seed: 7 });
    const [token, other] = [(await logIn(mesh)).token, (await logIn(twin)).token];
    const before = await networkOf(mesh, token);
    expect(await networkOf(twin, other)).toEqual(before);
    clock.jump(clock.now() + 10 * 60_000);
    const later = await networkOf(mesh, token);
    expect(later.clients.map(({ signal }) => signal)).not.toEqual(before.clients.map(({ signal }) => signal));
    for (const [index, { signal }] of later.clients.entries()) {
      expect(Math.abs(signal - (before.clients[index]?.signal ?? 0))).toBeLessThanOrEqual(6);
    }
    clock.jump(clock.now() + 14 * 60_000);
    await networkOf(mesh, token);
    clock.jump(clock.now() + 10 * 60_000);
    const moved = await networkOf(mesh, token);
    const changed = moved.clients.filter(({ node }, index) => node !== before.clients[index]?.node);
    expect(changed.map(({ mac }) => mac)).toEqual(['00:00:5e:00:53:04', '00:00:5e:00:53:07']);
  },
);

const shows: Record<MeshFault, (mesh: MeshSimulator, token: string) => Promise<void>> = {
  'nonce-refused': async (mesh) => {
    expect((await ask(mesh, '/login/nonce', { id: '' })).status).toBe(500);
  },
  'empty-nonce': async (mesh) => {
    expect(JSON.parse((await ask(mesh, '/login/nonce', { id: 'x' })).text)).toEqual({ nonce: '', id: 'x' });
  },
  'login-refused': async (mesh) => {
    expect((await logIn(mesh)).status).toBe(401);
  },
  'session-lost': async (mesh, token) => {
    expect((await ask(mesh, '/network', undefined, token)).status).toBe(401);
  },
  'server-error': async (mesh, token) => {
    expect(await ask(mesh, '/network', undefined, token)).toMatchObject({ status: 500, type: 'text/html' });
  },
  'html-answer': async (mesh, token) => {
    expect(await ask(mesh, '/network', undefined, token)).toMatchObject({ status: 200, type: 'text/html' });
  },
  truncated: async (mesh, token) => {
    const { text } = await ask(mesh, '/network', undefined, token);
    expect(() => JSON.parse(text)).toThrow();
  },
  'no-answer': async (mesh, token) => {
    await expect(ask(mesh, '/network', undefined, token)).rejects.toThrow();
  },
  'cut-connection': async (mesh, token) => {
    await expect(ask(mesh, '/network', undefined, token)).rejects.toThrow();
  },
  'large-answer': async (mesh, token) => {
    expect((await ask(mesh, '/network', undefined, token)).text.length).toBeGreaterThan(1_900_000);
  },
  nonsense: async (mesh, token) => {
    expect((await networkOf(mesh, token)).clients).toContain('client');
  },
};

for (const [fault, look] of Object.entries(shows) as [MeshFault, (typeof shows)[MeshFault]][]) {
  verifies('sim.mesh.faults', `${fault} shows, and is gone when cleared`, async () => {
    await using mesh = await startMesh();
    const { token } = await logIn(mesh);
    mesh.fail(fault);
    await look(mesh, token);
    mesh.clearFaults();
    const again = await logIn(mesh);
    expect((await networkOf(mesh, again.token)).nodes).toHaveLength(3);
  });
}

verifies(
  'sim.mesh.control',
  'settings are changed whole or not at all, also over HTTP; reset brings them back',
  async () => {
    const clock = createShiftedClock();
    await using mesh = await startMesh({ clock });
    await using served = await serveControl({ control: mesh, clock });
    const change = (body: object) => served.ask('PATCH', '/state', body);
    expect((await change({ clients: [], nope: 1 })).status).toBe(400);
    expect((await change({ clients: [{ mac: 'x' }] })).status).toBe(400);
    expect(mesh.settings.clients).toHaveLength(6);
    expect((await change({ clients: [] })).status).toBe(200);
    expect((await networkOf(mesh, (await logIn(mesh)).token)).clients).toEqual([]);
    const [node] = mesh.settings.nodes;
    expect((await change({ nodes: [{ ...node, id: 'node-9' }], password: 'another' })).status).toBe(200);
    expect(mesh.credentials.password).toBe('another');
    expect((await networkOf(mesh, (await logIn(mesh)).token)).nodes.map(({ id }) => id)).toEqual(['node-9']);
    expect(JSON.stringify(mesh.state())).not.toContain(mesh.credentials.password);
    expect(() => mesh.fail('truncated', { value: 1 })).toThrow(/takes no value/);
    expect(() => mesh.fail('server-error', { value: 200 })).toThrow(/status/);
    mesh.reset();
    expect(mesh.settings.clients).toHaveLength(6);
    expect(mesh.settings.nodes).toHaveLength(3);
    expect(mesh.journal()).toEqual([]);
  },
);

test('gatehouse sim mesh tells where it is and ends cleanly', async () => {
  await using program = startProgram(['src/main.ts', 'sim', 'mesh', '--port', '0', '--mesh-password', 'other-secret']);
  const [, line = ''] = await program.printed(/^(\{.*\})$/m);
  const { url, ...about } = JSON.parse(line) as Record<'url' | 'control' | 'user' | 'password', string>;
  expect(about).toMatchObject({ simulator: 'mesh', user: 'admin', password: 'other-secret' });
  expect((await ask({ url: new URL(url) }, '/login/nonce', { id: 'x' })).status).toBe(200);
  program.kill('SIGTERM');
  expect(await program.ended).toEqual({ code: 0, signal: null });
});

// The mesh access point is removed, or another one is set up, while it is being read: nothing of the old one comes back.
import path from 'node:path';
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { openDocument } from '#hub/base/settings/document.ts';
import { startMesh as startMeshSource } from '#hub/collect/mesh/mesh.ts';
import { createLog } from '#kernel/process/log.ts';
import { randomHex } from '#kernel/text/secret.ts';
import { type MeshSimulator, startMesh } from '#simulators/mesh/access-point.ts';
import { eventually } from '../support/eventually.ts';
import { slowInserts } from '../support/held-writes.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { openLan } from '../support/lan.ts';
import { collectLog } from '../support/log-lines.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const off = { nodes: [], clients: [], updatedAt: null, state: 'off', message: '', messageFacts: [] };

const networkOf = (lab: Lab<string>) => lab.as.admin.mesh.network({});
const pathsOf = (mesh: MeshSimulator) => mesh.journal().map(({ path }) => path);
const tokensOf = (mesh: MeshSimulator) => mesh.journal().map(({ token }) => token);

function setUp(lab: Lab<string>, mesh: MeshSimulator) {
  const { user: username, password } = mesh.credentials;
  return lab.as.admin.routers.setUp({ body: { doMesh: true, routerIp: mesh.url.host, username, password } });
}

/** An access point whose clients take seconds to write down; resolves when that is under way. */
async function startRecording(lab: Lab<string>, mesh: MeshSimulator): Promise<void> {
  const [client] = mesh.settings.clients;
  const clients = Array.from({ length: 60 }, (_, at) => ({
    ...client,
    mac: `00:00:5e:00:54:${at.toString(16).padStart(2, '0')}`,
    ip: `192.168.100.${at + 100}`,
  }));
  mesh.patch({ clients });
  await setUp(lab, mesh);
  await expect.poll(() => pathsOf(mesh)).toContain('/network');
}

test('one that is removed while its clients are recorded stays removed', async () => {
  await using lab = await startLab();
  await using mesh = await startMesh({ clock: lab.clock });
  await slowInserts(lab, 'device');
  await startRecording(lab, mesh);
  await lab.as.admin.routers.setUp({ body: { doMesh: false } });
  expect(await networkOf(lab)).toEqual(off);
  await lab.settled();
  expect(await networkOf(lab)).toEqual(off);
  const asked = mesh.journal().length;
  await lab.poll();
  expect(mesh.journal()).toHaveLength(asked);
});

test('the token of one is never sent to another that was set up while the first was recorded', async () => {
  await using lab = await startLab();
  await using first = await startMesh({ clock: lab.clock });
  await using second = await startMesh({ clock: lab.clock, seed: 2 });
  await slowInserts(lab, 'device');
  await startRecording(lab, first);
  await setUp(lab, second);
  await lab.settled();
  expect(tokensOf(second)).not.toContain('foreign');
  expect(tokensOf(second)).toContain('own');
  const { state, clients } = await networkOf(lab);
  expect({ state, clients: clients.length }).toEqual({ state: 'ready', clients: 6 });
});

test('another one is read at once, not after the first has failed to answer, of which nothing is said', async () => {
  const { log, lines } = collectLog('warn');
  await using lab = await startLab({ hub: { log } });
  await using first = await startMesh({ clock: lab.clock });
  await using second = await startMesh({ clock: lab.clock });
  first.fail('no-answer', { command: '/network' });
  await setUp(lab, first);
  await expect.poll(() => pathsOf(first)).toContain('/network');
  await setUp(lab, second);
  const network = await eventually(
    () => networkOf(lab),
    (seen) => (seen.state === 'ready' ? seen : undefined),
    limits.meshTimeoutMs / 2,
  );
  expect(network.clients).toHaveLength(6);
  expect(tokensOf(second)).not.toContain('foreign');
  await lab.settled();
  expect(lines.map(({ msg }) => msg).filter((said) => /access point/.test(said))).toEqual([]);
});

test('one that is set up while the hub stops is not asked any more', async () => {
  using folder = temporaryFolder();
  await using lan = openLan();
  await using mesh = await startMesh({ clock: lan.clock });
  const document = openDocument(path.join(folder.path, 'monitor.json'), randomHex(64));
  const { clock, devices } = lan;
  const source = startMeshSource({ document, devices, clock, log: createLog('mesh', 'silent'), onNetwork() {} });
  await source[Symbol.asyncDispose]();
  const { user, password: pass } = mesh.credentials;
  document.update((all) => ({ ...all, mesh: { ip: mesh.url.host, user, pass } }));
  source.apply();
  await source.settled();
  expect(source.state()).toEqual({ state: 'off', message: '', messageFacts: [] });
  expect(mesh.journal()).toEqual([]);
});

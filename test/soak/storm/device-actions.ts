// Notes, archives, merges and their undoing, and readers who come and go.
import { systemClock } from '#kernel/time/clock.ts';
import { findRegister } from './model.ts';
import type { HubClient, World } from './world.ts';

type Device = Awaited<ReturnType<HubClient['devices']['list']>>['devices'][number];

/** Those that are archived and get notes, or those that are merged: each kind can then be judged alone. */
async function devices(world: World, use: 'notes' | 'merges'): Promise<Device[]> {
  const { value } = await world.patientCall('listing devices', (client) =>
    client.devices.list({ query: { includeArchived: '1' } }),
  );
  return (value?.devices ?? [])
    .filter(({ deviceId }) => (Number.parseInt(deviceId.slice(-1), 16) % 2 === 0 ? 'notes' : 'merges') === use)
    .toSorted((a, b) => a.deviceId.localeCompare(b.deviceId));
}

/** Of a device, or of an address that nobody has yet. */
export async function writeNote(world: World): Promise<void> {
  const known = await devices(world, 'notes');
  const device = known.length > 0 && world.chance(0.6) ? world.pick(known) : null;
  const address = `192.168.250.${1 + Math.floor(world.random() * 4)}`;
  const key = device?.deviceId ?? address;
  const note = world.chance(0.2) ? '' : world.fresh('note');
  const end = findRegister(world.model.notes, 'the note of', key, '').begin(note);
  const { ending } = await world.call('writing a note', (client) =>
    client.notes.write({ body: device ? { deviceId: device.deviceId, note } : { ip: address, note } }),
  );
  end(ending);
}

export async function archive(world: World): Promise<void> {
  const device = world.pick(await devices(world, 'notes'));
  if (!device) {
    return;
  }
  const { deviceId } = device;
  const away = world.chance(0.5);
  const end = findRegister(world.model.archived, 'archived of', deviceId, false).begin(away);
  const { ending } = await world.call('archiving a device', (client) =>
    away ? client.devices.archive({ body: { deviceId } }) : client.devices.unarchive({ body: { deviceId } }),
  );
  end(ending);
}

export async function merge(world: World): Promise<void> {
  const known = await devices(world, 'merges');
  const pair = Math.floor(world.random() * 3) * 2;
  const [keep, drop] = [known[pair], known[pair + 1]];
  if (!keep || !drop) {
    return;
  }
  const merged = world.chance(0.5);
  const end = findRegister(world.model.merged, 'merged of', drop.deviceId, false).begin(merged);
  const { ending } = await world.call('merging devices', (client) =>
    merged
      ? client.devices.merge({ body: { keepId: keep.deviceId, dropId: drop.deviceId } })
      : client.devices.split({ body: { deviceId: drop.deviceId } }),
  );
  end(ending);
}

/** Questions of all kinds, whose askers may leave. */
export async function read(world: World): Promise<void> {
  const from = String(world.lab.clock.now() - 3_600_000);
  const ask = world.pick<(client: HubClient) => Promise<unknown>>([
    (client) => client.connections.list({ query: { limit: '50' } }),
    (client) => client.connections.summary({ query: { from } }),
    (client) => client.routers.list({}),
    (client) => client.status.status({}),
    (client) => client.auth.auditEvents({ query: {} }),
    (client) => client.mesh.network({}),
  ]);
  await world.call('reading', ask);
}

/** A reader of live events who leaves after a while. */
export async function watchEvents(world: World): Promise<void> {
  const leaving = new AbortController();
  const watched = fetch(new URL('/api/events', world.lab.url), {
    headers: { 'x-admin-token': world.lab.adminToken },
    signal: leaving.signal,
  });
  await systemClock.sleep(Math.floor(world.random() * 400));
  leaving.abort();
  // Left by this reader, or cut off by a restart: both are what this is for.
  await watched.then(
    () => undefined,
    () => undefined,
  );
}

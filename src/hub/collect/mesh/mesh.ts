// The mesh access point as a source: read once a minute while one is set up. A refused password waits for another one.
import { limits } from '#contract/limits.ts';
import type { MeshNetwork, MeshState } from '#contract/mesh.ts';
import { AppError, messageOf } from '#kernel/errors.ts';
import { Semaphore } from '#kernel/http/limiter.ts';
import { onlyChanges } from '#kernel/text/changes.ts';
import { withDeadline } from '#kernel/time/clock.ts';
import { startJob } from '#kernel/time/job.ts';
import type { Base } from '../../base/feature.ts';
import { createFact, listFacts } from '../../base/refusals.ts';
import type { SettingsDocument } from '../../base/settings/document.ts';
import type { Settings } from '../../base/settings/schema.ts';
import { createStatement, type Message, toMessage } from '../../base/statements.ts';
import type { Devices } from '../../identify/devices/devices.ts';
import type { Sighting } from '../../identify/devices/sighting.ts';
import { createMeshRefusal, fetchMeshNetwork, fetchMeshNonce, logInToMesh, toUrlHost } from './client.ts';
import { parseNetwork, type ReadClient, type ReadNetwork } from './network.ts';

export interface MeshOptions extends Pick<Base, 'clock' | 'log'> {
  document: SettingsDocument;
  devices: Pick<Devices, 'record' | 'findDeviceByMac'>;
  /** Called with what is connected whenever that changed. */
  onNetwork: (network: MeshNetwork) => void;
}

export type Mesh = ReturnType<typeof startMesh>;

/** The access point of one version of the settings, with its state. Other settings make a new one. */
interface Source {
  readonly settings: NonNullable<Settings['mesh']>;
  /** Aborted when other settings are set up, or none. */
  readonly over: AbortController;
  state: MeshState;
  message: Message;
  token: string | null;
  read: ReadNetwork | null;
  updatedAt: number | null;
  /** The access point refused these credentials: do not try them again. */
  isRefused: boolean;
}

export function startMesh({ document, devices, clock, log, onNetwork }: MeshOptions) {
  let source: Source | null = null;
  let isOver = false;
  const turns = new Semaphore(1);

  const network = (): MeshNetwork => ({
    nodes: source?.read?.nodes ?? [],
    clients: (source?.read?.clients ?? []).map(({ idleSec: _idle, ...client }) => ({
      ...client,
      deviceId: devices.findDeviceByMac(client.mac),
    })),
    updatedAt: source?.updatedAt ?? null,
  });
  const publish = onlyChanges(() => onNetwork(network()));
  const publishChange = () => publish({ ...network(), updatedAt: null });
  /** Whether `asked` has the present settings. They may change during each await: check again after it. */
  const isCurrent = (asked: Source) => !asked.over.signal.aborted && document.current().mesh === asked.settings;

  const read = async (asked: Source) => {
    const found = await withDeadline(
      clock,
      4 * limits.meshTimeoutMs,
      () =>
        createMeshRefusal(
          'the mesh access point took too long to answer: see that it is reachable from the hub',
          createFact('mesh_late'),
        ),
      asked.over.signal,
      (signal) => readNetwork(asked, signal),
    );
    if (isCurrent(asked)) {
      await devices.record(toSightingBatch(found.clients, clock.now()));
    }
    if (isCurrent(asked)) {
      const { dropped } = found;
      const message = dropped === 0 ? toMessage() : describeDropped(dropped);
      Object.assign(asked, { state: 'ready', message, read: found, updatedAt: clock.now() });
      publishChange();
    }
  };
  const poll = async () => {
    const asked = source;
    if (asked === null || asked.isRefused || !isCurrent(asked)) {
      return;
    }
    try {
      await read(asked);
    } catch (error) {
      if (!isCurrent(asked)) {
        return;
      }
      asked.isRefused = error instanceof AppError && error.code === 'mesh_login_refused';
      const failure = describeFailure(error, asked.isRefused);
      Object.assign(asked, { state: 'failed', message: failure, token: null });
      log.warn({ err: error instanceof AppError ? undefined : error }, failure.message);
    }
  };
  const pollInTurn = () => turns.use(poll);
  const apply = () => {
    if (isOver) {
      return;
    }
    source?.over.abort(new Error('other settings of the mesh access point are in use'));
    const settings = document.current().mesh;
    source = settings && createSource(settings);
    publishChange();
    void pollInTurn();
  };

  const job = startJob(clock, log, {
    name: 'reading the mesh access point',
    everyMs: limits.meshIntervalMs,
    run: pollInTurn,
  });
  apply();
  const settled = () => turns.use(async () => undefined);
  return {
    state: () => ({ state: source?.state ?? 'off', ...(source?.message ?? toMessage()) }),
    /** The network at the last read; empty while no access point is set up. */
    network,
    /** A nonce from the login page at `ip`, checked before. Rejects with AppError `upstream_failed`. */
    nonce: (ip: string, id: string, signal: AbortSignal) => fetchMeshNonce({ host: toUrlHost(ip) }, id, signal),
    /** Tries credentials there; rejects with AppError `mesh_login_refused` or `upstream_failed`. */
    async logIn(ip: string, user: string, password: string, signal: AbortSignal) {
      await logInToMesh({ host: toUrlHost(ip) }, user, password, signal);
    },
    /** Call this after the settings changed: aborts the read that is running, and reads with the new settings. */
    apply,
    /** Resolves when no read is under way. */
    settled,
    async [Symbol.asyncDispose]() {
      isOver = true;
      source?.over.abort(new Error('stopped'));
      await job[Symbol.asyncDispose]();
      await settled();
    },
  };
}

function describeDropped(entries: number): Message {
  const sentence = `${entries} entries of its list make no sense and are left out.`;
  return toMessage(createStatement('mesh_entries_dropped', sentence, { entries }));
}

function describeFailure(error: unknown, isRefused: boolean): Message {
  const message = messageOf(error);
  if (isRefused) {
    const advice = ': enter the password again; it is not tried until then';
    return toMessage(createStatement('mesh_login_refused', `${message}${advice}`));
  }
  const reasons = listFacts(error);
  const begun = createFact('mesh_failed', reasons.length === 0 ? { detail: message } : {});
  return { message, messageFacts: [begun, ...reasons] };
}

function createSource(settings: Source['settings']): Source {
  const known = { token: null, read: null, updatedAt: null, isRefused: false };
  return { settings, over: new AbortController(), state: 'connecting', message: toMessage(), ...known };
}

/** One read, with one more login when the session is over. The token is cached with the settings it was given for. */
async function readNetwork(asked: Source, signal: AbortSignal): Promise<ReadNetwork> {
  const { ip, user, pass } = asked.settings;
  const target = { host: toUrlHost(ip) };
  const logIn = async () => {
    const token = await logInToMesh(target, user, pass, signal);
    asked.token = token;
    return token;
  };
  const kept = asked.token;
  const first = await fetchMeshNetwork(target, kept ?? (await logIn()), signal);
  const answer = first === null && kept !== null ? await fetchMeshNetwork(target, await logIn(), signal) : first;
  const read = parseNetwork(answer);
  if (read === null) {
    throw createMeshRefusal(
      'the mesh access point sent no list of what is connected: check its address and firmware',
      createFact('mesh_no_list'),
    );
  }
  return read;
}

function toSightingBatch(clients: readonly ReadClient[], now: number) {
  const sightings = clients.map(({ mac, ip, name, node, band, signal, idleSec }): Sighting => {
    const facts = { ...(name === null ? {} : { meshName: name }), wifi: { node, band, signal } };
    const heardAt = now - idleSec * 1000;
    return { address: ip, mac, heardAt, sources: ['mesh'], observerId: 'mesh', facts, isWeak: true };
  });
  return { sightings, observerId: 'mesh', wireless: new Set(clients.map(({ mac }) => mac)) };
}

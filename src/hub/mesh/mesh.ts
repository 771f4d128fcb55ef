// The mesh access point as a source: read once a minute while one is set up. A refused password waits for another one.
import { limits } from '#contract/limits.ts';
import type { MeshNetwork, MeshState } from '#contract/mesh.ts';
import { type Clock, withDeadline } from '#kernel/clock.ts';
import { AppError, messageOf } from '#kernel/errors.ts';
import { startJob } from '#kernel/job.ts';
import type { Log } from '#kernel/log.ts';
import type { Devices } from '../devices/devices.ts';
import type { Sighting } from '../devices/sighting.ts';
import type { SettingsDocument } from '../settings/document.ts';
import { hostOf, meshLogin, meshNetworkOf, meshNonce } from './client.ts';
import { parseNetwork, type ReadClient, type ReadNetwork } from './network.ts';

export interface MeshOptions {
  document: SettingsDocument;
  devices: Pick<Devices, 'record' | 'deviceOf'>;
  clock: Clock;
  log: Log;
  /** Told of what is connected whenever that changed. */
  onNetwork: (network: MeshNetwork) => void;
}

export interface Mesh extends AsyncDisposable {
  status(): { state: MeshState; message: string };
  /** As told last; empty while none is set up. */
  network(): MeshNetwork;
  /** A nonce from the login page at `ip`, checked before. Rejects with AppError `upstream_failed`. */
  nonce(ip: string, id: string, signal: AbortSignal): Promise<{ nonce: string; id: string }>;
  /** Tries credentials there; rejects with AppError `mesh_login_refused` or `upstream_failed`. */
  logIn(ip: string, user: string, password: string, signal: AbortSignal): Promise<void>;
  /** Reads now: another access point, or other credentials, are set up. */
  apply(): void;
  /** Resolves when no read is under way. */
  settled(): Promise<void>;
}

interface Remembered {
  state: MeshState;
  message: string;
  token: string | null;
  read: ReadNetwork | null;
  updatedAt: number | null;
  /** These credentials were refused: not to be tried again. */
  refused: unknown;
  told: string;
}

const nothing: Remembered = {
  ...{ state: 'off', message: '', token: null, read: null, updatedAt: null, refused: null, told: '' },
};

export function startMesh({ document, devices, clock, log, onNetwork }: MeshOptions): Mesh {
  let memory: Remembered = nothing;
  let running: Promise<void> = Promise.resolve();
  const stop = new AbortController();

  const network = (): MeshNetwork => ({
    nodes: memory.read?.nodes ?? [],
    clients: (memory.read?.clients ?? []).map(({ idleSec: _idle, ...client }) => ({
      ...client,
      deviceId: devices.deviceOf(client.mac),
    })),
    updatedAt: memory.updatedAt,
  });
  const tell = () => {
    const { updatedAt: _at, ...shown } = network();
    const told = JSON.stringify(shown);
    if (told !== memory.told) {
      memory = { ...memory, told };
      onNetwork(network());
    }
  };

  /** One read, with one more login when the session is over. */
  const readNetwork = async (settings: { ip: string; user: string; pass: string }, signal: AbortSignal) => {
    const target = { host: hostOf(settings.ip) };
    const logIn = () => meshLogin(target, settings.user, settings.pass, signal);
    const token = memory.token ?? (await logIn());
    const first = await meshNetworkOf(target, token, signal);
    const renewed = first === null && memory.token !== null ? await logIn() : null;
    const answer = renewed === null ? first : await meshNetworkOf(target, renewed, signal);
    const read = parseNetwork(answer);
    if (read === null) {
      throw new AppError('upstream_failed', 'the mesh access point answered, but not with what is connected to it');
    }
    return { read, token: renewed ?? token };
  };

  const poll = async () => {
    const settings = document.current().mesh;
    if (settings === null || memory.refused === settings) {
      return;
    }
    try {
      const { read, token } = await withDeadline(
        clock,
        4 * limits.meshTimeoutMs,
        () => new AppError('upstream_failed', 'the mesh access point took too long to say what is connected'),
        stop.signal,
        (signal) => readNetwork(settings, signal),
      );
      if (document.current().mesh !== settings) {
        return;
      }
      await devices.record(batchOf(read.clients, clock.now()));
      const message = read.dropped === 0 ? '' : `${read.dropped} entries of its list make no sense and are left out.`;
      memory = { ...memory, state: 'ready', message, token, read, updatedAt: clock.now() };
      tell();
    } catch (error) {
      if (stop.signal.aborted || document.current().mesh !== settings) {
        return;
      }
      const isRefused = error instanceof AppError && error.code === 'mesh_login_refused';
      const advice = isRefused ? ': enter the password again; it is not tried until then' : '';
      const message = `${messageOf(error)}${advice}`;
      memory = { ...memory, state: 'failed', message, token: null, refused: isRefused ? settings : null };
      log.warn({ err: error instanceof AppError ? undefined : error }, message);
    }
  };
  const pollInTurn = () => {
    running = running.then(poll);
    return running;
  };
  const apply = () => {
    const isSetUp = document.current().mesh !== null;
    memory = { ...nothing, state: isSetUp ? 'connecting' : 'off', told: memory.told };
    tell();
    void pollInTurn();
  };

  const job = startJob(clock, log, {
    name: 'reading the mesh access point',
    everyMs: limits.meshIntervalMs,
    run: pollInTurn,
  });
  apply();
  return {
    status: () => ({ state: memory.state, message: memory.message }),
    network,
    nonce: (ip, id, signal) => meshNonce({ host: hostOf(ip) }, id, signal),
    async logIn(ip, user, password, signal) {
      await meshLogin({ host: hostOf(ip) }, user, password, signal);
    },
    apply,
    settled: () => running,
    async [Symbol.asyncDispose]() {
      stop.abort(new Error('stopped'));
      await job[Symbol.asyncDispose]();
      await running;
    },
  };
}

function batchOf(clients: readonly ReadClient[], now: number) {
  const sightings = clients.map(({ mac, ip, name, node, band, signal, idleSec }): Sighting => {
    const facts = { ...(name === null ? {} : { meshName: name }), wifi: { node, band, signal } };
    const heardAt = now - idleSec * 1000;
    return { address: ip, mac, heardAt, sources: ['mesh'], observerId: 'mesh', facts, isWeak: true };
  });
  return { sightings, observerId: 'mesh', wireless: new Set(clients.map(({ mac }) => mac)) };
}

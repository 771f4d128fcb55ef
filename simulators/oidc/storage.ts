// What the provider stores, in memory: it expires by the simulator's clock, and refresh tokens have the replay modes.
import { createHash } from 'node:crypto';
import { type Adapter, type AdapterPayload, Provider } from 'oidc-provider';
import { type Clock, systemClock } from '#kernel/time/clock.ts';
import { type Clients, toRegistration } from './clients.ts';
import type { IssuerFaults } from './faults.ts';
import type { IssuerSettings } from './settings.ts';

export interface StorageOptions {
  clock: Clock;
  settings: IssuerSettings;
  faults: IssuerFaults;
  clients: Clients;
  note: (kind: string, details: Record<string, unknown>) => void;
}

interface Stored {
  model: string;
  payload: AdapterPayload;
  /** On the simulator's clock. */
  expiresAt: number | null;
  consumed: boolean;
}

/** At most so many records are stored before expired ones are swept out. */
const sweepAt = 5_000;

export type Storage = ReturnType<typeof createStorage>;

export function createStorage({ clock, settings, faults, clients, note }: StorageOptions) {
  const records = new Map<string, Stored>();
  const isLive = ({ expiresAt }: Stored) => expiresAt === null || expiresAt > clock.now();

  // The provider compares `exp` with the wall clock, which cannot be replaced: it gets the time left, on that clock.
  const present = ({ payload, expiresAt, consumed }: Stored): AdapterPayload => ({
    ...payload,
    ...(expiresAt === null ? {} : { exp: Math.floor((systemClock.now() + expiresAt - clock.now()) / 1000) }),
    ...(consumed ? { consumed: true } : {}),
  });

  const replayed = (stored: Stored): AdapterPayload | undefined => {
    const client = stored.payload.clientId ?? null;
    const tell = (outcome: string) => note('replay', { client, mode: settings.replayMode, outcome });
    if (faults.take('replay-accepted')) {
      tell('accepted');
      return present({ ...stored, consumed: false });
    }
    if (settings.replayMode === 'reject-replay' || faults.take('family-not-revoked')) {
      tell('rejected');
      return undefined;
    }
    tell('family-revoked');
    return present(stored);
  };

  /** A code as it is about to be redeemed: under a fault it fits whatever the request says. */
  const redeemed = (stored: Stored): AdapterPayload => {
    const { code_verifier: verifier, redirect_uri: callback } = Provider.ctx?.oidc.params ?? {};
    return {
      ...present(stored),
      ...(faults.take('any-verifier') ? { codeChallenge: toChallenge(String(verifier)) } : {}),
      ...(faults.take('any-callback') ? { redirectUri: String(callback) } : {}),
    };
  };

  const store = (model: string): Adapter => {
    const key = (id: string) => `${model}:${id}`;
    const find = (id: string) => {
      const stored = records.get(key(id));
      const isTokenRequest = Provider.ctx?.oidc.route === 'token';
      if (!stored || !isTokenRequest) {
        return stored && present(stored);
      }
      if (model === 'AuthorizationCode') {
        return redeemed(stored);
      }
      return model === 'RefreshToken' && stored.consumed ? replayed(stored) : present(stored);
    };
    return {
      async upsert(id, payload, expiresIn) {
        if (records.size >= sweepAt) {
          for (const [name, stored] of records) {
            if (!isLive(stored)) {
              records.delete(name);
            }
          }
        }
        const expired = model === 'AuthorizationCode' && faults.take('expired-code') !== null;
        const expiresAt = expiresIn === undefined ? null : clock.now() + (expired ? -1 : expiresIn) * 1000;
        records.set(key(id), { model, payload, expiresAt, consumed: false });
      },
      find: async (id) => find(id),
      async findByUid(uid) {
        const stored = [...records.values()].find((one) => one.model === model && one.payload.uid === uid);
        return stored && present(stored);
      },
      findByUserCode: async () => undefined,
      async consume(id) {
        const stored = records.get(key(id));
        if (stored) {
          stored.consumed = true;
        }
      },
      async destroy(id) {
        records.delete(key(id));
      },
      async revokeByGrantId(grantId) {
        for (const [name, stored] of records) {
          if (stored.model === model && stored.payload.grantId === grantId) {
            records.delete(name);
          }
        }
      },
    };
  };

  const registered = (): Adapter => ({
    ...store('Client'),
    async find(id) {
      const client = clients.find(id);
      return (client && toRegistration(client)) ?? undefined;
    },
  });

  return {
    adapter: (model: string) => (model === 'Client' ? registered() : store(model)),
    /** Records that are neither used up nor expired. */
    count: (model: string) =>
      [...records.values()].filter((one) => one.model === model && !one.consumed && isLive(one)).length,
    clear: () => records.clear(),
  };
}

/** PKCE S256 (RFC 7636 §4.2). */
function toChallenge(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

// One simulated OIDC issuer: the certified provider on loopback, misbehaviour around it, and the control surface.
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { parseChange } from '../support/change.ts';
import { toRunning } from '../support/running.ts';
import type { Simulator, SimulatorOptions } from '../support/simulator.ts';
import { createSimulatorBase, type SimulatorBase } from '../support/simulator-base.ts';
import { type Clients, createClients, defaultClients, type IssuerClient } from './clients.ts';
import type { IssuerControl } from './control.ts';
import { type IssuerFault, issuerFaults, requireFaultValue } from './faults.ts';
import { createInteractionPages } from './interaction.ts';
import { createMisbehaviour } from './misbehaviour.ts';
import { createRequestFaults } from './per-request-faults.ts';
import { createProvider } from './provider.ts';
import { type IssuerSettings, patchSchema } from './settings.ts';
import { createSigningKey } from './signing-key.ts';
import { createStorage, type Storage } from './storage.ts';
import { createUsers, defaultUsers, type IssuerUser, type Users, withoutPassword } from './users.ts';
import { createWireLog } from './wire-log.ts';

/** `clock` stamps tokens, and expires codes, refresh tokens and sessions. */
export interface IssuerOptions extends SimulatorOptions, Partial<Omit<IssuerSettings, 'nextUser'>> {
  /** Serves https with it; the issuer's name is then `https://HOST:PORT`. */
  certificate?: { key: string; cert: string };
  /** The issuer's name instead of the address it listens on; requests may have its path in front of theirs. */
  issuer?: string;
  /** Two users when absent; the first one is logged in by automatic consent. */
  users?: readonly IssuerUser[];
  /** Callbacks of the hub's client; may also be set later by `setRedirectUris`. */
  hubRedirectUris?: readonly string[];
  hubSecret?: string;
  /** Clients besides the three of clients.ts; one of the same id takes its place. */
  clients?: readonly IssuerClient[];
  /** `network.read` and `notes.write` when absent. */
  readScope?: string;
  writeScope?: string;
}

export interface IssuerSimulator extends IssuerControl, Simulator {
  /** The issuer identifier, exactly as tokens name it: without a slash at the end. */
  readonly issuer: string;
  readonly clients: readonly IssuerClient[];
}

const defaultSecret = 'gatehouse-hub-secret-of-the-simulator';

/** Starts an OIDC issuer; `issuer` is its identifier, as tokens name it, and `clients` has the secrets of its clients. */
export async function startIssuer(options: IssuerOptions = {}): Promise<IssuerSimulator> {
  const { readScope = 'network.read', writeScope = 'notes.write', certificate } = options;
  const users = createUsers(options.users ?? defaultUsers);
  const clients = createClients([
    ...defaultClients(options.hubRedirectUris ?? [], options.hubSecret ?? defaultSecret),
    ...(options.clients ?? []),
  ]);
  const firstSettings: IssuerSettings = {
    profile: options.profile ?? 'strict',
    replayMode: options.replayMode ?? 'reject-replay',
    accessTokenTtlMs: options.accessTokenTtlMs ?? 600_000,
    consent: options.consent ?? 'automatic',
    nextUser: users.list()[0]?.sub ?? null,
    resources: options.resources ?? null,
  };
  const settings = { ...firstSettings };
  const base = createSimulatorBase<IssuerFault>(options, {
    faults: issuerFaults,
    secrets: () => [
      ...users.list().map(({ password }) => password),
      ...clients.list().map(({ secret }) => secret ?? ''),
    ],
    requireOptions: requireFaultValue,
  });
  const { clock, faults, stopped } = base;
  const note = base.journal.add;
  const requestFaults = createRequestFaults(faults);
  const storage = createStorage({ clock, settings, faults, clients, note });

  let handler: RequestListener = (_request, response) => response.writeHead(503).end();
  const prefix = new URL(options.issuer ?? 'http://localhost').pathname.replace(/\/$/, '');
  const listener: RequestListener = (request, response) => {
    if (prefix !== '' && request.url?.startsWith(`${prefix}/`)) {
      request.url = request.url.slice(prefix.length);
    }
    handler(request, response);
  };
  const server = certificate ? createTlsServer(certificate, listener) : createServer(listener);
  const origin = `${certificate ? 'https' : 'http'}://${await base.listen(server)}`;
  const issuer = options.issuer ?? origin;
  const resourceScopes = [readScope, writeScope];
  const serveWithNewKey = async (): Promise<string> => {
    const key = await createSigningKey();
    const shared = { issuer, clock, key, settings, resourceScopes, users, clients, requestFaults, storage };
    const provider = createProvider(shared);
    provider.use(createWireLog(note));
    provider.use(createMisbehaviour({ ...shared, stopped }));
    provider.use(createInteractionPages({ provider, settings, users, resourceScopes, note }));
    handler = provider.callback();
    return key.kid;
  };
  const kid = await serveWithNewKey();
  const scopes = { read: readScope, write: writeScope };
  const parts = { base, issuer, scopes, users, clients, firstSettings, settings, storage, kid, serveWithNewKey };
  return toRunning(createControl(parts), {
    url: new URL(origin),
    issuer,
    get clients() {
      return clients.list();
    },
    [Symbol.asyncDispose]: () => base.close(server),
  });
}

interface ControlParts {
  base: SimulatorBase<IssuerFault>;
  issuer: string;
  scopes: { read: string; write: string };
  users: Users;
  clients: Clients;
  firstSettings: IssuerSettings;
  settings: IssuerSettings;
  storage: Storage;
  kid: string;
  /** Serves with a new signing key from now on; resolves to its `kid`. */
  serveWithNewKey: () => Promise<string>;
}

function createControl(parts: ControlParts): IssuerControl {
  const { base, users, clients, settings, storage } = parts;
  let { kid } = parts;
  const control: IssuerControl = {
    ...base.control,
    fail: (fault, options) =>
      base.control.fail(fault, fault === 'redirect-loop' ? { command: '/auth', ...options } : options),
    reset() {
      base.faults.clear();
      users.reset();
      clients.reset();
      Object.assign(settings, parts.firstSettings);
      storage.clear();
      base.journal.clear();
    },
    state: () => ({
      issuer: parts.issuer,
      ...settings,
      kid,
      scopes: parts.scopes,
      users: control.users,
      clients: clients.list().map(({ secret, ...client }) => ({ ...client, confidential: secret !== null })),
      sessions: storage.count('Session'),
      refreshTokens: storage.count('RefreshToken'),
      faults: [...base.faults.list()],
    }),
    patch(change) {
      const { nextUser, redirectUris = {}, ...rest } = parseChange(patchSchema, change);
      const user = nextUser === undefined ? null : users.find(nextUser);
      if (nextUser !== undefined && !user) {
        throw new Error(`nextUser: there is no user "${nextUser}"`);
      }
      const stranger = Object.keys(redirectUris).find((id) => !clients.find(id));
      if (stranger !== undefined) {
        throw new Error(`redirectUris: there is no client "${stranger}"`);
      }
      for (const [id, uris] of Object.entries(redirectUris)) {
        clients.setRedirectUris(id, uris);
      }
      Object.assign(settings, rest, user ? { nextUser: user.sub } : {});
    },
    get users() {
      return users.list().map(withoutPassword);
    },
    putUser(user) {
      users.put(user);
      settings.nextUser ??= user.sub;
    },
    removeUser(sub) {
      const removed = users.remove(sub);
      settings.nextUser = settings.nextUser === sub ? (users.list()[0]?.sub ?? null) : settings.nextUser;
      return removed;
    },
    loginAs: (subOrEmail) => control.patch({ nextUser: subOrEmail }),
    setRedirectUris: clients.setRedirectUris,
    async rotateKey() {
      kid = await parts.serveWithNewKey();
      base.journal.add('key-rotated', { kid });
      return kid;
    },
  };
  return control;
}

// One simulated mesh access point: its page over HTTP on loopback (nonce, login, what is connected) and its control surface.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { parseJson } from '#kernel/text/json.ts';
import { createId, randomHex } from '#kernel/text/secret.ts';
import { parseChange } from '../support/change.ts';
import { toRunning } from '../support/running.ts';
import type { Control, Simulator, SimulatorOptions } from '../support/simulator.ts';
import { createSimulatorBase, type SimulatorBase } from '../support/simulator-base.ts';
import { type MeshFault, meshFaults, requireFaultOptions } from './faults.ts';
import { createSettings, describeNetwork, type MeshSettings, settingsSchema } from './settings.ts';

export interface MeshControl extends Control<MeshFault> {
  readonly settings: Readonly<MeshSettings>;
}

export interface MeshOptions extends SimulatorOptions {
  /** 1 when absent. */
  seed?: number;
  settings?: Partial<MeshSettings>;
}

export interface MeshSimulator extends MeshControl, Simulator {
  readonly credentials: { readonly user: string; readonly password: string };
}

interface Reply {
  status: number;
  body: string;
  type?: string;
}

const toJson = (body: object, status = 200): Reply => ({ status, body: JSON.stringify(body) });
const refusal = toJson({ error: 'wrong user name, password or nonce' }, 401);
const errorPage = {
  body: '<!doctype html><html><body>Something went wrong.</body></html>',
  type: 'text/html',
};

const nonceBody = z.object({ id: z.string().max(128) });
const loginBody = z.object({ username: z.string(), password: z.string(), nonce: z.string(), id: z.string() });

type Base = SimulatorBase<MeshFault>;

/** Starts the page of a mesh access point, like `http://127.0.0.1:4050/`; `credentials` has its login. */
export async function startMesh(options: MeshOptions = {}): Promise<MeshSimulator> {
  const first: MeshSettings = { ...createSettings(options.seed ?? 1), ...options.settings };
  let settings = first;
  const base: Base = createSimulatorBase(options, {
    faults: meshFaults,
    secrets: () => [settings.password, ...page.sessions.keys()],
    requireOptions: requireFaultOptions,
  });
  const page = new AccessPointPage(base, () => settings);
  const server = createServer(base.listener((request, response) => serve(base, page, request, response)));
  const url = new URL(`http://${await base.listen(server)}/`);

  const control: MeshControl = {
    ...base.control,
    get settings() {
      return settings;
    },
    reset() {
      control.clearFaults();
      settings = first;
      page.reset();
      base.journal.clear();
    },
    state() {
      const { password: _password, ...shown } = settings;
      return { url: url.href, ...shown, sessions: page.sessions.size, faults: base.faults.list() };
    },
    patch(change) {
      settings = parseChange(settingsSchema, { ...settings, ...change });
    },
  };
  return toRunning(control, {
    url,
    get credentials() {
      return { user: settings.user, password: settings.password };
    },
    [Symbol.asyncDispose]: () => base.close(server),
  });
}

/** The requests that the page of the access point knows, with its nonces and sessions. */
class AccessPointPage {
  /** Token → when it was used last. */
  readonly sessions = new Map<string, number>();
  readonly #nonces = new Set<string>();
  /** Every token that was given out, also of sessions that are over. */
  readonly #issued = new Set<string>();
  readonly #base: Base;
  readonly #settings: () => MeshSettings;

  constructor(base: Base, settings: () => MeshSettings) {
    this.#base = base;
    this.#settings = settings;
  }

  /** Answers one request; null, with its body unread, when there is nothing at the address. */
  async answer(request: IncomingMessage, path: string, token: string): Promise<Reply | null> {
    switch (`${request.method} ${path}`) {
      case 'POST /login/nonce':
        return this.#createNonce(parseJson(await text(request)));
      case 'POST /login':
        return this.#logIn(parseJson(await text(request)));
      case 'GET /network':
        return this.#showNetwork(token);
      default:
        return null;
    }
  }

  /** Whether a token was given out here (`own`) or elsewhere (`foreign`); null when none came. */
  tokenOrigin(token: string | null): 'own' | 'foreign' | null {
    if (token === null) {
      return null;
    }
    return this.#issued.has(token) ? 'own' : 'foreign';
  }

  reset(): void {
    this.sessions.clear();
    this.#nonces.clear();
    this.#issued.clear();
  }

  #createNonce(body: unknown): Reply {
    const { faults } = this.#base;
    const asked = nonceBody.safeParse(body);
    if (faults.take('nonce-refused', '/login/nonce')) {
      return { status: 500, ...errorPage };
    }
    if (!asked.success) {
      return toJson({ error: 'id is missing' }, 400);
    }
    if (faults.take('empty-nonce', '/login/nonce')) {
      return toJson({ nonce: '', id: asked.data.id });
    }
    const nonce = randomHex(32);
    this.#nonces.add(nonce);
    return toJson({ nonce, id: asked.data.id || createId() });
  }

  #logIn(body: unknown): Reply {
    const { user, password } = this.#settings();
    const { data } = loginBody.safeParse(body);
    const isRight = data?.username === user && data.password === password;
    const isFresh = data !== undefined && this.#nonces.delete(data.nonce);
    if (!isRight || !isFresh || this.#base.faults.take('login-refused', '/login')) {
      return refusal;
    }
    const token = randomHex(48);
    this.sessions.set(token, this.#base.clock.now());
    this.#issued.add(token);
    return toJson({ success: true, token });
  }

  #showNetwork(token: string): Reply {
    const { faults, clock } = this.#base;
    const settings = this.#settings();
    const usedAt = this.sessions.get(token);
    if (faults.take('session-lost', '/network')) {
      this.sessions.clear();
    }
    if (usedAt === undefined || !this.sessions.has(token) || clock.now() - usedAt > settings.sessionMs) {
      this.sessions.delete(token);
      return toJson({ error: 'log in first' }, 401);
    }
    this.sessions.set(token, clock.now());
    const network = describeNetwork(settings, clock.now());
    return toJson(faults.take('nonsense', '/network') ? withNonsense(network) : network);
  }
}

async function serve(base: Base, page: AccessPointPage, request: IncomingMessage, response: ServerResponse) {
  const { faults, journal } = base;
  const path = (request.url ?? '').split('?', 1)[0] ?? '';
  const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? null;
  const arrived = { method: request.method, path, token: page.tokenOrigin(token) };
  if (faults.take('no-answer', path)) {
    journal.add('request', { ...arrived, status: null });
    base.hold(response);
    return;
  }
  const reply = answerFault(base, path) ?? (await page.answer(request, path, token ?? ''));
  const { status, body, type = 'application/json' } = reply ?? { status: 404, ...errorPage };
  journal.add('request', { ...arrived, status });
  if (faults.take('cut-connection', path)) {
    response.destroy();
    return;
  }
  const sent = faults.take('truncated', path) ? body.slice(0, Math.floor(body.length / 2)) : body;
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(sent) });
  response.end(sent);
}

/** The answer of a fault that answers every request; null when none is armed. */
function answerFault({ faults }: Base, path: string): Reply | null {
  const serverError = faults.take('server-error', path);
  if (serverError) {
    return { status: Number(serverError.value ?? 500), ...errorPage };
  }
  if (faults.take('html-answer', path)) {
    return { status: 200, ...errorPage };
  }
  return faults.take('large-answer', path) ? toJson({ nodes: [], clients: [], padding: 'x'.repeat(2_000_000) }) : null;
}

/** The same list with entries among it that name no MAC, no known node, or no possible signal. */
function withNonsense({ nodes, clients }: ReturnType<typeof describeNetwork>) {
  const [client] = clients;
  return {
    nodes: [...nodes, { id: '', name: 7 }, null],
    clients: [
      'client',
      { mac: 'unknown', name: 'x' },
      ...clients,
      { ...client, mac: '00:00:5e:00:53:ee', ip: 'none', node: 'gone', band: '60', signal: 900, name: '\u202e\u0007 ' },
    ],
  };
}

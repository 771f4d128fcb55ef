// One simulated mesh access point: its page over HTTP on loopback (nonce, login, what is connected) and its control surface.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { createId, randomHex } from '#kernel/text/secret.ts';
import { createHttpSimulator } from '../support/http-simulator.ts';
import type { Control, Simulator, SimulatorOptions } from '../support/simulator.ts';
import { type MeshFault, requireFaultOptions } from './faults.ts';
import { changedSettings, type MeshSettings, networkAt, plainSettings } from './settings.ts';

export interface MeshControl extends Control<MeshFault> {
  readonly settings: Readonly<MeshSettings>;
}

export interface MeshOptions extends SimulatorOptions {
  /** 1 when absent. */
  seed?: number;
  settings?: Partial<MeshSettings>;
}

export interface MeshSimulator extends Simulator<MeshControl> {
  readonly credentials: { readonly user: string; readonly password: string };
}

interface Reply {
  status: number;
  body: string;
  type?: string;
}

const json = (body: object, status = 200): Reply => ({ status, body: JSON.stringify(body) });
const refusal = json({ error: 'wrong user name, password or nonce' }, 401);
const html = '<!doctype html><html><body>Something went wrong.</body></html>';
const page = { body: html, type: 'text/html' };

const nonceBody = z.object({ id: z.string().max(128) });
const loginBody = z.object({ username: z.string(), password: z.string(), nonce: z.string(), id: z.string() });

/** Starts an access point. */
export async function startMesh(options: MeshOptions = {}): Promise<MeshSimulator> {
  const first: MeshSettings = { ...plainSettings(options.seed ?? 1), ...options.settings };
  let settings = first;
  const nonces = new Set<string>();
  /** Token → when it was used last. */
  const sessions = new Map<string, number>();
  /** Every token it gave out, also of sessions that are over. */
  const issued = new Set<string>();
  const base = createHttpSimulator<MeshFault>(options, {
    secrets: () => [settings.password, ...sessions.keys()],
    requireOptions: requireFaultOptions,
  });
  const { clock, faults, journal } = base;

  const routes: Record<string, (body: unknown, token: string) => Reply> = {
    'POST /login/nonce'(body) {
      const asked = nonceBody.safeParse(body);
      if (faults.take('nonce-refused', '/login/nonce')) {
        return { status: 500, ...page };
      }
      if (!asked.success) {
        return json({ error: 'id is missing' }, 400);
      }
      if (faults.take('empty-nonce', '/login/nonce')) {
        return json({ nonce: '', id: asked.data.id });
      }
      const nonce = randomHex(32);
      nonces.add(nonce);
      return json({ nonce, id: asked.data.id || createId() });
    },
    'POST /login'(body) {
      const { data } = loginBody.safeParse(body);
      const isRight = data?.username === settings.user && data.password === settings.password;
      const isFresh = data !== undefined && nonces.delete(data.nonce);
      if (!isRight || !isFresh || faults.take('login-refused', '/login')) {
        return refusal;
      }
      const token = randomHex(48);
      sessions.set(token, clock.now());
      issued.add(token);
      return json({ success: true, token });
    },
    'GET /network'(_, token) {
      const usedAt = sessions.get(token);
      if (faults.take('session-lost', '/network')) {
        sessions.clear();
      }
      if (usedAt === undefined || !sessions.has(token) || clock.now() - usedAt > settings.sessionMs) {
        sessions.delete(token);
        return json({ error: 'log in first' }, 401);
      }
      sessions.set(token, clock.now());
      const network = networkAt(settings, clock.now());
      return json(faults.take('nonsense', '/network') ? withNonsense(network) : network);
    },
  };

  const answer = async (request: IncomingMessage, path: string): Promise<Reply> => {
    const overall = ['server-error', 'html-answer', 'large-answer'] as const;
    for (const name of overall) {
      const armed = faults.take(name, path);
      if (armed) {
        return name === 'large-answer'
          ? json({ nodes: [], clients: [], padding: 'x'.repeat(2_000_000) })
          : { status: name === 'html-answer' ? 200 : Number(armed.value ?? 500), ...page };
      }
    }
    const route = routes[`${request.method} ${path}`];
    if (!route) {
      return { status: 404, ...page };
    }
    return route(jsonOf(await text(request)), tokenOf(request) ?? '');
  };
  /** What an entry says of the token that came: its own, or another's; null when none came. */
  const whose = (token: string | null) => token && (issued.has(token) ? 'own' : 'foreign');
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    const arrived = { method: request.method, path, token: whose(tokenOf(request)) };
    if (faults.take('no-answer', path)) {
      journal.add('request', { ...arrived, status: null });
      base.hold(response);
      return;
    }
    const { status, body, type = 'application/json' } = await answer(request, path);
    journal.add('request', { ...arrived, status });
    if (faults.take('cut-connection', path)) {
      response.destroy();
      return;
    }
    const sent = faults.take('truncated', path) ? body.slice(0, Math.floor(body.length / 2)) : body;
    response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(sent) });
    response.end(sent);
  };

  const server = createServer(base.listener(serve));
  const url = new URL(`http://${await base.listen(server)}/`);

  const control: MeshControl = {
    ...base.control,
    get settings() {
      return settings;
    },
    reset() {
      control.clearFaults();
      settings = first;
      nonces.clear();
      sessions.clear();
      issued.clear();
      journal.clear();
    },
    state() {
      const { password: _password, ...shown } = settings;
      return { url: url.href, ...shown, sessions: sessions.size, faults: faults.list() };
    },
    patch(change) {
      settings = changedSettings(settings, change);
    },
  };
  return {
    url,
    control,
    get credentials() {
      return { user: settings.user, password: settings.password };
    },
    [Symbol.asyncDispose]: () => base.close(server),
  };
}

/** The same list with entries among it that name no MAC, no known node, or no possible signal. */
function withNonsense({ nodes, clients }: ReturnType<typeof networkAt>) {
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

function tokenOf({ headers }: IncomingMessage): string | null {
  return /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? null;
}

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

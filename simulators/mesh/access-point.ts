// The login page of a mesh access point: hands out nonces, accepts one user. Enough for the legacy set-up flow.
import { z } from 'zod';
import { type Clock, systemClock } from '#kernel/clock.ts';
import { AppError } from '#kernel/errors.ts';
import type { Handlers, RouteTable } from '#kernel/http/route.ts';
import { mount, startServer } from '#kernel/http/serve.ts';
import { createLog } from '#kernel/log.ts';
import { createId, randomHex } from '#kernel/secret.ts';

export const meshFaults = {
  'nonce-refused': 'the login page answers 500 to the question for a nonce',
  'empty-nonce': 'the login page answers with an empty nonce',
} as const;

export type MeshFault = keyof typeof meshFaults;

export interface MeshOptions {
  port?: number;
  user?: string;
  password?: string;
  clock?: Clock;
}

export interface MeshSimulator extends AsyncDisposable {
  readonly url: URL;
  readonly credentials: { user: string; password: string };
  /** What arrived, passwords masked. */
  readonly journal: readonly { at: number; path: string; accepted: boolean }[];
  /** Arms a fault for all following requests; null clears it. */
  fail(fault: MeshFault | null): void;
}

const routes = {
  nonce: {
    method: 'POST',
    path: '/login/nonce',
    access: 'open',
    summary: 'A nonce for one login',
    body: z.object({ id: z.string() }),
    reply: { 200: z.object({ nonce: z.string(), id: z.string() }) },
  },
  login: {
    method: 'POST',
    path: '/login',
    access: 'open',
    summary: 'A login with a nonce that was handed out',
    body: z.object({ username: z.string(), password: z.string(), nonce: z.string(), id: z.string() }),
    reply: { 200: z.object({ success: z.literal(true) }) },
  },
} as const satisfies RouteTable<string>;

/** Starts an access point on loopback. */
export async function startMesh(options: MeshOptions = {}): Promise<MeshSimulator> {
  const { clock = systemClock, user = 'admin', password = 'mesh-secret' } = options;
  const journal: { at: number; path: string; accepted: boolean }[] = [];
  const armed: { fault: MeshFault | null } = { fault: null };
  const handedOut = new Set<string>();
  const note = (path: string, accepted: boolean) => journal.push({ at: clock.now(), path, accepted });
  const handlers: Handlers<typeof routes, null> = {
    nonce({ body }) {
      note('/login/nonce', armed.fault === null);
      if (armed.fault === 'nonce-refused') {
        throw new AppError('internal', 'the login page is out of order');
      }
      if (armed.fault === 'empty-nonce') {
        return { nonce: '', id: body.id };
      }
      const nonce = randomHex(32);
      handedOut.add(nonce);
      return { nonce, id: body.id || createId() };
    },
    login({ body }) {
      const accepted = handedOut.delete(body.nonce) && body.username === user && body.password === password;
      note('/login', accepted);
      if (!accepted) {
        throw new AppError('unauthorized', 'wrong user name, password or nonce');
      }
      return { success: true };
    },
  };
  const served = await startServer({
    mounted: [mount(routes, handlers)],
    authorize: () => null,
    log: createLog('mesh', 'silent'),
    host: '127.0.0.1',
    port: options.port ?? 0,
  });
  return {
    url: served.url,
    credentials: { user, password },
    journal,
    fail: (fault) => {
      armed.fault = fault;
    },
    [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
  };
}

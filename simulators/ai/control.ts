// The control surface of the simulated AI providers: what a test or an operator can ask them and do to them.
import { z } from 'zod';
import { get, post } from '#kernel/http/declare-route.ts';
import { type ControlRoutes, mountControl } from '../support/control-server.ts';
import type { Control } from '../support/simulator.ts';
import type { AiFault } from './faults.ts';
import type { AiRequest } from './received.ts';
import type { AiSettings } from './settings.ts';

export interface AiControl extends Control<AiFault> {
  readonly settings: Readonly<AiSettings>;
  /** The newest 1,000 requests, oldest first, with their keys and bodies as they were sent; emptied by `clearJournal`. */
  requests(): readonly AiRequest[];
  /** Resolves when at least `count` requests (1 when absent) are held at the same time by the fault `hold`. */
  held(count?: number): Promise<void>;
  /** Answers the requests that are held; returns how many. */
  release(): number;
}

const routes = {
  requests: get('/requests', 'open', {
    summary: 'The newest requests, oldest first: provider, path, headers and body; credentials are masked.',
    reply: { 200: z.object({ requests: z.array(z.record(z.string(), z.unknown())) }) },
  }),
  held: get('/held', 'open', {
    summary: 'How many requests are held now.',
    reply: { 200: z.object({ held: z.int() }) },
  }),
  release: post('/release', 'open', {
    summary: 'Answers the requests that are held.',
    reply: { 200: z.object({ released: z.int() }) },
  }),
};

const credentialHeaders = ['authorization', 'x-api-key', 'x-amz-security-token'];

/** The routes only the AI simulator has besides the common ones of control-server.ts. */
export function aiControlRoutes(control: AiControl): ControlRoutes {
  return mountControl(routes, {
    requests: () => ({ requests: control.requests().map(maskCredentials) }),
    held: () => ({ held: Number(control.state().held) }),
    release: () => ({ released: control.release() }),
  });
}

function maskCredentials({ headers, ...request }: AiRequest): Record<string, unknown> {
  const shown = Object.entries(headers).map(([name, value]) => [
    name,
    credentialHeaders.includes(name) ? '***' : value,
  ]);
  return { ...request, headers: Object.fromEntries(shown) };
}

// The control surface of a simulator over HTTP on loopback: the same verbs as the object in process.
import { z } from 'zod';
import { AppError, messageOf } from '#kernel/errors.ts';
import { del, get, patch, post } from '#kernel/http/declare-route.ts';
import { describeOpenApi } from '#kernel/http/describe.ts';
import type { Handlers, RouteTable } from '#kernel/http/route.ts';
import { type Mounted, mount, type Served, startServer } from '#kernel/http/serve.ts';
import { createLog } from '#kernel/process/log.ts';
import { packageVersion } from '#kernel/process/version.ts';
import { pickDefined } from './change.ts';
import { requireLoopback } from './loopback.ts';
import type { Control, FaultOptions } from './simulator.ts';

export type ControlAccess = 'open';
export type ControlRoutes = Mounted<ControlAccess, null>;

export function mountControl<T extends RouteTable<ControlAccess>>(routes: T, handlers: Handlers<T, null>) {
  return mount<T, null>(routes, handlers) as ControlRoutes;
}

export const done = z.object({ ok: z.literal(true) });

/** Does something that answers `done`. It may refuse by throwing: over HTTP that is the caller's mistake. */
export async function acknowledge(act: () => unknown): Promise<z.output<typeof done>> {
  await asInvalidBody(act);
  return { ok: true };
}

const anything = z.record(z.string(), z.unknown());
const entry = z.looseObject({ at: z.number(), kind: z.string() });

export const controlRoutes = {
  journal: get('/journal', 'open', {
    summary: 'What arrived and happened, oldest first; secrets are masked.',
    reply: { 200: z.object({ journal: z.array(entry) }) },
  }),
  clearJournal: del('/journal', 'open', { summary: 'Forgets the journal.', reply: { 200: done } }),
  state: get('/state', 'open', { summary: 'What the simulator holds now.', reply: { 200: anything } }),
  patch: patch('/state', 'open', {
    summary: 'Changes part of the state; an unknown or invalid member changes nothing.',
    body: z.looseObject({}),
    reply: { 200: anything },
  }),
  fail: post('/faults', 'open', {
    summary: 'Arms a named fault for the next `times` occasions after the first `skip`, or until cleared.',
    body: z
      .object({
        fault: z.string(),
        times: z.int().min(1).optional(),
        skip: z.int().min(0).optional(),
        command: z.string().min(1).optional(),
        afterBytes: z.int().min(0).optional(),
        value: z.union([z.number(), z.string()]).optional(),
      })
      .strict(),
    reply: { 201: done },
  }),
  clearFaults: del('/faults', 'open', {
    summary: 'Clears every fault and undoes what faults changed.',
    reply: { 200: done },
  }),
  reset: post('/reset', 'open', {
    summary: 'Back to the state at the start: world, faults and journal.',
    reply: { 200: done },
  }),
  clock: post('/clock', 'open', {
    summary: 'Moves the clock of this simulator forward by `advanceMs`.',
    body: z
      .object({
        advanceMs: z
          .int()
          .min(0)
          .max(31 * 86_400_000),
      })
      .strict(),
    reply: { 200: z.object({ now: z.number() }) },
  }),
  openapi: get('/openapi.json', 'open', { summary: 'This document.', reply: { 200: anything } }),
};

export interface ControlServerOptions<F extends string> {
  title: string;
  control: Control<F>;
  /** The clock the simulator was started on, and how it is moved forward. */
  clock: { now: () => number; advance: (ms: number) => void };
  extra?: ControlRoutes;
  host?: string;
  /** 0, a free port, when absent. */
  port?: number;
}

export async function startControlServer<F extends string>(options: ControlServerOptions<F>): Promise<Served> {
  const { control, host = '127.0.0.1', port = 0 } = options;
  requireLoopback(host);
  const groups = { control: controlRoutes, ...(options.extra ? { simulator: options.extra.routes } : {}) };
  const about = { title: options.title, version: packageVersion(), accessText: () => 'open' };
  const common = mountControl(controlRoutes, {
    journal: () => ({ journal: [...control.journal()] }),
    clearJournal: () => acknowledge(control.clearJournal),
    state: () => control.state(),
    patch: async ({ body }) => {
      await asInvalidBody(() => control.patch(body));
      return control.state();
    },
    fail: ({ body }) => {
      const { fault, ...rest } = body;
      return acknowledge(() => control.fail(fault as F, pickDefined(rest) as FaultOptions));
    },
    clearFaults: () => acknowledge(control.clearFaults),
    reset: () => acknowledge(control.reset),
    clock: ({ body }) => {
      options.clock.advance(body.advanceMs);
      return { now: options.clock.now() };
    },
    openapi: () => describeOpenApi(groups, about),
  });
  return startServer<ControlAccess, null>({
    mounted: options.extra ? [common, options.extra] : [common],
    authorize: () => null,
    log: createLog('simulator', 'error'),
    host,
    port,
  });
}

/** A control verb refuses by throwing; over HTTP that is the caller's mistake. */
export async function asInvalidBody<T>(act: () => T | Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    throw new AppError('invalid_body', messageOf(cause), { cause });
  }
}

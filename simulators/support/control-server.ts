// The control surface of a simulator over HTTP on loopback: the same verbs as the object in process.
import { z } from 'zod';
import { AppError, messageOf } from '#kernel/errors.ts';
import { describeOpenApi } from '#kernel/http/describe.ts';
import type { Method, RouteDefinition, RouteTable } from '#kernel/http/route.ts';
import { type Mounted, mount, type Served, startServer } from '#kernel/http/serve.ts';
import { createLog } from '#kernel/process/log.ts';
import { packageVersion } from '#kernel/process/version.ts';
import { pickDefined } from './change.ts';
import { requireLoopback } from './loopback.ts';
import type { Control, FaultOptions } from './simulator.ts';

export type ControlAccess = 'open';

const done = z.object({ ok: z.literal(true) });
const anything = z.record(z.string(), z.unknown());
const entry = z.looseObject({ at: z.number(), kind: z.string() });

/** One route of a control surface: its parameters, body and reply are in `rest`. */
export function controlRoute<
  const M extends Method,
  const P extends `/${string}`,
  const R extends Pick<RouteDefinition<ControlAccess>, 'params' | 'body' | 'reply'>,
>(method: M, path: P, summary: string, rest: R) {
  return { method, path, access: 'open' as const, summary, ...rest };
}

/** The routes every simulator has. */
export const controlRoutes = {
  journal: controlRoute('GET', '/journal', 'What arrived and happened, oldest first; secrets are masked.', {
    reply: { 200: z.object({ journal: z.array(entry) }) },
  }),
  clearJournal: controlRoute('DELETE', '/journal', 'Forgets the journal.', {
    reply: { 200: done },
  }),
  state: controlRoute('GET', '/state', 'What the simulator holds now.', {
    reply: { 200: anything },
  }),
  patch: controlRoute('PATCH', '/state', 'Changes part of the state; an unknown or invalid member changes nothing.', {
    body: z.looseObject({}),
    reply: { 200: anything },
  }),
  fail: controlRoute(
    'POST',
    '/faults',
    'Arms a named fault for the next `times` occasions after the first `skip`, or until cleared.',
    {
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
    },
  ),
  clearFaults: controlRoute('DELETE', '/faults', 'Clears every fault and undoes what faults changed.', {
    reply: { 200: done },
  }),
  reset: controlRoute('POST', '/reset', 'Back to the state at the start: world, faults and journal.', {
    reply: { 200: done },
  }),
  clock: controlRoute('POST', '/clock', 'Moves the clock of this simulator forward by `advanceMs`.', {
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
  openapi: controlRoute('GET', '/openapi.json', 'This document.', {
    reply: { 200: anything },
  }),
} as const satisfies RouteTable<ControlAccess>;

export interface ControlServerOptions<F extends string> {
  title: string;
  control: Control<F>;
  /** Fault names with one sentence each. */
  faults: Readonly<Record<F, string>>;
  /** The clock the simulator was started on, and how it is moved forward. */
  clock: { now: () => number; advance: (ms: number) => void };
  /** Routes only this simulator has. */
  extra?: Mounted<ControlAccess, null>;
  host?: string;
  /** 0, a free port, when absent. */
  port?: number;
}

export async function startControlServer<F extends string>(options: ControlServerOptions<F>): Promise<Served> {
  const { control, faults, host = '127.0.0.1', port = 0 } = options;
  requireLoopback(host);
  const groups = { control: controlRoutes, ...(options.extra ? { simulator: options.extra.routes } : {}) };
  const about = { title: options.title, version: packageVersion(), accessText: () => 'open' };
  const ok = { ok: true } as const;
  const common = mount<typeof controlRoutes, null>(controlRoutes, {
    journal: () => ({ journal: [...control.journal] }),
    clearJournal: () => {
      control.clearJournal();
      return ok;
    },
    state: () => control.state(),
    patch: ({ body }) => {
      asInvalidBody(() => control.patch(body));
      return control.state();
    },
    fail: ({ body }) => {
      const { fault, ...rest } = body;
      if (!isOneOf(faults, fault)) {
        const names = Object.keys(faults).join(', ');
        throw new AppError('invalid_body', `there is no fault "${fault}"; there are ${names}`);
      }
      asInvalidBody(() => control.fail(fault, pickDefined(rest) as FaultOptions));
      return ok;
    },
    clearFaults: () => {
      control.clearFaults();
      return ok;
    },
    reset: () => {
      control.reset();
      return ok;
    },
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

function isOneOf<F extends string>(names: Readonly<Record<F, string>>, name: string): name is F {
  return Object.hasOwn(names, name);
}

/** A control verb refuses by throwing; over HTTP that is the caller's mistake. */
export function asInvalidBody(act: () => void): void {
  try {
    act();
  } catch (cause) {
    throw new AppError('invalid_body', messageOf(cause), { cause });
  }
}

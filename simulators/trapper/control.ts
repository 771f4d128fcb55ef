// The control surface of the simulated trapper listener: what a test or an operator can ask it and do to it.
import { z } from 'zod';
import type { RouteTable } from '#kernel/http/route.ts';
import { type Mounted, mount } from '#kernel/http/serve.ts';
import { type ControlAccess, controlRoute } from '../support/control-server.ts';
import type { Control } from '../support/simulator.ts';
import type { TrapperFault } from './faults.ts';

export interface TrapperValue {
  host: string;
  key: string;
  value: string;
  /** Epoch seconds of the measurement, when the sender says so. */
  clock: number | null;
}

/** Host names and the keys of each; null: any host with any key. */
export type KnownItems = Readonly<Record<string, readonly string[]>> | null;

export interface TrapperControl extends Control<TrapperFault> {
  /** Values that were processed, oldest first; the newest 10,000. */
  readonly values: readonly TrapperValue[];
  readonly known: KnownItems;
}

/** What `patch` takes. */
export const patchSchema = z
  .object({ known: z.record(z.string().min(1).max(128), z.array(z.string().min(1).max(2048))).nullable() })
  .partial()
  .strict();

const routes = {
  values: controlRoute('GET', '/values', 'Values that were processed, oldest first.', {
    reply: {
      200: z.object({
        values: z.array(
          z.object({ host: z.string(), key: z.string(), value: z.string(), clock: z.number().nullable() }),
        ),
      }),
    },
  }),
} as const satisfies RouteTable<ControlAccess>;

export function trapperControlRoutes(control: TrapperControl): Mounted<ControlAccess, null> {
  return mount<typeof routes, null>(routes, { values: () => ({ values: [...control.values] }) });
}

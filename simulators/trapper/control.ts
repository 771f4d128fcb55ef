// The control surface of the simulated Zabbix trapper: shows the values that it accepted and sets the items it accepts.
import { z } from 'zod';
import { get } from '#kernel/http/declare-route.ts';
import { type ControlRoutes, mountControl } from '../support/control-server.ts';
import type { Control } from '../support/simulator.ts';
import type { TrapperFault } from './faults.ts';

export interface TrapperValue {
  host: string;
  key: string;
  value: string;
  /** Epoch seconds of the measurement; null when the sender gave none. */
  clock: number | null;
}

/** The items whose values are accepted: keys by host name. Null accepts every value. */
export type KnownItems = Readonly<Record<string, readonly string[]>> | null;

export interface TrapperControl extends Control<TrapperFault> {
  /** The newest 10,000 accepted values, oldest first. */
  readonly values: readonly TrapperValue[];
  readonly known: KnownItems;
}

export const patchSchema = z
  .object({ known: z.record(z.string().min(1).max(128), z.array(z.string().min(1).max(2048))).nullable() })
  .partial()
  .strict();

const routes = {
  values: get('/values', 'open', {
    summary: 'The newest 10,000 accepted values, oldest first.',
    reply: {
      200: z.object({
        values: z.array(
          z.object({ host: z.string(), key: z.string(), value: z.string(), clock: z.number().nullable() }),
        ),
      }),
    },
  }),
};

export function trapperControlRoutes(control: TrapperControl): ControlRoutes {
  return mountControl(routes, { values: () => ({ values: [...control.values] }) });
}

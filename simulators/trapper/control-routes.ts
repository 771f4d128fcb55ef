// The route only the simulated trapper listener has besides the common ones of control-server.ts.
import { z } from 'zod';
import type { RouteTable } from '#kernel/http/route.ts';
import { type Mounted, mount } from '#kernel/http/serve.ts';
import { type ControlAccess, controlRoute } from '../support/control-server.ts';
import type { TrapperControl } from './control.ts';

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

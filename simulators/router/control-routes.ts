// The routes only a simulated router has besides the common ones of control-server.ts.
import { z } from 'zod';
import { AppError } from '#kernel/errors.ts';
import type { RouteTable } from '#kernel/http/route.ts';
import { type Mounted, mount } from '#kernel/http/serve.ts';
import { type ControlAccess, controlRoute } from '../support/control-server.ts';
import type { RouterControl } from './control.ts';

const session = z.object({
  id: z.int(),
  proto: z.enum(['tcp', 'udp', 'icmp', 'esp', 'gre']),
  src: z.string(),
  sport: z.int(),
  dst: z.string(),
  dport: z.int(),
  outerPort: z.int(),
  createdAt: z.number(),
  lastPacketAt: z.number(),
  closing: z.boolean(),
  fixed: z.boolean(),
  bytesIn: z.number(),
  bytesOut: z.number(),
  packetsIn: z.number(),
  packetsOut: z.number(),
  ttl: z.number(),
  timeout: z.number(),
});
const port = z.int().min(0).max(65_535);

const routes = {
  truth: controlRoute('GET', '/truth', 'The NAT sessions the router knows now.', {
    reply: { 200: z.object({ at: z.number(), sessions: z.array(session) }) },
  }),
  violations: controlRoute('GET', '/violations', 'What was done that a poller must never do; empty when all is well.', {
    reply: {
      200: z.object({ violations: z.array(z.object({ at: z.number(), kind: z.string(), detail: z.string() })) }),
    },
  }),
  flows: controlRoute(
    'POST',
    '/flows',
    'Puts a flow into the NAT table: a packet every `everyMs` from now on, the last one after `lastsMs`.',
    {
      body: z
        .object({
          src: z.ipv4(),
          dst: z.ipv4(),
          dport: port,
          proto: session.shape.proto.default('tcp'),
          sport: port.optional(),
          outerPort: port.optional(),
          everyMs: z.int().min(1).optional(),
          lastsMs: z.int().min(0).optional(),
          ends: z.enum(['fin', 'silent']).optional(),
          bytesIn: z.int().min(0).optional(),
          bytesOut: z.int().min(0).optional(),
        })
        .strict(),
      reply: { 201: z.object({ session }) },
    },
  ),
} as const satisfies RouteTable<ControlAccess>;

export interface RouterRouteOptions {
  control: RouterControl;
  now: () => number;
}

export function routerControlRoutes({ control, now }: RouterRouteOptions): Mounted<ControlAccess, null> {
  return mount<typeof routes, null>(routes, {
    truth: () => ({ at: now(), sessions: [...control.truth()] }),
    violations: () => ({ violations: [...control.violations] }),
    flows: ({ body }) => {
      const { src, dst, dport, proto, ...rest } = body;
      const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
      const flow = control.flow({ src, dst, dport, proto, ...given });
      if (!flow) {
        throw new AppError('invalid_body', 'the NAT table or the pool of outer ports is full');
      }
      return { session: flow.entry };
    },
  });
}

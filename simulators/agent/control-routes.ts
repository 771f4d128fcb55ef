// The routes only the simulated Agents have besides the common ones of control-server.ts.
import { z } from 'zod';
import { AppError, messageOf } from '#kernel/errors.ts';
import type { RouteTable } from '#kernel/http/route.ts';
import { type Mounted, mount } from '#kernel/http/serve.ts';
import { type ControlAccess, controlRoute } from '../support/control-server.ts';
import type { AgentControl } from './control.ts';
import { whatToSend } from './script.ts';

const number = z.int().min(1).optional().describe('Number of the Agent, from 1 on');
const oneOrAll = z.object({ agent: number }).strict();
const status = z.int().nullable();
const outcomes = z.object({ answers: z.array(z.object({ agent: z.string(), status })) });
const ack = z.object({
  batchId: z.string(),
  accepted: z.int(),
  duplicate: z.int(),
  rejected: z.int(),
  receivedAt: z.int(),
  replayed: z.boolean(),
});

const routes = {
  enroll: controlRoute(
    'POST',
    '/enroll',
    'Applies with an enrolment code, for this Agent or the first one that has no bearer.',
    {
      body: z.object({ code: z.string().min(1).max(64), agent: number }).strict(),
      reply: { 200: z.object({ agent: z.string(), status, requestId: z.string().nullable() }) },
    },
  ),
  deliver: controlRoute(
    'POST',
    '/deliver',
    'Delivers batches now, of this Agent or of each, and answers with every request that was sent.',
    {
      body: z
        .object({ batches: z.int().min(1).max(1000).optional(), observations: whatToSend.optional(), agent: number })
        .strict(),
      reply: {
        200: z.object({
          sent: z.array(
            z.object({
              agent: z.string(),
              batchId: z.string(),
              observations: z.int(),
              status,
              ack: ack.nullable(),
              error: z.string().nullable(),
            }),
          ),
        }),
      },
    },
  ),
  rotate: controlRoute('POST', '/rotate', 'Replaces the bearer of this Agent, or of each that has one.', {
    body: oneOrAll,
    reply: { 200: outcomes },
  }),
  revoke: controlRoute('POST', '/revoke', 'Makes this Agent, or each that has a bearer, revoke itself.', {
    body: oneOrAll,
    reply: { 200: outcomes },
  }),
} as const satisfies RouteTable<ControlAccess>;

export function agentControlRoutes(control: AgentControl): Mounted<ControlAccess, null> {
  return mount<typeof routes, null>(routes, {
    enroll: ({ body }) => refusing(() => control.enroll(body.code, body.agent)),
    deliver: ({ body }) => refusing(async () => ({ sent: await control.deliver(body) })),
    rotate: ({ body }) => refusing(async () => ({ answers: await control.rotate(body.agent) })),
    revoke: ({ body }) => refusing(async () => ({ answers: await control.revoke(body.agent) })),
  });
}

/** A control verb refuses by rejecting; over HTTP that is the caller's mistake. */
async function refusing<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    throw new AppError('invalid_body', messageOf(cause), { cause });
  }
}

// The routes only the simulated MQTT broker has besides the common ones of control-server.ts.
import { z } from 'zod';
import type { RouteTable } from '#kernel/http/route.ts';
import { type Mounted, mount } from '#kernel/http/serve.ts';
import { type ControlAccess, controlRoute } from '../support/control-server.ts';
import type { BrokerControl } from './control.ts';

const topic = z
  .string()
  .min(1)
  .max(1000)
  .regex(/^[^+#\0]*$/, { error: 'a topic to publish to has no +, no # and no NUL' });
const qos = z.union([z.literal(0), z.literal(1), z.literal(2)]);

const routes = {
  messages: controlRoute('GET', '/messages', 'What was published, oldest first.', {
    reply: {
      200: z.object({
        messages: z.array(
          z.object({ topic: z.string(), payload: z.string(), qos, retain: z.boolean(), client: z.string().nullable() }),
        ),
      }),
    },
  }),
  publish: controlRoute('POST', '/messages', 'Publishes a message to whoever has subscribed.', {
    body: z.object({ topic, payload: z.string(), qos: qos.default(0), retain: z.boolean().default(false) }).strict(),
    reply: { 201: z.object({ ok: z.literal(true) }) },
  }),
} as const satisfies RouteTable<ControlAccess>;

export function brokerControlRoutes(control: BrokerControl): Mounted<ControlAccess, null> {
  return mount<typeof routes, null>(routes, {
    messages: () => ({ messages: [...control.messages] }),
    publish: async ({ body }) => {
      await control.publish(body);
      return { ok: true } as const;
    },
  });
}

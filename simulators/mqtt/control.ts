// The control surface of the simulated MQTT broker: what a test or an operator can ask it and do to it.
import { z } from 'zod';
import { get, post } from '#kernel/http/declare-route.ts';
import { acknowledge, type ControlRoutes, done, mountControl } from '../support/control-server.ts';
import type { Control } from '../support/simulator.ts';
import type { BrokerFault } from './faults.ts';

export interface Message {
  topic: string;
  /** As UTF-8. */
  payload: string;
  qos: 0 | 1 | 2;
  retain: boolean;
  /** Client identifier of who published it; null: the control surface. */
  client: string | null;
}

export interface BrokerSettings {
  /** null: anybody may connect. */
  user: string | null;
  password: string | null;
}

export interface BrokerControl extends Control<BrokerFault> {
  readonly settings: Readonly<BrokerSettings>;
  /** What was published, oldest first; the newest 10,000. */
  readonly messages: readonly Message[];
  publish(message: { topic: string; payload: string; qos?: 0 | 1 | 2; retain?: boolean }): Promise<void>;
}

export const patchSchema = z
  .object({
    user: z.string().min(1).max(1000).nullable(),
    password: z.string().max(1000).nullable(),
  })
  .partial()
  .strict();

const topic = z
  .string()
  .min(1)
  .max(1000)
  .regex(/^[^+#\0]*$/, { error: 'a topic to publish to has no +, no # and no NUL' });
const qos = z.union([z.literal(0), z.literal(1), z.literal(2)]);

/** What `POST /messages` takes. */
export const messageSchema = z
  .object({ topic, payload: z.string(), qos: qos.default(0), retain: z.boolean().default(false) })
  .strict();

const routes = {
  messages: get('/messages', 'open', {
    summary: 'What was published, oldest first.',
    reply: {
      200: z.object({
        messages: z.array(
          z.object({ topic: z.string(), payload: z.string(), qos, retain: z.boolean(), client: z.string().nullable() }),
        ),
      }),
    },
  }),
  publish: post('/messages', 'open', {
    summary: 'Publishes a message to whoever has subscribed.',
    body: messageSchema,
    reply: { 201: done },
  }),
};

export function brokerControlRoutes(control: BrokerControl): ControlRoutes {
  return mountControl(routes, {
    messages: () => ({ messages: [...control.messages] }),
    publish: ({ body }) => acknowledge(() => control.publish(body)),
  });
}

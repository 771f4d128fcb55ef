// The control surface of the simulated MQTT broker: what a test or an operator can ask it and do to it.
import { z } from 'zod';
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
  /** Publishes to whoever has subscribed. */
  publish(message: { topic: string; payload: string; qos?: 0 | 1 | 2; retain?: boolean }): Promise<void>;
}

/** What `patch` takes. */
export const patchSchema = z
  .object({
    user: z.string().min(1).max(1000).nullable(),
    password: z.string().max(1000).nullable(),
  })
  .partial()
  .strict();

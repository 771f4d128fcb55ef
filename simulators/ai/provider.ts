// The four providers, where each is found below the one address of the simulator, and what a provider's shape consists of.

import type { Take } from './faults.ts';
import type { Received } from './received.ts';
import type { Reply } from './reply.ts';
import type { AiSettings } from './settings.ts';

export type Provider = 'local' | 'cloud_a' | 'cloud_b' | 'cloud_c';

/** First part of the path, such as `/cloud_a/v1/messages`; Bedrock has an address for each of its two services. */
export const surfaces = {
  local: 'local',
  cloud_a: 'cloud_a',
  cloud_b: 'cloud_b',
  cloud_c_runtime: 'cloud_c',
  cloud_c_control: 'cloud_c',
} as const satisfies Record<string, Provider>;

export type Surface = keyof typeof surfaces;

/** What a provider refuses a request for; each shape has a status and a code for it. */
export type Refusal =
  | 'unauthorized'
  | 'forbidden'
  | 'not-found'
  | 'unknown-model'
  | 'invalid'
  | 'rate-limited'
  | 'server-error'
  | 'overloaded';

/** One request while it is answered. */
export interface Exchange {
  request: Received;
  settings: AiSettings;
  take: Take;
  /** Epoch milliseconds. */
  now: number;
  /** Epoch milliseconds on the clock that signatures are compared with. */
  signatureNow: number;
}

/** How one provider refuses and answers. */
export interface Shape {
  refuse(refusal: Refusal, message: string): Reply;
  answer(exchange: Exchange): Reply;
}

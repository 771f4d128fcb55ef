// What one provider consists of: how it refuses, and how it answers a request.
import type { TakeFault } from './faults.ts';
import type { AiRequest } from './received.ts';
import type { Reply } from './reply.ts';
import type { AiSettings } from './settings.ts';

/** Why a provider refuses a request. Each provider has its own status and code for it. */
export type Refusal =
  | 'unauthorized'
  | 'forbidden'
  | 'not-found'
  | 'unknown-model'
  | 'invalid'
  | 'too-long'
  | 'rate-limited'
  | 'server-error'
  | 'overloaded';

export interface Exchange {
  request: AiRequest;
  settings: AiSettings;
  takeFault: TakeFault;
  /** Epoch milliseconds. */
  now: number;
  /** Epoch milliseconds on the clock that signatures are compared with. */
  signatureNow: number;
}

export interface ProviderApi {
  refuse(refusal: Refusal, message: string): Reply;
  answer(exchange: Exchange): Reply;
}

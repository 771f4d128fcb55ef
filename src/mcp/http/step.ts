// One step of the request pipeline.
import type { Exchange } from './exchange.ts';
import type { Refusal } from './refusal.ts';

export interface Step {
  name: string;
  /** Resolves to null to continue with the next step, or to the refusal that ends the request. */
  pass(exchange: Exchange): Refusal | null | Promise<Refusal | null>;
}

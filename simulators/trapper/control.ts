// The control surface of the simulated trapper listener: what a test or an operator can ask it and do to it.
import { z } from 'zod';
import type { Control } from '../support/simulator.ts';
import type { TrapperFault } from './faults.ts';

export interface TrapperValue {
  host: string;
  key: string;
  value: string;
  /** Epoch seconds of the measurement, when the sender says so. */
  clock: number | null;
}

/** Host names and the keys of each; null: any host with any key. */
export type KnownItems = Readonly<Record<string, readonly string[]>> | null;

export interface TrapperControl extends Control<TrapperFault> {
  /** Values that were processed, oldest first; the newest 10,000. */
  readonly values: readonly TrapperValue[];
  readonly known: KnownItems;
}

const patchSchema = z
  .object({ known: z.record(z.string().min(1).max(128), z.array(z.string().min(1).max(2048))).nullable() })
  .partial()
  .strict();

/** The change a caller asks for; throws naming the first member that is unknown or invalid. */
export function parseTrapperPatch(change: Record<string, unknown>): { known?: KnownItems | undefined } {
  const parsed = patchSchema.safeParse(change);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new Error(`${issue?.path.join('.') || 'state'}: ${issue?.message ?? 'invalid'}`);
  }
  return parsed.data;
}

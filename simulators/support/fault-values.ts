// What the `value` of a fault may be. A caller that means something else hears so before the fault is armed.
import type { FaultOptions } from './simulator.ts';

type Value = number | string;

export interface ValueRule {
  /** What follows "value is" in the message. */
  readonly words: string;
  readonly accepts: (value: Value) => boolean;
}

export function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER, words?: string): ValueRule {
  const range = max === Number.MAX_SAFE_INTEGER ? `from ${min}` : `from ${min} to ${max}`;
  return {
    words: words ?? `a whole number ${range}`,
    accepts: (value) => Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max,
  };
}

export function numberFrom(min: number, words: string): ValueRule {
  return { words, accepts: (value) => typeof value === 'number' && value >= min };
}

export function choice(allowed: readonly Value[], words = `one of ${allowed.join(', ')}`): ValueRule {
  return { words, accepts: (value) => allowed.includes(value) };
}

export const anyText: ValueRule = { words: 'a text', accepts: (value) => typeof value === 'string' };
export const filledText: ValueRule = { ...anyText, accepts: (value) => typeof value === 'string' && value !== '' };

/** Throws, naming the fault, when its `value` breaks its rule. A fault without a rule takes no value. */
export function requireValue<Fault extends string>(
  fault: Fault,
  { value }: FaultOptions,
  rules: Partial<Record<Fault, ValueRule>>,
): void {
  const rule = rules[fault];
  if (value !== undefined && !rule) {
    throw new Error(`${fault}: takes no value`);
  }
  if (value !== undefined && rule && !rule.accepts(value)) {
    throw new Error(`${fault}: value is ${rule.words}`);
  }
}

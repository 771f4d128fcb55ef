// Token counts of providers. Values that are no counts make the usage unknown, and are never stored.
import type { Usage } from './provider.ts';

const mostTokens = 1e12;

/** Token counts as the provider sent them, unchecked; undefined or null when it sent none. */
interface ProviderUsage {
  input: unknown;
  output: unknown;
  total?: unknown;
  cacheRead?: unknown;
  cacheWrite?: unknown;
}

/** Null unless each number that is there is a whole one from 0 to 10^12, and those of input and output are there. */
export function parseUsage(counts: ProviderUsage, inputHoldsCache: boolean): Usage | null {
  const read = parseCacheTokens(counts.cacheRead);
  const written = parseCacheTokens(counts.cacheWrite);
  const { input, output } = counts;
  if (!isCount(input) || !isCount(output) || read === null || written === null) {
    return null;
  }
  const whole = inputHoldsCache ? input : input + read + written;
  const total = counts.total ?? whole + output;
  if (!isCount(total) || read + written > whole) {
    return null;
  }
  return { input: whole, output, total, cacheRead: read, cacheWrite: written };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= mostTokens;
}

/** 0 when the provider sent none; null when the value is no count. */
function parseCacheTokens(value: unknown): number | null {
  return value === undefined || value === null ? 0 : isCount(value) ? value : null;
}

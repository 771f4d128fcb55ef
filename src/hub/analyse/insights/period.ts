// A period that is asked about, and the one before it.
import { limits } from '#contract/limits.ts';
import { AppError } from '#kernel/errors.ts';

export interface Period {
  from: number;
  to: number;
}

/** `to` is `now` when absent. Throws AppError `code` for a period that is empty or too long. */
export function resolvePeriod(
  asked: { from?: number | undefined; to?: number | undefined },
  now: number,
  code: 'invalid_query' | 'invalid_body',
): Period {
  const cap = (at: number) => Math.min(at, Number.MAX_SAFE_INTEGER);
  const from = cap(asked.from ?? 0);
  const to = cap(asked.to ?? now);
  if (to <= from) {
    throw new AppError(code, 'to must be later than from: the period would be empty');
  }
  if (to - from > limits.factsMs) {
    throw new AppError(code, `from lies more than ${limits.factsMs / 86_400_000} days before to: choose less`);
  }
  return { from, to };
}

// A period that is asked about, and the one before it.
import { limits } from '#contract/limits.ts';
import { refuseField } from '#kernel/errors.ts';

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
    throw refuseField(code, 'to', 'must be later than from: the period would be empty', 'before_start');
  }
  if (to - from > limits.factsMs) {
    const days = limits.factsMs / 86_400_000;
    const problem = { code: 'too_long', limit: days, unit: null };
    throw refuseField(code, 'from', `lies more than ${days} days before to: choose less`, problem);
  }
  return { from, to };
}

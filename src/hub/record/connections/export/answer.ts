// The answer to an export: the plan becomes headers, the rest a stream that ends with its client or its time limit.
import { Readable } from 'node:stream';
import { limits } from '#contract/limits.ts';
import { AppError } from '#kernel/errors.ts';
import { type BodyStream, bodyStream } from '#kernel/http/ready-body.ts';
import { type Clock, isoTime } from '#kernel/time/clock.ts';
import type { ReaderPool } from '../../../base/readers/pool.ts';
import type { ConnectionQueries } from '../queries.ts';
import type { ExportParams, ExportPlan } from './query.ts';

/** Rejects with AppError `busy` when the time limit passes before the first row, or `rate_limited` when others run. */
export async function answerExport(
  { exports, clock }: { exports: Pick<ReaderPool<ConnectionQueries>, 'stream'>; clock: Clock },
  params: ExportParams,
  now: number,
  signal: AbortSignal,
): Promise<BodyStream> {
  const deadline = new AbortController();
  const done = new AbortController();
  void clock.sleep(limits.exportMs, done.signal).then(
    () => deadline.abort(new AppError('busy', 'the export took too long: ask for a shorter range')),
    // The export ended first.
    () => undefined,
  );
  const texts = exports.stream('export', params, AbortSignal.any([signal, deadline.signal]));
  try {
    const plan = parsePlan(await texts.next());
    const body = Readable.from(texts);
    body.once('close', () => done.abort());
    return bodyStream({
      type: params.format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8',
      headers: {
        'X-Export-Total': String(plan.total),
        'X-Export-Count': String(plan.count),
        'X-Export-Truncated': String(plan.count < plan.total),
        'Content-Disposition': `attachment; filename="monitor-connections-${formatStamp(now)}.${params.format}"`,
      },
      body,
    });
  } catch (error) {
    done.abort();
    throw error;
  }
}

function parsePlan(first: IteratorResult<Uint8Array, void>): ExportPlan {
  if (first.done) {
    throw new Error('the export ended before it began');
  }
  return JSON.parse(Buffer.from(first.value).toString('utf8')) as ExportPlan;
}

/** `YYYYMMDDTHHMMSSZ`. */
function formatStamp(ms: number): string {
  return `${isoTime(ms).slice(0, 19).replace(/[-:]/g, '')}Z`;
}

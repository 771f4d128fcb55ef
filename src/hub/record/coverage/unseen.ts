// Reports on the connections that reads of routers cannot see, from the events of Agents where they are needed.
import { decodeJson } from '#kernel/http/ready-body.ts';
import { dayMs } from '#kernel/time/time.ts';
import type { ReaderPools } from '../../base/readers/pools.ts';
import type { CoverageState, UnseenReport } from './span.ts';

interface Asked extends Pick<ReaderPools, 'reads'> {
  /** Epoch milliseconds. */
  now: number;
  signal: AbortSignal;
}

/** Resolves to the reports by router id. */
export async function readUnseenReports(
  states: readonly CoverageState[],
  { reads, now, signal }: Asked,
): Promise<Record<string, UnseenReport>> {
  const reports: Record<string, UnseenReport> = {};
  for (const { key, unseen } of states) {
    if (unseen) {
      const asked = { routerId: key, from: now - dayMs, to: now };
      const events = unseen.needsEvents ? decodeJson(await reads.ask('unseenEvents', asked, signal)) : null;
      reports[key] = unseen.report(events);
    }
  }
  return reports;
}

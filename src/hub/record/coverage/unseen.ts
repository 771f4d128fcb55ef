// The connections that reads of routers cannot see: what the routers say of them, with the events of Agents where it takes these.
import { readJsonText } from '#kernel/http/ready-body.ts';
import { dayMs } from '#kernel/time/time.ts';
import type { ReaderPools } from '../../base/readers/pools.ts';
import type { CoverageState, EventCount, UnseenReport } from './span.ts';

interface Asked extends Pick<ReaderPools, 'reads'> {
  /** Epoch milliseconds. */
  now: number;
  signal: AbortSignal;
}

/** By the id of the router. */
export async function readUnseenReports(
  states: readonly CoverageState[],
  { reads, now, signal }: Asked,
): Promise<Record<string, UnseenReport>> {
  const reports: Record<string, UnseenReport> = {};
  for (const { key, unseen } of states) {
    if (unseen) {
      const asked = { routerId: key, from: now - dayMs, to: now };
      const events = unseen.needsEvents
        ? (JSON.parse(readJsonText(await reads.ask('unseenEvents', asked, signal))) as EventCount[])
        : null;
      reports[key] = unseen.report(events);
    }
  }
  return reports;
}

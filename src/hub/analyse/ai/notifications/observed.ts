// What the rules of threats count, from the connection log: small indexes, so that it can be asked every 30 s.
import type { ThreatCounts } from '#contract/connection-reports.ts';
import { readJsonText } from '#kernel/http/ready-body.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import type { ReaderPool } from '../../../base/readers/pool.ts';
import type { HubQueries } from '../../../start/queries.ts';
import type { PeriodCounts } from './triggers.ts';

interface Sources {
  db: Pick<Reader, 'prepare'>;
  reads: Pick<ReaderPool<HubQueries>, 'ask'>;
  signal: AbortSignal;
}

/** Of the period from `from` until `to`, which is now. */
export function observe({ db, reads, signal }: Sources, { from, to }: { from: number; to: number }): PeriodCounts {
  const flows = (levels: string) => {
    const { count } = db
      .prepare(
        `SELECT count(*) AS count FROM flow f INDEXED BY flow_threat CROSS JOIN threat t ON t.id = f.threat_id
         WHERE f.threat_id IS NOT NULL AND f.last_seen >= ? AND t.level IN (${levels})`,
      )
      .get(from) as { count: number };
    return count;
  };
  return {
    danger: () => flows('2'),
    threats: () => flows('1, 2'),
    newDestinations() {
      const { count } = db
        .prepare('SELECT count(*) AS count FROM destination WHERE first_seen BETWEEN ? AND ?')
        .get(from, to) as { count: number };
      return count;
    },
    async previousThreats() {
      const filter = {
        from: Math.max(from - (to - from), 0),
        to: from - 1,
        fThreat: ['warn' as const, 'danger' as const],
      };
      const counted = JSON.parse(
        readJsonText(await reads.ask('threatCounts', { filter, now: to }, signal)),
      ) as ThreatCounts;
      return counted.warn + counted.danger;
    },
  };
}

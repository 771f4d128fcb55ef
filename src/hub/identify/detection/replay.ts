// Raises candidates of the past with the functions that really raise them, on temporary tables of a read-only connection.

import type { AlertRule } from '#contract/alert-records.ts';
import type { DetectionConfig } from '#contract/detection.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { insertRule, readRules } from './alerts/rules.ts';
import { type Candidate, createRaiser } from './raise.ts';

export interface ReplaySettings {
  detection: DetectionConfig;
  /** Rules that hold besides those that are active now. */
  rules: readonly Pick<AlertRule, 'effect' | 'kind' | 'target' | 'device' | 'until'>[];
}

export interface Replayed extends Pick<Candidate, 'detected'> {
  chat: boolean;
  history: boolean;
}

/** Runs as if nothing had been told before the first candidate, the workspace was set up, and nobody worked on alerts. */
export function replayCandidates(
  reader: Reader,
  candidates: readonly Candidate[],
  { detection, rules }: ReplaySettings,
  now: number,
): Replayed[] {
  const lasting = readRules(reader, now);
  return withShadowTables(reader, () => {
    const shared = { scope: 'network', reason: null, alertId: null, by: null, createdAt: 0 } as const;
    for (const rule of [...lasting, ...rules]) {
      insertRule(reader, { ...shared, ...rule, alertId: null });
    }
    const state = { now: 0, isTold: false };
    const { raise, markTold } = createRaiser({
      clock: { now: () => state.now },
      settings: () => detection,
      links: { toAlert: () => undefined, toAction: () => undefined },
      telling: {
        isTold: (_kind, toChat = true) => toChat,
        put() {
          state.isTold = true;
        },
      },
    });
    return candidates.flatMap((candidate) => {
      const { detected } = candidate;
      state.now = detected.at;
      state.isTold = false;
      const raised = raise(reader, candidate);
      if (raised && detected.type === 'retro_match') {
        markTold(reader, 'threat', detected.src, detected.dst ?? '');
      }
      return raised ? [{ detected, chat: state.isTold, history: raised.logged !== null }] : [];
    });
  });
}

const shadowed = ['detection', 'detection_told', 'alert', 'alert_rule', 'alert_event', 'beacon', 'retro_match'];

/** Runs `work` while empty temporary tables hide those that a detection writes. The file is open for reading only. */
function withShadowTables<T>(reader: Reader, work: () => T): T {
  const made = reader
    .prepare(
      `SELECT sql FROM main.sqlite_schema WHERE type IN ('table', 'index') AND sql IS NOT NULL
         AND tbl_name IN (${shadowed.map(() => '?').join()}) ORDER BY type DESC`,
    )
    .pluck()
    .all(...shadowed) as string[];
  reader.prepare('PRAGMA query_only = OFF').run();
  reader.prepare('SAVEPOINT shadow').run();
  try {
    for (const sql of made) {
      reader
        .prepare(sql.replace(/^CREATE TABLE/, 'CREATE TEMP TABLE').replace(/^CREATE (UNIQUE )?INDEX /, '$&temp.'))
        .run();
    }
    return work();
  } finally {
    reader.prepare('ROLLBACK TO shadow').run();
    reader.prepare('RELEASE shadow').run();
    reader.prepare('PRAGMA query_only = ON').run();
  }
}

// Flows that ran before the hub knew their destination as listed: written with the verdict that says so.
import type { ListChange } from '#contract/retro-match.ts';
import type { Writer } from '#kernel/sqlite/sqlite.ts';
import { hourMs } from '#kernel/time/time.ts';
import type { ChangedVerdict, VerdictNoter } from '../../record/connections/upkeep/rejudge.ts';
import type { ListChanges } from '../threat/list-changes.ts';

/** Notes retro-matches by `changes` in the transaction that changes verdicts; what is safe again is forgotten. */
export function createRetroNoter(changes: ListChanges): VerdictNoter {
  return (writer) => {
    const forget = writer.prepare('DELETE FROM retro_match WHERE flow_id = ?');
    const note = writer.prepare(
      `INSERT OR REPLACE INTO retro_match (flow_id, source_id, destination_id, feed, cause, previous_at, listed_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    );
    return (flow) => {
      const { id, sourceId, destinationId, threat, rankBefore } = flow;
      if (threat === null) {
        forget.run(id);
        return;
      }
      const change = changes[threat.source];
      const rank = threat.level === 'danger' ? 2 : 1;
      if (change && rank > rankBefore && ranBefore(flow, change)) {
        const { cause, previousAt, listedAt } = change;
        note.run(id, sourceId, destinationId, threat.source, cause, previousAt, listedAt);
      }
    };
  };
}

/** Without an earlier list: how long before the fetch. What began later may as well have begun after the publication. */
const firstListMs = hourMs;

function ranBefore({ firstSeen }: ChangedVerdict, { previousAt, listedAt }: ListChange): boolean {
  return previousAt === null ? firstSeen < listedAt - firstListMs : firstSeen < previousAt;
}

/** Whether a card about this device and destination is to be made: until then, it is no other news. */
export function hasRetroMatch(writer: Writer, src: string, dst: string): boolean {
  const row = writer
    .prepare(
      `SELECT 1 FROM retro_match WHERE pending = 1 AND source_id = (SELECT id FROM source WHERE address = ?)
         AND destination_id = (SELECT id FROM destination WHERE address = ?) LIMIT 1`,
    )
    .get(src, dst);
  return row !== undefined;
}

// Whether what was acknowledged is in the database, once: batches of Agents, their observations, flows, chat messages.
import path from 'node:path';
import Database from 'better-sqlite3';
import type { Ack } from '../world/agents.ts';

export interface StoredBatches {
  /** How many rows, by batch. */
  rows: ReadonlyMap<string, { rows: number; accepted: number; observations: number }>;
  /** Flows that there are twice. */
  doubleFlows: number;
  /** Observations with the same id of the same Agent. */
  doubleObservations: number;
}

export function readStored(dataDir: string): StoredBatches {
  const db = new Database(path.join(dataDir, 'monitor.db'), { readonly: true, timeout: 5000 });
  try {
    const batches = db
      .prepare(
        `SELECT b.batch_id AS id, COUNT(*) AS rows, SUM(b.accepted) AS accepted,
           SUM((SELECT COUNT(*) FROM agent_observation o WHERE o.batch = b.id)) AS observations
         FROM agent_batch b GROUP BY b.batch_id, b.agent`,
      )
      .all() as { id: string; rows: number; accepted: number; observations: number }[];
    const doubles = (sql: string) => Number(db.prepare(`SELECT COUNT(*) FROM (${sql})`).pluck().get());
    return {
      rows: new Map(batches.map(({ id, ...row }) => [id, row])),
      doubleFlows: doubles('SELECT 1 FROM flow GROUP BY source_id, destination_id, dport, proto HAVING COUNT(*) > 1'),
      doubleObservations: doubles('SELECT 1 FROM agent_observation GROUP BY observation_id, agent HAVING COUNT(*) > 1'),
    };
  } finally {
    db.close();
  }
}

/** What was acknowledged, and is not there whole. */
export function lostProblem(acks: readonly Ack[], { rows }: StoredBatches): string | null {
  const missing = acks.filter(({ batchId }) => !rows.has(batchId));
  const [first] = missing;
  if (first) {
    return `${missing.length} of ${acks.length} batches were acknowledged and are not in the database, such as ${first.batchId}`;
  }
  const partial = acks.find(({ batchId, accepted }) => rows.get(batchId)?.observations !== accepted);
  return partial
    ? `of batch ${partial.batchId} ${partial.accepted} observations were accepted and ${rows.get(partial.batchId)?.observations} are in the database`
    : null;
}

/** What is there more than once. */
export function doubleProblem({ rows, doubleFlows, doubleObservations }: StoredBatches): string | null {
  const batch = [...rows].find(([, row]) => row.rows > 1);
  if (batch) {
    return `batch ${batch[0]} is in the database ${batch[1].rows} times`;
  }
  if (doubleObservations > 0) {
    return `${doubleObservations} observations of Agents are in the database more than once`;
  }
  return doubleFlows > 0 ? `${doubleFlows} flows are in the log more than once` : null;
}

/** How every test message begins: they are asked for, and two of the same second have the same words. */
const testMessage = '*Gatehouse can reach you here*';

/** The text of an alert in the journal of the workspace; none for another line, and for test messages. */
export function parseAlert(line: string): string[] {
  const text = /^chat message .*?\btext=("(?:[^"\\]|\\.)*")/.exec(line)?.[1];
  const parsed = text === undefined ? '' : (JSON.parse(text) as string);
  return parsed === '' || parsed.startsWith(testMessage) ? [] : [parsed];
}

/** Alerts of the same words: the same news told twice. */
export function toldTwice(messages: readonly string[]): string | null {
  const counts = Map.groupBy(messages, (text) => text);
  const twice = [...counts].find(([, all]) => all.length > 1);
  return twice ? `the chat workspace was told ${twice[1].length} times: ${twice[0].slice(0, 200)}` : null;
}

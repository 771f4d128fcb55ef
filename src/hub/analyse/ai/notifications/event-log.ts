// Analyses that were made or failed, and the tries that the hub began by itself. Rows are appended and never change.

import type { AiNotificationEvent } from '#contract/ai-notifications.ts';
import type { AiCitation } from '#contract/ai-records.ts';
import type { Reader, Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';
import type { Attempt, Trigger } from './attempts.ts';

export interface NewEvent
  extends Pick<AiNotificationEvent, 'eventId' | 'triggerType' | 'triggerKey' | 'cause' | 'createdAt'>,
    Pick<
      AiNotificationEvent,
      'rangeFrom' | 'rangeTo' | 'provider' | 'model' | 'body' | 'estimatedCostUsd' | 'errorCode'
    > {
  citations: readonly AiCitation[];
  /** Null: not known. */
  usage: Pick<AiNotificationEvent, 'inputTokens' | 'outputTokens' | 'totalTokens'> | null;
  /** Key of the alert that carries the event to the chat workspace; null when none does. */
  chatKey: string | null;
}

/** Throws when an event with the same id, `triggerKey` or `chatKey` is stored. */
export function appendEvent(writer: Writer, { citations, usage, errorCode, ...event }: NewEvent): void {
  writer
    .prepare(
      `INSERT INTO ai_event (event_id, trigger_type, trigger_key, cause, created_at, range_from, range_to, status, provider,
         model, body, citations, chat_key, input_tokens, output_tokens, total_tokens, cost_usd, error_code)
       VALUES (@eventId, @triggerType, @triggerKey, @cause, @createdAt, @rangeFrom, @rangeTo, @status, @provider, @model,
         @body, @citations, @chatKey, @inputTokens, @outputTokens, @totalTokens, @estimatedCostUsd, @errorCode)`,
    )
    .run({
      ...event,
      ...(usage ?? { inputTokens: null, outputTokens: null, totalTokens: null }),
      status: errorCode === null ? 'complete' : 'failed',
      errorCode,
      citations: citations.length === 0 ? null : JSON.stringify(citations),
    });
}

export function appendAttempt(writer: Writer, { type, key, cause }: Trigger, number: number, at: number): void {
  writer
    .prepare('INSERT INTO ai_attempt (trigger_type, trigger_key, cause, number, begun_at) VALUES (?, ?, ?, ?, ?)')
    .run(type, key, cause, number, at);
}

/** Marks alerts of events as delivered; ignores keys of other alerts. */
export function* markEventsSent(writer: Writer, keys: readonly string[], now: number): WriteSteps<void> {
  const isEvent = writer.prepare('SELECT 1 FROM ai_event WHERE chat_key = ?');
  const mark = writer.prepare('INSERT OR IGNORE INTO ai_event_sent (chat_key, sent_at) VALUES (?, ?)');
  for (const key of keys) {
    if (isEvent.get(key) !== undefined) {
      mark.run(key, now);
    }
    yield;
  }
}

type EventRow = Omit<AiNotificationEvent, 'citations'> & { citations: string | null };

const selected = `SELECT event_id AS eventId, trigger_type AS triggerType, trigger_key AS triggerKey, cause,
  created_at AS createdAt, range_from AS rangeFrom, range_to AS rangeTo, status, provider, model, body, citations,
  s.chat_key IS NOT NULL AS chatSent, coalesce(input_tokens, 0) AS inputTokens, coalesce(output_tokens, 0) AS outputTokens,
  coalesce(total_tokens, 0) AS totalTokens, cost_usd AS estimatedCostUsd, error_code AS errorCode
  FROM ai_event e LEFT JOIN ai_event_sent s ON s.chat_key = e.chat_key`;

function toEvent({ citations, ...row }: EventRow): AiNotificationEvent {
  return { ...row, citations: citations === null ? [] : (JSON.parse(citations) as AiCitation[]) };
}

/** Newest first, in the order in which they were stored. */
export function listEvents(reader: Pick<Reader, 'prepare'>, limit: number): AiNotificationEvent[] {
  return (reader.prepare(`${selected} ORDER BY e.id DESC LIMIT ?`).all(limit) as EventRow[]).map(toEvent);
}

export function readEvent(reader: Pick<Reader, 'prepare'>, eventId: string): AiNotificationEvent {
  return toEvent(reader.prepare(`${selected} WHERE e.event_id = ?`).get(eventId) as EventRow);
}

/** Ids of the events that these alerts carry. */
export function findEventsOfAlerts(reader: Pick<Reader, 'prepare'>, keys: readonly string[]): string[] {
  const find = reader.prepare('SELECT event_id AS eventId FROM ai_event WHERE chat_key = ?');
  return keys.flatMap((key) => (find.get(key) as { eventId: string } | undefined)?.eventId ?? []);
}

/** Tries that were begun at or after `since`, oldest first. */
export function readAttempts(reader: Pick<Reader, 'prepare'>, since: number): Attempt[] {
  const rows = reader
    .prepare(
      `SELECT trigger_type AS type, trigger_key AS key, cause, number, begun_at AS at,
         EXISTS (SELECT 1 FROM ai_event e WHERE e.trigger_key = a.trigger_key) AS isDone
       FROM ai_attempt a WHERE begun_at >= ? ORDER BY id`,
    )
    .all(since) as (Omit<Attempt, 'isDone'> & { isDone: 0 | 1 })[];
  return rows.map(({ isDone, ...attempt }) => ({ ...attempt, isDone: isDone === 1 }));
}

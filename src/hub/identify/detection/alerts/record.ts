// A detection joins its alert: a new one, one that opens again, or one that stays as it is.
import type { Writer } from '#kernel/sqlite/sqlite.ts';
import type { Detected, Labels } from '../detection-log.ts';
import { type Cause, toCause, toDeviceKey } from './cause.ts';
import { insertEvent } from './events.ts';
import { updateQuiet } from './rules.ts';

interface StoredAlert {
  id: number;
  state: 'open' | 'acknowledged' | 'resolved';
  level: number;
  note: string | null;
}

export interface Recorded {
  alertId: number;
  /** Whether people are to be told: it is open, and new, open again, or has a device, port or list that it had not. */
  isNews: boolean;
}

/**
 * Finds or makes the alert of a detection. Call it before the detection is in the log, which then names the alert.
 * `isUntold`: a new alert begins as resolved, since nobody has to look at it.
 */
export function findAlert(writer: Writer, detected: Detected, labels: Labels, isUntold = false): Recorded {
  const now = detected.at;
  const cause = toCause(detected, labels);
  const known = writer.prepare('SELECT id, state, level, note FROM alert WHERE cause = ?').get(cause.cause) as
    | StoredAlert
    | undefined;
  return known
    ? extendAlert(writer, known, { cause, detected, labels, now })
    : insertAlert(writer, cause, { now, state: isUntold ? 'resolved' : 'open' });
}

/** Applies the rules to the alert, once the detection is in the log. Returns whether people are to be told. */
export function settleAlert(writer: Writer, { alertId, isNews }: Recorded, now: number): boolean {
  updateQuiet(writer, alertId, now);
  const isQuiet = writer.prepare('SELECT quiet IS NOT NULL FROM alert WHERE id = ?').pluck().get(alertId) === 1;
  return isNews && !isQuiet;
}

function insertAlert(
  writer: Writer,
  { cause, kind, target, device, level }: Cause,
  { now, state }: { now: number; state: 'open' | 'resolved' },
): Recorded {
  const { lastInsertRowid } = writer
    .prepare(
      `INSERT INTO alert (cause, kind, target, device, level, state, state_at, first_at, last_at)
       VALUES (@cause, @kind, @target, @device, @level, @state, @now, @now, @now)`,
    )
    .run({ cause, kind, target, device, level, state, now });
  return { alertId: Number(lastInsertRowid), isNews: state === 'open' };
}

interface Sighting {
  cause: Cause;
  detected: Detected;
  labels: Labels;
  now: number;
}

function extendAlert(writer: Writer, known: StoredAlert, sighting: Sighting): Recorded {
  const { cause, now } = sighting;
  const { id, state } = known;
  const isNews = state === 'resolved' || cause.level > known.level || bringsNews(writer, id, sighting);
  const opensAgain = state !== 'open' && isNews;
  if (opensAgain) {
    insertEvent(writer, { alert: known, action: 'recur', actor: null, at: now });
  }
  writer
    .prepare(
      `UPDATE alert SET last_at = @now, level = max(level, @level), state = iif(@opensAgain, 'open', state),
         state_at = iif(@opensAgain, @now, state_at), opened_until = iif(@opensAgain, NULL, opened_until),
         note = iif(@opensAgain, NULL, note) WHERE id = @id`,
    )
    .run({ id, now, level: cause.level, opensAgain: Number(opensAgain) });
  return { alertId: id, isNews };
}

/** Whether the device, the port or the list of a detection is new to its alert. */
function bringsNews(writer: Writer, id: number, { detected, labels }: Sighting): boolean {
  const { known } = writer
    .prepare(
      `SELECT max(coalesce(src_mac, src) = @device) AND max(dport IS @dport) AND max(threat_source IS @source) AS known
       FROM detection WHERE alert_id = @id`,
    )
    .get({
      id,
      device: toDeviceKey(detected, labels),
      dport: detected.dport ?? null,
      source: detected.threat?.source ?? null,
    }) as { known: number | null };
  return known !== 1;
}

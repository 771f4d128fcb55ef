// Rules that keep alerts quiet. An alert is quiet, muted or expected, while active rules cover each of its devices.
import type { AlertRule } from '#contract/alert-records.ts';
import { AppError } from '#kernel/errors.ts';
import type { Reader, Writer } from '#kernel/sqlite/sqlite.ts';

type StatementSource = Pick<Reader, 'prepare'>;

const columns = `r.id, r.effect, r.scope, r.kind, r.target, r.device, r.until, r.reason, r.alert_id AS alertId,
  r.actor AS "by", r.created_at AS createdAt`;
/** SQL conditions: `r` is a rule, `a` an alert, and `@now` an instant in epoch milliseconds. */
const activeSql = 'r.ended_at IS NULL AND (r.until IS NULL OR r.until > @now)';
const coverSql = `(r.kind IS NULL OR r.kind = a.kind) AND (r.target IS NULL OR r.target = a.target)
  AND (r.device IS NULL OR a.device IS NULL OR r.device = a.device)`;

/** Returns the active rules, the newest first. With `text`, only those whose target, device or reason contains it. */
export function readRules(reader: StatementSource, now: number, text?: string): AlertRule[] {
  const rules = reader
    .prepare(`SELECT ${columns} FROM alert_rule r WHERE ${activeSql} ORDER BY r.id DESC`)
    .all({ now }) as AlertRule[];
  const wanted = text?.toLowerCase();
  return wanted === undefined
    ? rules
    : rules.filter(({ target, device, reason }) =>
        [target, device, reason].some((part) => part?.toLowerCase().includes(wanted)),
      );
}

/** Returns the active rules that cover the alert, at least for one of its devices; the newest first. */
export function readRulesOfAlert(reader: StatementSource, alertId: number, now: number): AlertRule[] {
  return reader
    .prepare(
      `SELECT ${columns} FROM alert_rule r JOIN alert a ON a.id = @alertId
       WHERE ${activeSql} AND ${coverSql} AND (r.device IS NULL
         OR EXISTS (SELECT 1 FROM detection l WHERE l.alert_id = a.id AND coalesce(l.src_mac, l.src) = r.device))
       ORDER BY r.id DESC`,
    )
    .all({ alertId, now }) as AlertRule[];
}

/** Counts the active rules. */
export function countRules(reader: StatementSource, now: number): number {
  return reader.prepare(`SELECT count(*) FROM alert_rule r WHERE ${activeSql}`).pluck().get({ now }) as number;
}

/** Returns the id of the new rule. */
export function insertRule(writer: Writer, rule: Omit<AlertRule, 'id'>): number {
  const { lastInsertRowid } = writer
    .prepare(
      `INSERT INTO alert_rule (effect, scope, kind, target, device, until, reason, alert_id, actor, created_at)
       VALUES (@effect, @scope, @kind, @target, @device, @until, @reason, @alertId, @by, @createdAt)`,
    )
    .run(rule);
  return Number(lastInsertRowid);
}

/** Ends an active rule, and updates the alerts that it covers. `event`: id of the event whose undo revives the rule. */
export function endRule(writer: Writer, rule: AlertRule, now: number, event: number | null): void {
  writer
    .prepare('UPDATE alert_rule SET ended_at = @now, ended_by = @event WHERE id = @id AND ended_at IS NULL')
    .run({ id: rule.id, now, event });
  applyRule(writer, rule, now);
}

/** Returns the active rule `id`. Throws AppError `not_found` when there is none. */
export function requireRule(writer: Writer, id: number, now: number): AlertRule {
  const rule = writer.prepare(`SELECT ${columns} FROM alert_rule r WHERE r.id = @id AND ${activeSql}`).get({ id, now });
  if (rule === undefined) {
    throw new AppError('not_found', 'there is no active rule with this id; GET /api/alert-rules lists them');
  }
  return rule as AlertRule;
}

interface Quietness {
  /** Null: the alert is not quiet. */
  quiet: 'muted' | 'expected' | null;
  /** When the alert stops being quiet by itself; null: never. */
  quietUntil: number | null;
}

const notQuiet: Quietness = { quiet: null, quietUntil: null };

/** Judges an alert by the allow list and the rules. It is expected when, for each device, one rule has that effect. */
function judgeAlert(writer: Writer, id: number, now: number): Quietness {
  const isAllowed = writer.prepare('SELECT allowed FROM alert WHERE id = ?').pluck().get(id) === 1;
  if (isAllowed) {
    return { quiet: 'expected', quietUntil: null };
  }
  const rules = readRulesOfAlert(writer, id, now);
  if (rules.length === 0) {
    return notQuiet;
  }
  const devices = writer
    .prepare('SELECT DISTINCT coalesce(src_mac, src) FROM detection WHERE alert_id = @id')
    .pluck()
    .all({ id }) as string[];
  let isExpected = true;
  let quietUntil = Number.POSITIVE_INFINITY;
  for (const device of devices) {
    const covering = rules.filter((rule) => rule.device === null || rule.device === device);
    if (covering.length === 0) {
      return notQuiet;
    }
    isExpected &&= covering.some(({ effect }) => effect === 'expect');
    quietUntil = Math.min(quietUntil, Math.max(...covering.map(({ until }) => until ?? Number.POSITIVE_INFINITY)));
  }
  return {
    quiet: isExpected ? 'expected' : 'muted',
    quietUntil: quietUntil === Number.POSITIVE_INFINITY ? null : quietUntil,
  };
}

/** Returns the alerts whose quiet time ended, epoch milliseconds, and which `updateQuiet` has not judged since. */
export function readEndedQuiet(reader: StatementSource, now: number) {
  const rows = reader.prepare('SELECT id, quiet_until AS until FROM alert WHERE quiet_until <= @now').all({ now });
  return rows as { id: number; until: number }[];
}

/** Stores whether the alert `id` is quiet at `now`. The beacons of an alert are dismissed while it is expected. */
export function updateQuiet(writer: Writer, id: number, now: number): void {
  const { kind, quiet: before } = writer.prepare('SELECT kind, quiet FROM alert WHERE id = ?').get(id) as {
    kind: AlertRule['kind'];
    quiet: Quietness['quiet'];
  };
  const judged = judgeAlert(writer, id, now);
  writer
    .prepare(
      `UPDATE alert SET quiet = @quiet, quiet_until = @quietUntil,
         state_at = iif(quiet IS NOT @quiet OR quiet_until IS NOT @quietUntil, @now, state_at),
         opened_until = iif(state = 'open', iif(@quiet IS NULL, NULL, coalesce(opened_until, @now)), opened_until)
       WHERE id = @id`,
    )
    .run({ id, now, ...judged });
  const isExpected = judged.quiet === 'expected';
  if (kind === 'beacon' && isExpected !== (before === 'expected')) {
    writer
      .prepare(
        `UPDATE beacon SET status = ? WHERE (src, dst, dport, proto) IN
           (SELECT src, dst, dport, proto FROM detection WHERE alert_id = ?)`,
      )
      .run(isExpected ? 'dismissed' : 'candidate', id);
  }
}

/** Updates every alert that `rule` may cover. Call it after each change of a rule. */
export function applyRule(writer: Writer, rule: Pick<AlertRule, 'kind' | 'target' | 'device'>, now: number): void {
  const covered = writer
    .prepare(
      `SELECT a.id FROM alert a, (SELECT @kind AS kind, @target AS target, @device AS device) r WHERE ${coverSql}`,
    )
    .pluck()
    .all({ kind: rule.kind, target: rule.target, device: rule.device }) as number[];
  for (const id of covered) {
    updateQuiet(writer, id, now);
  }
}

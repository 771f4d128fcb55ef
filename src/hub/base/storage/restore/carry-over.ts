// Carries over from the replaced database into the restored backup: credentials and revocations, dismissed beacons, the
// audit trail, AI usage, AI reports with their waiting alerts, and threat lists. Observations, devices and detections
// are those of the backup. ClickHouse gets its rows again, with versions above those of the replaced database.
import type { FileWork } from '#kernel/sqlite/database-copy.ts';

/** ClickHouse has the rows of the replaced database: these statements make the hub send every hour again. */
export const resendToSink = [
  'DELETE FROM sink_hour',
  'UPDATE sink_due SET is_check = 0, not_before = 0',
  'UPDATE sink_state SET position = NULL',
];

/** Every restore ends sessions and enrolments, and withdraws waiting alerts of the backup, delivered meanwhile. */
const endPending = `
  DELETE FROM session;
  UPDATE agent_code SET burned_at = :now WHERE burned_at IS NULL AND used_at IS NULL;
  UPDATE agent_request SET status = 'expired' WHERE status = 'pending';
  UPDATE agent_request SET collect_until = 0 WHERE status = 'approved' AND claimed_at IS NULL;
  UPDATE outbox_message SET state = 'given_up', ended_at = :now WHERE state = 'open';
  UPDATE outbox_event SET withdrawn_at = :now WHERE message_id IS NULL AND withdrawn_at IS NULL;
  ${resendToSink.join(';')}`;

/** Revokes every credential of the backup; `fromFormer` then restores those that were still valid. */
const revokeAll = `
  UPDATE api_identity SET revoked_at = :now WHERE revoked_at IS NULL;
  UPDATE agent SET revoked_at = coalesce(revoked_at, :now), token_hash = NULL, previous_hash = NULL, rotated_at = NULL`;

/**
 * Copies from the replaced database, attached as `former`. `token_hash` is UNIQUE: random hashes first replace those of
 * the backup, as a conflict would undo the whole copy. For audit events and AI usage that both databases have, `former`
 * wins: an uploaded backup may be altered.
 */
const fromFormer = `
  UPDATE api_identity SET token_hash = lower(hex(randomblob(32)));
  INSERT INTO api_identity SELECT * FROM former.api_identity WHERE true
    ON CONFLICT (id) DO UPDATE SET permissions = excluded.permissions, token_hash = excluded.token_hash,
      expires_at = excluded.expires_at, last_used_at = excluded.last_used_at, revoked_at = excluded.revoked_at;
  INSERT INTO agent (agent_id, platform, host_name, os_version, agent_version, token_hash, previous_hash, rotated_at,
      created_at, updated_at, last_seen_at, revoked_at, skew_ms)
    SELECT agent_id, platform, host_name, os_version, agent_version, token_hash, previous_hash, rotated_at,
      created_at, updated_at, last_seen_at, revoked_at, skew_ms FROM former.agent WHERE true
    ON CONFLICT (agent_id) DO UPDATE SET token_hash = excluded.token_hash, previous_hash = excluded.previous_hash,
      rotated_at = excluded.rotated_at, last_seen_at = excluded.last_seen_at, revoked_at = excluded.revoked_at,
      updated_at = excluded.updated_at, agent_version = excluded.agent_version, os_version = excluded.os_version;
  INSERT INTO beacon (src, dst, dport, proto, interval_ms, cov, score, obs_count, first_seen, last_seen, detected_at,
      status, benign)
    SELECT src, dst, dport, proto, interval_ms, cov, score, obs_count, first_seen, last_seen, detected_at,
      status, benign FROM former.beacon WHERE status = 'dismissed'
    ON CONFLICT (src, dst, dport, proto) DO UPDATE SET status = 'dismissed';
  INSERT OR REPLACE INTO audit_event (event_id, created_at, event_type, outcome, auth_method, actor_hash, principal_hash,
      request_id, client_ip_hash, http_method, path, metadata)
    SELECT event_id, created_at, event_type, outcome, auth_method, actor_hash, principal_hash,
      request_id, client_ip_hash, http_method, path, metadata FROM former.audit_event ORDER BY id;
  INSERT OR REPLACE INTO ai_usage (request_id, kind, created_at, provider, model, input_tokens, output_tokens, total_tokens,
      cache_read_tokens, cache_write_tokens, pricing_version, price, cost_usd, error_code)
    SELECT request_id, kind, created_at, provider, model, input_tokens, output_tokens, total_tokens,
      cache_read_tokens, cache_write_tokens, pricing_version, price, cost_usd, error_code FROM former.ai_usage ORDER BY id;
  INSERT OR IGNORE INTO ai_event (event_id, trigger_type, trigger_key, cause, created_at, range_from, range_to, status,
      provider, model, body, citations, chat_key, input_tokens, output_tokens, total_tokens, cost_usd, error_code)
    SELECT event_id, trigger_type, trigger_key, cause, created_at, range_from, range_to, status,
      provider, model, body, citations, chat_key, input_tokens, output_tokens, total_tokens, cost_usd, error_code
    FROM former.ai_event ORDER BY id;
  INSERT OR IGNORE INTO ai_event_sent (chat_key, sent_at) SELECT chat_key, sent_at FROM former.ai_event_sent;
  INSERT OR IGNORE INTO ai_attempt (trigger_type, trigger_key, cause, number, begun_at)
    SELECT trigger_type, trigger_key, cause, number, begun_at FROM former.ai_attempt ORDER BY id;
  INSERT INTO outbox_event (destination, key, created_at, content)
    SELECT a.destination, a.key, a.created_at, a.content FROM former.outbox_event a JOIN former.ai_event e ON a.key = 'ai|' || e.event_id
      LEFT JOIN former.outbox_message m ON m.id = a.message_id
    WHERE a.withdrawn_at IS NULL AND (m.id IS NULL OR m.state = 'open') ORDER BY a.id
    ON CONFLICT (destination, key) DO UPDATE SET withdrawn_at = NULL, message_id = NULL;
  INSERT INTO sink_state (id, target, version) SELECT id, target, version FROM former.sink_state WHERE true
    ON CONFLICT (id) DO UPDATE SET version = max(version, excluded.version);
  UPDATE sqlite_sequence SET seq = max(seq, coalesce((SELECT seq FROM former.sqlite_sequence AS f
    WHERE f.name = sqlite_sequence.name), 0)) WHERE name = 'session'`;

/**
 * Copies what the publishers of threat feeds sent last, and when they may be asked again: by the times of the backup,
 * the hub would ask too soon. The hub then judges the connections of the backup by these lists.
 */
const threatLists = ['threat_part', 'threat_document', 'threat_rows']
  .map((table) => `DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM former.${table}`)
  .join(';');

/** State of the replaced database. A readable one is attached as `former`. */
export const formerStates = ['readable', 'unreadable', 'none'] as const;
export type FormerState = (typeof formerStates)[number];

/** The sentence for people after a restore over an `unreadable` database. */
export const notCarriedOver =
  'The previous database could not be read completely, so nothing was taken from it. The audit trail and the AI usage end ' +
  'with the backup, and dismissed beacons may be reported again. All API identities and Agents are revoked: make new ' +
  'identities and enrol the Agents again.';

/**
 * Changes the restored database before it takes its place; `now` in epoch milliseconds. An unreadable former database
 * cannot tell what was revoked since the backup: every API identity and Agent is revoked. Without a former database,
 * they stay as in the backup.
 */
export function carryOver(writer: FileWork, now: number, former: FormerState): void {
  runScript(writer, endPending, now);
  if (former !== 'none') {
    runScript(writer, revokeAll, now);
  }
  if (former === 'readable') {
    writer.exec(fromFormer);
  }
}

/** Copies from a readable `former` in a transaction of its own: when it fails, what `carryOver` did stays. */
export function carryThreatLists(writer: FileWork): void {
  writer.exec(threatLists);
}

/** No statement of `script` may contain a semicolon. */
function runScript(writer: FileWork, script: string, now: number): void {
  for (const sql of script.split(';')) {
    writer.prepare(sql).run({ now });
  }
}

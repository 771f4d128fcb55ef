// What of the replaced database stays true in the one that comes: credentials that ended, who may deliver, what was
// dismissed, the audit trail, what AI providers were asked and paid for, delivered or not yet, the threat feeds. What
// ClickHouse has is sent again, with versions above those of before. Observations, devices and detections are those of the
// generation.
import type { FileWork } from '#kernel/sqlite/database-copy.ts';

/** The rows in ClickHouse are those of the database before: every hour is sent again. */
export const carryOverSink = [
  'DELETE FROM sink_hour',
  'UPDATE sink_due SET is_check = 0, not_before = 0',
  'UPDATE sink_state SET position = NULL',
];

/** Sessions end with every restore, requests to enrol as well; alerts that waited then were delivered long ago. */
const always = `
  DELETE FROM session;
  UPDATE agent_code SET burned_at = :now WHERE burned_at IS NULL AND used_at IS NULL;
  UPDATE agent_request SET status = 'expired' WHERE status = 'pending';
  UPDATE agent_request SET collect_until = 0 WHERE status = 'approved' AND claimed_at IS NULL;
  UPDATE chat_message SET state = 'given_up', ended_at = :now WHERE state = 'open';
  UPDATE chat_alert SET withdrawn_at = :now WHERE message_id IS NULL AND withdrawn_at IS NULL;
  ${carryOverSink.join(';')}`;

/** Revokes everything that may have been revoked since the backup. */
const revokeAll = `
  UPDATE api_identity SET revoked_at = :now WHERE revoked_at IS NULL;
  UPDATE agent SET revoked_at = coalesce(revoked_at, :now), token_hash = NULL, previous_hash = NULL, rotated_at = NULL`;

/**
 * From the database that is replaced, attached as `former`: only what was valid there is valid again. Hashes of the generation
 * make way first: under other ids they would keep those of `former` out, and all the rest with them.
 * What both have of the audit trail and of paid requests is told by `former`: an uploaded file may tell it otherwise.
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
  INSERT INTO chat_alert (key, created_at, content)
    SELECT a.key, a.created_at, a.content FROM former.chat_alert a JOIN former.ai_event e ON e.chat_key = a.key
      LEFT JOIN former.chat_message m ON m.id = a.message_id
    WHERE a.withdrawn_at IS NULL AND (m.id IS NULL OR m.state = 'open') ORDER BY a.id
    ON CONFLICT (key) DO UPDATE SET withdrawn_at = NULL, message_id = NULL;
  INSERT INTO sink_state (id, target, version) SELECT id, target, version FROM former.sink_state WHERE true
    ON CONFLICT (id) DO UPDATE SET version = max(version, excluded.version);
  UPDATE sqlite_sequence SET seq = max(seq, coalesce((SELECT seq FROM former.sqlite_sequence AS f
    WHERE f.name = sqlite_sequence.name), 0)) WHERE name = 'session'`;

/**
 * What publishers of threat feeds sent last, and when they may be asked again: a database from before would ask them
 * sooner than they allow. The log of the generation is judged by it again.
 */
const lists = ['threat_part', 'threat_document', 'threat_rows']
  .map((table) => `DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM former.${table}`)
  .join(';');

/** The database that is replaced: attached as `former`, damaged, or there is none. */
export const formers = ['readable', 'unreadable', 'none'] as const;
export type Former = (typeof formers)[number];

/** What people are told after a restore over a database that is `unreadable`. */
export const notCarriedOver =
  'The previous database could not be read completely, so nothing was taken from it. The audit trail and the AI usage end ' +
  'with the backup, and dismissed beacons may be reported again. All API identities and Agents are revoked: make new ' +
  'identities and enrol the Agents again.';

/**
 * Changes the database that comes, before it is named. What was revoked since is not known when the former one cannot be
 * read: then every API identity and every Agent is revoked. Without a former one they are those of the generation.
 */
export function carryOver(writer: FileWork, now: number, former: Former): void {
  runScript(writer, always, now);
  if (former !== 'none') {
    runScript(writer, revokeAll, now);
  }
  if (former === 'readable') {
    runScript(writer, fromFormer, now);
  }
}

/** From a readable former database, attached as `former`: apart from `carryOver`, whose credentials do not depend on it. */
export function carryLists(writer: FileWork, now: number): void {
  runScript(writer, lists, now);
}

function runScript(writer: FileWork, script: string, now: number): void {
  for (const sql of script.split(';')) {
    const statement = writer.prepare(sql);
    if (sql.includes(':now')) {
      statement.run({ now });
    } else {
      statement.run();
    }
  }
}

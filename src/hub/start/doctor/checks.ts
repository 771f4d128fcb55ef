// Checks of a running hub, from what its API answers.

import type { CheckCode, DiagnosticCheck } from '#contract/diagnostics.ts';
import type { FactCode } from '#contract/facts.ts';
import type { Api } from '#contract/index.ts';
import type { ClientReply } from '#kernel/http/route.ts';
import { connectTo } from '#kernel/net/connect.ts';
import { type Clock, isoTime, parseIsoTime } from '#kernel/time/clock.ts';
import { dayMs, hourMs } from '#kernel/time/time.ts';
import { describeCause } from '../../base/refusals.ts';
import { createStatement } from '../../base/statements.ts';
import { createFinding, createUnknown, type Finding, toCheck } from './finding.ts';

export type Status = ClientReply<Api['status']['status']>;
export type Routers = ClientReply<Api['routers']['list']>;
export type Agents = ClientReply<Api['agents']['list']>;
export type LookUps = ClientReply<Api['config']['lookups']>;
export type Feeds = ClientReply<Api['threat']['feeds']>;
export type Backups = ClientReply<Api['backup']['list']>;

const connectMs = 3000;

/** Warnings of the status that belong to a check, and how bad they are. */
const told: Partial<Record<FactCode, readonly [CheckCode, Finding['state']]>> = {
  clock_back: ['clock', 'problem'],
  clock_was_ahead: ['clock', 'problem'],
  disk_unreadable: ['disk', 'unknown'],
  disk_low: ['disk', 'advice'],
  disk_full: ['disk', 'problem'],
  log_over_limit: ['disk', 'advice'],
  reads_fail: ['database', 'problem'],
  database_damaged: ['database', 'problem'],
  database_set_aside: ['database', 'advice'],
  log_lost: ['database', 'advice'],
  backup_not_made: ['backups', 'problem'],
  backup_hook_failed: ['backups', 'problem'],
  backup_damaged: ['backups', 'problem'],
  backup_folder_missing: ['backups', 'problem'],
  token_exposed: ['permissions', 'problem'],
  no_tls: ['listener', 'advice'],
  proxy_not_named: ['listener', 'advice'],
};

/** Returns the warnings of the status that belong to `check` as findings. */
export function findTold(check: CheckCode, { warnings, warningFacts }: Status): Finding[] {
  return warningFacts.flatMap(({ code, values }, at) => {
    const [owner, state] = told[code] ?? [];
    return owner === check && state ? [{ state, statement: createStatement(code, warnings[at] ?? code, values) }] : [];
  });
}

/** Connects to each router that is switched on, and tells what its last poll said. */
export async function checkRouters(routers: Routers, clock: Clock): Promise<Finding[]> {
  const found = await Promise.all(
    routers.routers
      .filter(({ enabled }) => enabled)
      .map(
        async ({
          displayName,
          hostName,
          ip,
          port,
          hostKeyChange,
          lastError,
          state,
          failure,
        }): Promise<Finding | null> => {
          const router = displayName || hostName || ip;
          try {
            await connectTo(clock, ip, port, connectMs);
          } catch (error) {
            const sentence = `the router ${router} does not accept a connection at ${ip}, port ${port}`;
            return createFinding('problem', 'router_no_answer', sentence, {
              router,
              ip,
              port,
              ...describeCause(error),
            });
          }
          if (hostKeyChange !== null) {
            const sentence = `the router ${router} shows another host key than the one that is stored`;
            return createFinding('problem', 'router_key_changed', sentence, { router });
          }
          if (failure === null) {
            return null;
          }
          const detail = lastError ?? state;
          const sentence = `the last poll of the router ${router} failed (${detail})`;
          return createFinding('problem', 'router_read_failed', sentence, { router, detail });
        },
      ),
  );
  return found.filter((one) => one !== null);
}

export function checkAgents({ agents }: Agents, now: number): Finding[] {
  return agents
    .filter(({ revokedAt, lastSeenAt, createdAt }) => revokedAt === null && now - (lastSeenAt ?? createdAt) > dayMs)
    .map(({ hostName, lastSeenAt, createdAt }) => {
      const at = lastSeenAt ?? createdAt;
      const sentence = `the Agent of ${hostName} has sent nothing since ${isoTime(at)}`;
      return createFinding('advice', 'agent_silent', sentence, { agent: hostName, at });
    });
}

/** Whether the last look-up of a name was answered. */
export function checkNames(
  { ptr: { enabled, effectiveResolver } }: LookUps,
  { enrichment: { ptr } }: Status,
): Finding[] {
  if (!enabled || ptr.lastError === null || (ptr.lastFailAt ?? 0) < (ptr.lastOkAt ?? 0)) {
    return [];
  }
  const resolver = effectiveResolver ?? '';
  const sentence = `the name server ${resolver} did not answer the last question (${ptr.lastError})`;
  return [createFinding('advice', 'names_unanswered', sentence, { resolver, detail: ptr.lastError })];
}

export function checkFeeds({ feeds }: Feeds): Finding[] {
  return feeds
    .filter(({ state, message }) => state !== 'disabled' && state !== 'pending' && message !== null)
    .map(({ name, message }) => {
      const sentence = `the threat feed ${name} is not current (${message})`;
      return createFinding('advice', 'feed_not_current', sentence, { feed: name, detail: message ?? '' });
    });
}

/** The newest backup is older than two intervals, or there is none although one was due. */
export function checkBackups({ diagnostics: { entries }, config }: Backups, now: number, uptimeMs: number): Finding[] {
  const dueMs = 2 * config.intervalHours * hourMs;
  const newest = Math.max(...entries.map(({ created }) => parseIsoTime(created) ?? 0));
  if (entries.length === 0) {
    return uptimeMs > dueMs ? [createFinding('problem', 'backup_missing', 'there is no backup')] : [];
  }
  const sentence = `the newest backup is of ${isoTime(newest)}; one is due every ${config.intervalHours} hours`;
  return now - newest > dueMs
    ? [createFinding('problem', 'backup_old', sentence, { at: newest, hours: config.intervalHours })]
    : [];
}

/** Makes the check of what was read; `answer` is an Error when that failed. */
export async function checkAnswer<T>(
  code: CheckCode,
  answer: T | Error,
  check: (answer: T) => readonly Finding[] | Promise<readonly Finding[]>,
): Promise<DiagnosticCheck> {
  return toCheck(code, answer instanceof Error ? [createUnknown(code, answer)] : await check(answer));
}

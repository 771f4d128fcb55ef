// The feature of diagnostics. It asks the handlers of the API, so the document has nothing that they do not show.
import { statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Access } from '#contract/access.ts';
import type { Diagnostics } from '#contract/diagnostics.ts';
import { api } from '#contract/index.ts';
import { decodeJson, isReadyBody, isReadyJson } from '#kernel/http/ready-body.ts';
import { type Call, isStatusReply, type RouteDefinition } from '#kernel/http/route.ts';
import { listKeptLines } from '#kernel/process/log.ts';
import { dayMs } from '#kernel/time/time.ts';
import type { Principal } from '../../base/auth/principal.ts';
import type { Base, Feature, HubHandlers } from '../../base/feature.ts';
import { toFileNames } from '../../base/storage/file-names.ts';
import {
  type Agents,
  type Backups,
  checkAgents,
  checkAnswer,
  checkBackups,
  checkFeeds,
  checkNames,
  checkRouters,
  type Feeds,
  findTold,
  type LookUps,
  type Routers,
  type Status,
} from './checks.ts';
import { contains } from './document.ts';
import { checkPermissions, checkRoom } from './file-checks.ts';
import { toCheck } from './finding.ts';
import { collectSecrets, requireNoSecret } from './secret-search.ts';

type AnyCall = Call<RouteDefinition<Access>, Principal>;
type Ask = <T>(group: keyof HubHandlers, route: string, query?: Record<string, unknown>) => Promise<T | Error>;

/** `handlers` is called at each request. */
export function startDoctorFeature(base: Base, handlers: () => HubHandlers): Feature<Pick<HubHandlers, 'diagnostics'>> {
  const { options, settings } = base;
  return {
    handlers: {
      diagnostics: {
        async read(call) {
          const document = await describeHub(base, createAsk(handlers(), call));
          const given = [options.initialAdminToken, options.initialPassword, options.secretKey];
          const sink = [options.sink?.writer.password, options.sink?.reader?.password];
          requireNoSecret(
            document,
            collectSecrets(settings.current(), { dataDir: options.dataDir, given: [...given, ...sink] }),
          );
          return document;
        },
      },
    },
  };
}

/** Asks handlers with the caller of `call`. Resolves to an Error when one fails: the others still tell something. */
function createAsk(handlers: HubHandlers, call: unknown): Ask {
  return async (group, route, query = {}) => {
    try {
      const handler = (handlers[group] as Record<string, unknown>)[route] as (one: AnyCall) => unknown;
      const answer = await handler({ ...(call as AnyCall), query });
      const body = isStatusReply(answer) ? answer.body : answer;
      return (isReadyBody(body) && isReadyJson(body) ? decodeJson(body) : body) as never;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  };
}

async function describeHub({ clock, db, log, options, folder }: Base, ask: Ask): Promise<Diagnostics> {
  const now = clock.now();
  const [status, routers, agents, lookUps, feeds, backups, coverage] = await Promise.all([
    ask<Status>('status', 'status'),
    ask<Routers>('routers', 'list'),
    ask<Agents>('agents', 'list'),
    ask<LookUps>('config', 'lookups'),
    ask<Feeds>('threat', 'feeds'),
    ask<Backups>('backup', 'list'),
    ask<Record<string, unknown>>('coverage', 'coverage', { from: now - dayMs, to: now, buckets: 24 }),
  ]);
  if (status instanceof Error) {
    throw status;
  }
  const databaseBytes = sizeOf(folder.databaseFile);
  const { bytesPerDay } = status.retention;
  const room = {
    folder: path.dirname(path.resolve(folder.databaseFile)),
    bytesPerDay,
    backupBytes: databaseBytes ?? 0,
  };
  const shown = (code: Parameters<typeof findTold>[0]) => findTold(code, status);
  return {
    version: 1,
    createdAt: now,
    contains,
    versions: {
      hub: status.version,
      commit: status.commit,
      node: process.versions.node,
      sqlite: String(db.prepare('SELECT sqlite_version() AS version').pluck().get()),
      os: `${os.type()} ${os.release()} ${os.arch()}`,
      schema: status.schemaVersion,
    },
    checks: await Promise.all([
      toCheck('database', shown('database')),
      toCheck('clock', shown('clock')),
      toCheck('disk', [...shown('disk'), ...checkRoom(room)]),
      toCheck('permissions', [...shown('permissions'), ...checkPermissions(options.dataDir, toFileNames(options))]),
      checkAnswer('routers', routers, (all) => checkRouters(all, clock)),
      checkAnswer('agents', agents, (all) => checkAgents(all, now)),
      checkAnswer('names', lookUps, (all) => checkNames(all, status)),
      checkAnswer('feeds', feeds, checkFeeds),
      checkAnswer('backups', backups, (all) => [...shown('backups'), ...checkBackups(all, now, status.uptimeMs)]),
      toCheck('listener', shown('listener')),
    ]),
    sizes: {
      databaseBytes,
      walBytes: sizeOf(`${folder.databaseFile}-wal`),
      backupBytes: backups instanceof Error ? null : backups.diagnostics.summary.backupBytes,
      freeBytes: status.storage.freeBytes,
      logBytesPerDay: bytesPerDay,
    },
    status,
    settings: {
      [api.routers.list.path]: routers instanceof Error ? null : withoutUsers(routers),
      [api.config.lookups.path]: orNull(lookUps),
      [api.threat.feeds.path]: orNull(feeds),
      [api.backup.list.path]: orNull(backups),
      ...(await readSettings(ask)),
    },
    coverage: coverage instanceof Error ? null : coverage,
    lastErrors: listKeptLines(log),
  };
}

/** The views of settings that need no other check. */
async function readSettings(ask: Ask): Promise<Record<string, unknown>> {
  return {
    [api.config.general.path]: orNull(await ask('config', 'general')),
    [api.config.dataSources.path]: orNull(await ask('config', 'dataSources')),
    [api.threat.feedsConfig.path]: orNull(await ask('threat', 'feedsConfig')),
    [api.threat.manualThreat.path]: orNull(await ask('threat', 'manualThreat')),
    [api.detection.config.path]: orNull(await ask('detection', 'config')),
    [api.chat.config.path]: orNull(await ask('chat', 'config')),
    [api.ai.config.path]: orNull(await ask('ai', 'config')),
    [api.ai.notificationConfig.path]: orNull(await ask('ai', 'notificationConfig')),
    [api.auth.securityConfig.path]: orNull(await ask('auth', 'securityConfig')),
    [api.agents.transport.path]: orNull(await ask('agents', 'transport')),
  };
}

function orNull(answer: unknown): unknown {
  return answer instanceof Error ? null : answer;
}

/** Leaves user names out: they are half of a login, and do not help to find a fault. */
function withoutUsers({ routers }: Routers): unknown {
  return routers.map(({ user: _, ...router }) => router);
}

function sizeOf(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.size ?? null;
}

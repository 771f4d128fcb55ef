// Applies resets that the owner requested on a terminal, at the start and while the hub runs
// (docs/reference/wire-contract/5-behaviours.md#recovery).
import { type FSWatcher, mkdirSync, rmSync, watch } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { Semaphore } from '#kernel/http/limiter.ts';
import type { Log } from '#kernel/process/log.ts';
import type { SettingsDocument } from '../../settings/document.ts';
import type { Signals } from '../../signals.ts';
import type { AuditTrail } from '../audit.ts';
import type { Sessions } from '../sessions.ts';
import type { FirstFiles } from './first-files.ts';
import { type ResetRequest, readReset, resetFile, resetFolder, resetKinds } from './reset-request.ts';

export interface RecoveryOptions {
  dataDir: string;
  document: SettingsDocument;
  sessions: Sessions;
  signals: Signals;
  audit: AuditTrail;
  firstFiles: FirstFiles;
  log: Log;
}

/**
 * Resolves when all waiting requests are applied; then applies each new one. A request that cannot be applied is logged and
 * stays in its folder. A reset that a crash interrupted is applied once more, with the same result.
 */
export async function startRecovery(options: RecoveryOptions): Promise<AsyncDisposable> {
  const { dataDir, log } = options;
  const turns = new Semaphore(1);
  const take = () => turns.use(() => takeAll(options));
  const folder = resetFolder(dataDir);
  let watcher: FSWatcher | null = null;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    watcher = watch(folder, { persistent: false }, take);
    watcher.on('error', (error) => log.warn({ err: error }, `${folder} is no longer watched`));
  } catch (error) {
    log.warn({ err: error }, `${folder} cannot be watched: a reset is taken at the next start only`);
  }
  await take();
  return {
    async [Symbol.asyncDispose]() {
      watcher?.close();
      await turns.use(async () => undefined);
    },
  };
}

async function takeAll(options: RecoveryOptions): Promise<void> {
  for (const kind of resetKinds) {
    try {
      let request = readReset(options.dataDir, kind);
      while (request) {
        await apply(options, request);
        // A newer request may have replaced it meanwhile: removes only the one that was applied.
        const found = readReset(options.dataDir, kind);
        if (isDeepStrictEqual(found, request)) {
          rmSync(resetFile(options.dataDir, kind), { force: true });
          request = null;
        } else {
          request = found;
        }
      }
    } catch (error) {
      options.log.error({ err: error }, `the reset of the ${kind} was not taken`);
    }
  }
}

/** Stores the new credential first, so that the old one is refused before sessions end. */
async function apply(options: RecoveryOptions, request: ResetRequest): Promise<void> {
  const { document, sessions, signals, audit, firstFiles, log } = options;
  if (request.kind === 'password') {
    document.update((all) => ({ ...all, passwordRecord: request.passwordRecord }));
    firstFiles.forget('initial-password');
  } else {
    document.update((all) => ({ ...all, adminTokenHash: request.adminTokenHash }));
    firstFiles.forget('initial-admin-token');
    signals.emit('credentialRevoked', 'admin-token');
  }
  const revoked = await sessions.revokeAll({});
  await audit.record({
    type: request.kind === 'password' ? 'password_changed' : 'admin_token_regenerated',
    outcome: 'success',
    request: null,
    by: { method: null, actor: 'terminal', credential: null },
    metadata: { by: 'terminal', revoked },
  });
  log.warn({ revoked }, `the ${request.kind} was reset on a terminal; every session has ended`);
}

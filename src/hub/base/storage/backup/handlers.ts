// Answers the backup routes: list, create, download, restore, upload, check and prune.
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { AppError } from '#kernel/errors.ts';
import { type BodyStream, bodyStream } from '#kernel/http/ready-body.ts';
import { reply } from '#kernel/http/route.ts';
import { withChanges } from '#kernel/text/changes.ts';
import { isoTime } from '#kernel/time/clock.ts';
import type { Auth } from '../../auth/auth.ts';
import type { Base, HubHandlers } from '../../feature.ts';
import { toFacts } from '../../statements.ts';
import type { PruneJobs } from '../prune/jobs.ts';
import { toBackupSummary } from '../prune/summary.ts';
import { readFreeBytes } from '../room.ts';
import { formatContentDigest, parseContentDigest } from './digest.ts';
import type { Hook } from './hook.ts';
import { findGeneration, readInventory, type StoredGeneration, type Verdicts } from './inventory.ts';
import { readManifest } from './manifest.ts';
import type { Operations } from './operations.ts';
import { measureDatabase } from './snapshot.ts';

interface Options {
  base: Base;
  auth: Pick<Auth, 'audit' | 'toActor'>;
  operations: Operations;
  /** The operator's program that runs after each backup. */
  hook: Pick<Hook, 'state' | 'warning'>;
  jobs: PruneJobs;
  /** Results of earlier verifications of the files. */
  verdicts: Verdicts;
}

export function backupHandlers({ base, auth, operations, hook, jobs, verdicts }: Options): HubHandlers['backup'] {
  const { folder, settings } = base;
  const success = true as const;
  return {
    list() {
      const stored = readInventory(folder.backups);
      const entries = stored.map((one) => verdicts.entry(one));
      const activity = operations.activity();
      const hooked = hook.state();
      const space = { freeBytes: readFreeBytes(folder.backups), dbSize: measureDatabase(folder.databaseFile) };
      return {
        backups: entries
          .filter(({ kind }) => kind === 'normal')
          .map(({ name, size, created }) => ({ name, size, created })),
        config: settings.current().backup,
        diagnostics: { entries, summary: toBackupSummary({ entries, ...space }) },
        pruneJob: jobs.latest(),
        activity: activity && { ...activity, startedAt: isoTime(activity.startedAt) },
        hook: hooked && {
          ...hooked,
          errorFacts: toFacts(hook.warning()),
          endedAt: hooked.endedAt === null ? null : isoTime(hooked.endedAt),
        },
      };
    },
    async create() {
      const { name } = await operations.create();
      return { success, name };
    },
    async download({ params, principal, request }) {
      const stored = findGeneration(folder.backups, params.name);
      if (stored === null) {
        throw new AppError('not_found', 'there is no generation of this name: GET /api/backup/list names them');
      }
      const body = await download(stored);
      const event = { type: 'backup_downloaded', outcome: 'success' } as const;
      auth.audit.note({ ...event, request, by: auth.toActor(principal), metadata: { name: stored.name } });
      return body;
    },
    async restore({ body }) {
      return { success, ...(await operations.restore(body.name)) };
    },
    async upload({ upload, request }) {
      const digest = parseContentDigest(request.headers['content-digest']);
      return { success, ...(await operations.upload(upload, digest)) };
    },
    async check({ upload, request }) {
      const digest = parseContentDigest(request.headers['content-digest']);
      return { success, ...(await operations.check(upload, digest)) };
    },
    config({ body }) {
      const { backup } = settings.update((all) => ({ ...all, backup: withChanges(all.backup, body) }));
      return { success, config: backup };
    },
    prune({ body: { execute, planHash } }) {
      return reply(202, { success, job: jobs.start({ execute, source: 'manual', planHash }) });
    },
    pruneJob: ({ params }) => ({ success, job: jobs.read(params.jobId) }),
    cancelPrune: ({ params }) => ({ success, job: jobs.cancel(params.jobId) }),
  };
}

/** The open handle lets the download finish even if the file is deleted meanwhile. */
async function download({ file, name, size }: StoredGeneration): Promise<BodyStream> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  const manifest = readManifest(file);
  const digest = manifest?.size === size ? formatContentDigest(manifest.sha256) : null;
  return bodyStream({
    type: 'application/octet-stream',
    headers: {
      'Content-Length': String((await handle.stat()).size),
      'Content-Disposition': `attachment; filename="${name}"`,
      ...(digest === null ? {} : { 'Content-Digest': digest }),
    },
    body: handle.createReadStream(),
  });
}

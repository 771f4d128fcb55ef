// The running Agent: what the watch saw becomes batches in the spool, the sender delivers them, the status is written.

import { agentLimits } from '#contract/agent-limits.ts';
import { messageOf } from '#kernel/errors.ts';
import type { Log } from '#kernel/process/log.ts';
import { type Clock, isoTime } from '#kernel/time/clock.ts';
import { startJob } from '#kernel/time/job.ts';
import { loadBearer } from './credentials/bearer.ts';
import type { CredentialStore } from './credentials/store.ts';
import { toBatches } from './delivery/batches.ts';
import { toObservations } from './delivery/observations.ts';
import { startSender } from './delivery/sender.ts';
import { openSpool } from './delivery/spool.ts';
import type { AgentFiles } from './folder.ts';
import { openHub } from './hub-client.ts';
import { agentProgramLimits as limits } from './limits.ts';
import { machineFacts } from './machine.ts';
import { requireSafeTransport } from './plaintext.ts';
import { requireRecord, writeRecord } from './record.ts';
import type { StartWatch } from './sources/watch.ts';
import { type AgentStatus, writeStatus } from './status/status-file.ts';

export interface RunOptions {
  clock: Clock;
  log: Log;
  files: AgentFiles;
  store: CredentialStore;
  startWatch: StartWatch;
  takeMs: number;
  /** Undefined: the watch chooses by its sources. */
  pollMs: number | undefined;
  spoolBytes: number;
  rotateDays: number;
  includeLoopback: boolean;
  allow: 'all' | 'tables';
}

export interface RunningAgent extends AsyncDisposable {
  /** Stores the last connections, and sends what it can within `lastTryMs`. Call it once, before disposal. */
  finish(): Promise<void>;
}

/** Rejects with an Error when this machine is not enrolled, or its bearer cannot be read. */
export async function startAgent(options: RunOptions): Promise<RunningAgent> {
  const { clock, log, files, store, startWatch, takeMs, pollMs, rotateDays, includeLoopback, allow } = options;
  let record = requireRecord(files);
  const hubUrl = new URL(record.hubUrl);
  requireSafeTransport(hubUrl, record.acceptsPlaintext);
  const bearer = await loadBearer(store);
  const startedAt = clock.now();
  await using opened = new AsyncDisposableStack();
  const hub = opened.use(openHub(clock, hubUrl, record.ca));
  const spool = openSpool(files, options.spoolBytes, log);
  const watch = opened.use(await startWatch({ clock, log, pollMs, includeLoopback, allow }));
  let unusable = 0;
  let lost = 0;
  const update = (change: Partial<typeof record>) => {
    record = { ...record, ...change };
    writeRecord(files, record);
  };
  const sender = opened.use(startSender({ clock, log, hub, bearer, spool, record: () => record, update, rotateDays }));

  async function take(): Promise<void> {
    const taken = toObservations(watch.take());
    unusable += taken.unusable;
    const most = sender.capabilities() ?? usual;
    for (const batch of toBatches(taken.observations, machineFacts(record.hostName), most)) {
      try {
        spool.add(batch);
      } catch (error) {
        lost += batch.observations.length;
        log.error({ err: messageOf(error) }, 'observations could not be stored and are lost');
      }
    }
    sender.wake();
  }

  const status = (): AgentStatus => ({
    pid: process.pid,
    at: clock.now(),
    startedAt,
    hubUrl: record.hubUrl,
    sources: watch.sources(),
    counters: watch.counters(),
    spool: spool.facts(),
    delivery: sender.facts(),
    unusable,
    lost,
    rotateDays,
  });
  let isWritten = true;
  const noteStatus = async () => {
    try {
      writeStatus(files, status());
      isWritten = true;
    } catch (error) {
      if (isWritten) {
        log.error({ err: messageOf(error) }, 'the status cannot be written');
      }
      isWritten = false;
    }
  };
  const writing = opened.use(
    startJob(clock, log, { name: 'status', everyMs: limits.statusMs, firstMs: 0, run: noteStatus }),
  );
  const taking = opened.use(startJob(clock, log, { name: 'take', everyMs: takeMs, run: take }));
  const life = opened.move();
  log.info({ hub: hubUrl.origin, agent: record.agentId, since: isoTime(startedAt) }, 'the Agent runs');
  return {
    async finish() {
      await taking[Symbol.asyncDispose]();
      await take().catch((error: unknown) => log.error({ err: error }, 'the last take failed'));
      await sender.finish(limits.lastTryMs);
      await writing[Symbol.asyncDispose]();
      await noteStatus();
    },
    [Symbol.asyncDispose]: () => life.disposeAsync(),
  };
}

/** Used until the hub has stated its own limits. */
const usual = {
  maxObservationsPerBatch: agentLimits.agentBatchObservations,
  maxBodyBytes: agentLimits.agentBatchBytes,
};

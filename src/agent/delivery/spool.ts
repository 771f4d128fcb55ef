// Batches on disk: one file each, in the order of delivery, bounded. A batch is on disk before it is sent.
import { rmSync } from 'node:fs';
import path from 'node:path';
import { isDiskFull, writeText } from '#kernel/files/files.ts';
import type { Log } from '#kernel/process/log.ts';
import type { AgentFiles } from '../folder.ts';
import type { AgentStatus } from '../status/status-file.ts';
import type { Batch } from './batches.ts';
import { openParked } from './parked.ts';
import {
  type BatchFile,
  describeBatch,
  explainRefusal,
  nameBatchFile,
  openBatchFolder,
  readBatch,
  sumBytes,
} from './spool-files.ts';

export type Spool = ReturnType<typeof openSpool>;

/**
 * `parked/` holds at most `maxBytes` too. Each function may be called again after it has thrown: the files are then
 * unchanged, or as the log says.
 */
export function openSpool(files: Pick<AgentFiles, 'spool' | 'parked'>, maxBytes: number, log: Log) {
  const waiting = openWaiting(files.spool, log);
  const parked = openParked(files.parked, maxBytes, log);
  let damagedBatches = 0;
  let next = 1 + Math.max(waiting.lastNumber(), parked.lastNumber());

  const giveUp = (entry: BatchFile, state: 'damaged' | 'missing') => {
    if (state === 'missing') {
      log.error(describeBatch(entry), `a batch is gone from ${files.spool}: another program removed it`);
      waiting.forget(entry, 'dropped');
      return;
    }
    parked.take(waiting.pathOfBatch(entry), entry);
    waiting.forget(entry, 'dropped');
    damagedBatches += 1;
    const said = { ...describeBatch(entry), file: path.join(files.parked, entry.name) };
    log.error(said, 'a batch is damaged and cannot be sent: it was moved to parked/; look whether the disk fails');
    parked.bound();
  };
  const store = (one: Batch, text: string) => {
    waiting.store(next, one, text);
    next += 1;
  };

  return {
    /** Throws when it cannot be written. */
    add(one: Batch) {
      const text = JSON.stringify(one);
      explainRefusal('a batch cannot be written', () => {
        waiting.makeRoom(maxBytes - Buffer.byteLength(text));
        try {
          store(one, text);
        } catch (error) {
          if (!isDiskFull(error) || !waiting.drop()) {
            throw error;
          }
          // The newest batch is worth more than the oldest.
          store(one, text);
        }
      });
    },
    /** The oldest batch, or null. It is not dropped while it is being sent. Throws when it cannot be read. */
    head: (): Batch | null =>
      explainRefusal('a damaged batch cannot be put aside', () => {
        for (let entry = waiting.oldest(); entry !== null; entry = waiting.oldest()) {
          const found = readBatch(waiting.pathOfBatch(entry));
          if (typeof found === 'object') {
            waiting.holdOldest();
            return found;
          }
          giveUp(entry, found);
        }
        return null;
      }),
    /** Removes the oldest batch after its delivery. */
    delivered: () => explainRefusal('a delivered batch cannot be removed', () => waiting.removeOldest()),
    /** Parks the oldest batch, which the hub will never accept. */
    park: () =>
      explainRefusal('a batch cannot be put aside', () => {
        const entry = waiting.oldest();
        if (entry !== null) {
          parked.take(waiting.pathOfBatch(entry), entry);
          waiting.forget(entry, 'dealt with');
          parked.bound();
        }
      }),
    isEmpty: () => waiting.oldest() === null,
    facts: (): AgentStatus['spool'] => ({
      ...waiting.facts(),
      maxBytes,
      damagedBatches,
      parked: parked.count(),
      removedBatches: parked.removed(),
    }),
  };
}

/** A batch that is dropped was never sent; one that was delivered or parked is dealt with. */
type BatchFate = 'dropped' | 'dealt with';

/** The batches in `spool/`, the oldest first. */
function openWaiting(folder: string, log: Log) {
  const entries = openBatchFolder(folder);
  const counts = { droppedBatches: 0, droppedObservations: 0 };
  /** The oldest batch is being sent and must not be dropped. */
  let isHeld = false;

  const pathOfBatch = ({ name }: BatchFile) => path.join(folder, name);
  const forget = (entry: BatchFile, fate: BatchFate) => {
    if (entry === entries[0]) {
      isHeld = false;
    }
    entries.splice(entries.indexOf(entry), 1);
    if (fate === 'dropped') {
      counts.droppedBatches += 1;
      counts.droppedObservations += entry.observations ?? 0;
    }
  };
  const remove = (entry: BatchFile, fate: BatchFate) => {
    rmSync(pathOfBatch(entry), { force: true });
    forget(entry, fate);
  };
  /** False when there is none to drop. */
  const drop = () => {
    const entry = entries[isHeld ? 1 : 0];
    if (entry === undefined) {
      return false;
    }
    // The log names the batch before its file is removed: a kill between the two must not hide the loss.
    log.warn(describeBatch(entry), `the oldest batch in ${folder} is dropped: the folder, or its disk, is full`);
    remove(entry, 'dropped');
    return true;
  };

  return {
    pathOfBatch,
    forget,
    drop,
    lastNumber: () => entries.at(-1)?.number ?? 0,
    oldest: () => entries[0] ?? null,
    holdOldest() {
      isHeld = true;
    },
    removeOldest() {
      const [entry] = entries;
      if (entry !== undefined) {
        remove(entry, 'dealt with');
      }
    },
    /** Drops the oldest batches, except one being sent, until the rest has at most this many bytes. */
    makeRoom(bytes: number) {
      while (sumBytes(entries) > bytes && drop()) {
        // The next one.
      }
    },
    store(number: number, one: Batch, text: string) {
      const name = nameBatchFile(number, one);
      writeText(path.join(folder, name), text);
      const { batchId, observations } = one;
      entries.push({ name, number, batchId, bytes: Buffer.byteLength(text), observations: observations.length });
    },
    facts: () => ({ batches: entries.length, bytes: sumBytes(entries), ...counts }),
  };
}

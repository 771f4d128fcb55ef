// A spool in a folder of its own, batches for it, and what lies in its folders.
import { existsSync, readdirSync } from 'node:fs';
import { type Batch, toBatches } from '#agent/delivery/batches.ts';
import { toObservations } from '#agent/delivery/observations.ts';
import { type AgentFiles, agentFiles } from '#agent/folder.ts';
import { machineFacts } from '#agent/machine.ts';
import { seenConnection } from './made-up-watch.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface SpoolFolder extends Disposable {
  readonly path: string;
  readonly files: AgentFiles;
}

export function spoolFolder(): SpoolFolder {
  const folder = temporaryFolder();
  return { path: folder.path, files: agentFiles(folder.path), [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

/** A batch of `count` observations; `number` tells their connections apart. */
export function spoolBatch(number: number, count = 1): Batch {
  const seen = Array.from({ length: count }, (_, index) => seenConnection(number * 100 + index));
  const most = { maxObservationsPerBatch: 200, maxBodyBytes: 524_288 };
  const [batch] = toBatches(toObservations(seen).observations, machineFacts('desk'), most);
  return batch as Batch;
}

/** The names of the batches in a folder, by the ids of the batches. */
export function batchNames(folder: string): Map<string, string> {
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  return new Map(names.filter((name) => name.endsWith('.json')).map((name) => [batchIdOf(name), name] as const));
}

/** The id of the batch in a file of that name. */
export const batchIdOf = (name: string) => name.slice(13, 49);

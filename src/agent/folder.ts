// The folder of an Agent: its files, and the lock that lets one process change them.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { messageOf } from '#kernel/errors.ts';
import { type FileLock, lockHolder, takeFileLock } from '#kernel/files/file-lock.ts';
import { folderWarning, makePrivate, removeLeftovers } from '#kernel/files/private-files.ts';

export interface AgentFiles {
  folder: string;
  /** What is known of the registration, without a secret. */
  record: string;
  /** A request that waits for approval, with its claim secret. */
  pending: string;
  /** The bearer, where a file is its store. */
  credential: string;
  status: string;
  spool: string;
  parked: string;
}

export function agentFiles(folder: string): AgentFiles {
  return {
    folder,
    record: path.join(folder, 'agent.json'),
    pending: path.join(folder, 'pending.json'),
    credential: path.join(folder, 'credential'),
    status: path.join(folder, 'status.json'),
    spool: path.join(folder, 'spool'),
    parked: path.join(folder, 'parked'),
  };
}

const lockName = (folder: string) => path.join(folder, 'agent');

/** The process id of the program that holds the folder; null when none has noted its id. */
export const findFolderHolder = (folder: string): number | null => lockHolder(lockName(folder));

/**
 * Makes the folder where it is missing and locks it for one process. `warn` is given a sentence for each file that others
 * could read. Throws an Error that names the holder of the lock.
 */
export function openFolder(files: AgentFiles, warn: (sentence: string) => void): FileLock {
  const { folder } = files;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new Error(`the folder ${folder} cannot be made (${messageOf(cause)}): name another one with --data`, {
      cause,
    });
  }
  const lock = takeFileLock(lockName(folder));
  if (lock === null) {
    const holder = findFolderHolder(folder);
    const who = holder === null ? 'another process' : `process ${holder}`;
    throw new Error(
      `${who} runs as this Agent already (${folder}): stop it first, for a service with systemctl stop gatehouse-agent`,
    );
  }
  for (const file of [files.record, files.pending, files.credential, files.status]) {
    removeLeftovers(file);
    const sentence = makePrivate(file);
    if (sentence !== null) {
      warn(sentence);
    }
  }
  const sentence = folderWarning(folder);
  if (sentence !== null) {
    warn(sentence);
  }
  return lock;
}

// The data folder of an Agent, which reports the connections of its computer to the hub. One process at a time locks it.
import path from 'node:path';
import { messageOf } from '#kernel/errors.ts';
import { type FileLock, findLockHolder, takeFileLock } from '#kernel/files/file-lock.ts';
import { makeFolder } from '#kernel/files/make-folder.ts';
import { folderWarning, makePrivate, removeStaleTempFiles } from '#kernel/files/private-files.ts';

export interface AgentFiles {
  folder: string;
  /** Hub, Agent id, host name and credential store of the enrolled Agent; no secret. */
  record: string;
  /** An enrolment request that waits for approval, with the claim secret that fetches the bearer token. */
  pending: string;
  /** The bearer token, when enrolled with `--store file` or `sealed`. */
  credential: string;
  status: string;
  spool: string;
  /** Folder of batches that the hub refused or that are damaged. */
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

/** `takeFileLock` adds `.lock` and `.pid`. */
const toLockName = (folder: string) => path.join(folder, 'agent');

/** Returns the id of the process that locks the folder; null when no process id is stored. */
export const findFolderHolder = (folder: string): number | null => findLockHolder(toLockName(folder));

/**
 * Creates the folder when it is missing, locks it and makes its files private. `warn` gets a sentence for each mode that
 * gave other users access. Throws an Error when the folder cannot be created or another process locks it.
 */
export function openFolder(files: AgentFiles, warn: (sentence: string) => void): FileLock {
  const { folder } = files;
  try {
    makeFolder(folder);
  } catch (cause) {
    throw new Error(`the folder ${folder} cannot be made (${messageOf(cause)}): name another one with --data`, {
      cause,
    });
  }
  const lock = takeFileLock(toLockName(folder));
  if (lock === null) {
    const holder = findFolderHolder(folder);
    const who = holder === null ? 'another process' : `process ${holder}`;
    throw new Error(
      `${who} already uses the Agent folder ${folder}: stop it first (a service: systemctl stop gatehouse-agent)`,
    );
  }
  for (const file of [files.record, files.pending, files.credential, files.status]) {
    removeStaleTempFiles(file);
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

// Which store holds the bearer: the one that was asked for, else the safest that works here; never one by surprise.
import type { Clock } from '#kernel/time/clock.ts';
import type { AgentEnv } from '../config.ts';
import { keyFile, plainFile, sealedFile } from './files.ts';
import { hasSessionBus, secretService, secretServiceFault } from './secret-service.ts';
import type { CredentialStore, StoreKind } from './store.ts';

export interface StorePlaces {
  clock: Clock;
  env: AgentEnv;
  /** The file of the stores that are one. */
  file: string;
}

/** Throws an Error when the store cannot be used at all. */
export function openStore(kind: StoreKind, name: string, { clock, env, file }: StorePlaces): CredentialStore {
  switch (kind) {
    case 'secret-service':
      return secretService(clock, name);
    case 'sealed':
      return sealedFile(file, env.CREDENTIALS_DIRECTORY);
    case 'file':
      return plainFile(file);
  }
}

/** Rejects with an Error that says what to do when the store that was asked for, or any, cannot be used. */
export async function chooseStore(given: StoreKind | undefined, places: StorePlaces): Promise<StoreKind> {
  const { clock, env } = places;
  if (given === 'secret-service') {
    const fault = await secretServiceFault(clock);
    if (fault !== null) {
      throw new Error(fault);
    }
    return given;
  }
  if (given !== undefined) {
    openStore(given, '', places);
    return given;
  }
  if (keyFile(env.CREDENTIALS_DIRECTORY) !== null) {
    openStore('sealed', '', places);
    return 'sealed';
  }
  const fault = hasSessionBus(env) ? await secretServiceFault(clock) : 'there is no session bus';
  if (fault === null) {
    return 'secret-service';
  }
  throw new Error(
    `no credential store can be used here (no key of systemd; ${fault}). Three ways: run this in a desktop session ` +
      'with an unlocked Secret Service; or give the service a key with LoadCredentialEncrypted=agent-key:… ' +
      `(docs/agent.md); or accept a plain file with --store file: ${plainFileCost}`,
  );
}

export const plainFileCost =
  'whoever can read the file can send observations in the name of this machine, and backups of the folder hold it';

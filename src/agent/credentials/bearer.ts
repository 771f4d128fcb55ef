// The bearer in use: rotated without losing the one before, until the hub has accepted the new one.
import type { Credential, CredentialStore } from './store.ts';

export interface Bearer {
  /** What the next request is sent with. */
  token(): string;
  /** The hub accepted a request with `token`: the other one is forgotten. */
  accepted(token: string): Promise<void>;
  /** The hub refused `token`: the next request is sent with the other one, where there are two. True when there are. */
  refused(token: string): boolean;
  /** Stores a new bearer before anybody uses it. */
  replace(token: string): Promise<void>;
}

export function createBearer(store: CredentialStore, stored: Credential): Bearer {
  let credential = stored;
  let token = stored.current;
  const save = async (next: Credential) => {
    await store.save(next);
    credential = next;
  };
  return {
    token: () => token,
    async accepted(used) {
      if (credential.previous !== null) {
        await save({ ...credential, current: used, previous: null });
      }
    },
    refused(used) {
      const { current, previous } = credential;
      if (previous !== null && used === token) {
        token = used === current ? previous : current;
      }
      return previous !== null;
    },
    async replace(next) {
      await save({ ...credential, current: next, previous: token });
      token = next;
    },
  };
}

/** Rejects with an Error when the store holds none. */
export async function loadBearer(store: CredentialStore): Promise<Bearer> {
  return createBearer(store, await loadCredential(store));
}

export async function loadCredential(store: CredentialStore): Promise<Credential> {
  const found = await store.load();
  if (found === null) {
    throw new Error('the credential store holds no bearer of this machine: enrol again with --replace');
  }
  return found;
}

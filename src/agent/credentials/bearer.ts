// The bearer in use: rotated without losing the one before, until the hub has accepted the new one.
import type { Credential, CredentialStore } from './store.ts';

export type Bearer = ReturnType<typeof createBearer>;

export function createBearer(store: CredentialStore, stored: Credential) {
  let credential = stored;
  let token = stored.current;
  const save = async (next: Credential) => {
    await store.save(next);
    credential = next;
  };
  return {
    token: () => token,
    /** The hub accepted a request with `used`: the other bearer is forgotten. */
    async accepted(used: string) {
      if (credential.previous !== null) {
        await save({ ...credential, current: used, previous: null });
      }
    },
    /** The hub refused `used`: the next request is sent with the other bearer, where there are two. True when there are. */
    refused(used: string): boolean {
      const { current, previous } = credential;
      if (previous !== null && used === token) {
        token = used === current ? previous : current;
      }
      return previous !== null;
    },
    /** Stores a new bearer before anybody uses it. */
    async replace(next: string) {
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

// Who is told when a credential stops being valid: whatever holds a connection open on its behalf closes it then.

/** `session:<id>`, `identity:<id>` or `admin-token`: names a credential without giving it away. */
export type CredentialName = `session:${number}` | `identity:${string}` | 'admin-token';

export interface Revocations {
  /** Calls `listener` at once with each credential that is revoked from now on; the result ends that. */
  onRevoked(listener: (credential: CredentialName) => void): () => void;
  announce(credentials: readonly CredentialName[]): void;
}

export function createRevocations(): Revocations {
  const listeners = new Set<(credential: CredentialName) => void>();
  return {
    onRevoked(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    announce(credentials) {
      for (const credential of credentials) {
        for (const listener of [...listeners]) {
          listener(credential);
        }
      }
    },
  };
}

// What a credential store is: one place for the bearer of this machine, replaced whole.
import { z } from 'zod';

export const storeKinds = ['secret-service', 'sealed', 'file'] as const;
export type StoreKind = (typeof storeKinds)[number];

/** The bearer and what belongs to it. A store replaces all of it at once. */
export const credential = z.object({
  requestId: z.string(),
  agentId: z.string(),
  current: z.string(),
  /** The bearer before, until the hub has accepted `current` once. */
  previous: z.string().nullable(),
});
export type Credential = z.output<typeof credential>;

export interface CredentialStore {
  readonly kind: StoreKind;
  /** Null when there is none. Rejects with an Error that says why it cannot be read. */
  load(): Promise<Credential | null>;
  save(value: Credential): Promise<void>;
  remove(): Promise<void>;
}

/** What a store holds was read, and is of no use. A store that cannot be read throws another Error. */
export class DamagedCredential extends Error {}

/** Throws a DamagedCredential that quotes nothing of `text`. */
export function parseCredential(text: string, where: string): Credential {
  try {
    return credential.parse(JSON.parse(text));
  } catch {
    throw new DamagedCredential(`the credential in ${where} is damaged: enrol again with --replace`);
  }
}

export const storeNames: Readonly<Record<StoreKind, string>> = {
  'secret-service': 'the Secret Service of the desktop session',
  sealed: 'a file sealed with the key that systemd delivers',
  file: 'a plain file that its owner alone can read',
};

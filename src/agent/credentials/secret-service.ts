// The Secret Service of a desktop session (GNOME Keyring, KWallet, KeePassXC) through @napi-rs/keyring.
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { AsyncEntry } from '@napi-rs/keyring';
import { messageOf } from '#kernel/errors.ts';
import { createId } from '#kernel/text/secret.ts';
import { visibleText } from '#kernel/text/visible-text.ts';
import { type Clock, withDeadline } from '#kernel/time/clock.ts';
import { agentProgramLimits as limits } from '../limits.ts';
import { type CredentialStore, parseCredential } from './store.ts';

const service = 'gatehouse-agent';

/**
 * Pinned: without this the library falls back to the kernel's keyring by itself, which is in memory and empty after a
 * restart of the machine.
 */
const pinned = { linux: { store: 'secret-service' } } as const;

export interface SessionBus {
  DBUS_SESSION_BUS_ADDRESS?: string | undefined;
  XDG_RUNTIME_DIR?: string | undefined;
}

/** Whether there is a session bus that a Secret Service could be at. */
export function hasSessionBus({ DBUS_SESSION_BUS_ADDRESS, XDG_RUNTIME_DIR }: SessionBus): boolean {
  return Boolean(DBUS_SESSION_BUS_ADDRESS) || (!!XDG_RUNTIME_DIR && existsSync(path.join(XDG_RUNTIME_DIR, 'bus')));
}

/** The entry `name`. Every call rejects with an Error that says what to do when the service does not answer. */
export function secretService(clock: Clock, name: string): CredentialStore {
  const ask = <T>(use: (entry: AsyncEntry, signal: AbortSignal) => Promise<T>): Promise<T> => asked(clock, name, use);
  return {
    kind: 'secret-service',
    async load() {
      const text = await ask((entry, signal) => entry.getPassword(signal));
      return text === null || text === undefined ? null : parseCredential(text, 'the Secret Service');
    },
    save: (value) => ask((entry, signal) => entry.setPassword(JSON.stringify(value), signal)),
    async remove() {
      await ask((entry, signal) => entry.deleteCredential(signal));
    },
  };
}

/** Stores something, reads it back and removes it: null when that works, else why not. */
export async function secretServiceFault(clock: Clock): Promise<string | null> {
  const probe = `probe-${createId()}`;
  try {
    const found = await asked(clock, probe, async (entry, signal) => {
      await entry.setPassword(probe, signal);
      const text = await entry.getPassword(signal);
      await entry.deleteCredential(signal);
      return text;
    });
    return found === probe ? null : 'the Secret Service does not return what was stored in it';
  } catch (error) {
    return messageOf(error);
  }
}

async function asked<T>(
  clock: Clock,
  name: string,
  use: (entry: AsyncEntry, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { AsyncEntry } = await library();
  const late = () => new Error('the Secret Service does not answer: unlock it, and try again');
  try {
    return await withDeadline(clock, limits.storeMs, late, undefined, (signal) =>
      use(new AsyncEntry(service, name, pinned), signal),
    );
  } catch (error) {
    const said = visibleText(messageOf(error), 300, ' ');
    throw new Error(`the Secret Service cannot be used (${said}): unlock it, or choose another store`, {
      cause: error,
    });
  }
}

async function library(): Promise<typeof import('@napi-rs/keyring')> {
  try {
    return await import('@napi-rs/keyring');
  } catch (cause) {
    throw new Error('the package @napi-rs/keyring, which speaks to the Secret Service, is not installed here', {
      cause,
    });
  }
}

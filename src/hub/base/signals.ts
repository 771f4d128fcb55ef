// What happened in one feature and concerns others that it does not know: typed, synchronous, in the order of listening.
import type { Log } from '#kernel/process/log.ts';
import type { NewDevice } from './new-device.ts';

/** `session:<id>`, `identity:<id>`, `agent:<id>` or `admin-token`: names a credential without giving it away. */
export type CredentialName = `session:${number}` | `identity:${string}` | `agent:${string}` | 'admin-token';

/** Name of each signal → what it carries. */
export interface SignalData {
  /** A credential ended: whatever holds a connection open on its behalf closes it. */
  credentialRevoked: CredentialName;
  /** Keys of alerts that the chat workspace has taken; sent after the commit. */
  alertsDelivered: readonly string[];
  /** The clock was ahead and is right again: what waits for a time that lay too late looks again. */
  clockCorrected: undefined;
  /** Parts of the log were erased, so answers that were computed before must not be given again. */
  logErased: undefined;
  /** Addresses whose host name, country or organisation became known. */
  destinationsDiscovered: readonly string[];
  /** A device was seen for the first time; sent after the commit, once per device. */
  deviceAppeared: NewDevice;
  /** Addresses, interfaces or names of devices changed, or a decision about them was made. */
  devicesChanged: undefined;
}

export interface Signals {
  /** Calls `listener` at each `name` from now on; the result ends that. What it throws is logged and stops nobody. */
  on<N extends keyof SignalData>(name: N, listener: (data: SignalData[N]) => void): () => void;
  emit<N extends keyof SignalData>(name: N, ...data: SignalData[N] extends undefined ? [] : [SignalData[N]]): void;
}

export function createSignals(log: Log): Signals {
  const listeners = new Map<keyof SignalData, Set<(data: never) => void>>();
  return {
    on(name, listener) {
      const set = listeners.get(name) ?? new Set();
      listeners.set(name, set.add(listener));
      return () => void set.delete(listener);
    },
    emit(name, ...[data]) {
      for (const listener of [...(listeners.get(name) ?? [])]) {
        try {
          listener(data as never);
        } catch (error) {
          log.error({ err: error, signal: name }, 'a listener of a signal failed');
        }
      }
    },
  };
}

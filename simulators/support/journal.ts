// The journal every simulator keeps: what arrived and happened, bounded in length, with secrets masked on the way in.
import type { Clock } from '#kernel/time/clock.ts';
import type { Entry } from './simulator.ts';

export interface Journal {
  readonly entries: readonly Entry[];
  add(kind: string, details?: Record<string, unknown>): void;
  clear(): void;
}

export interface JournalOptions {
  clock: Clock;
  /** Texts that must never appear in an entry; asked for at each write because they may change. */
  secrets: () => readonly string[];
  onEntry?: ((entry: Entry) => void) | undefined;
}

const longest = 10_000;

/** Keeps the newest 10,000 entries. */
export function createJournal({ clock, secrets, onEntry }: JournalOptions): Journal {
  const entries: Entry[] = [];
  const mask = (value: unknown): unknown => {
    if (typeof value !== 'string') {
      return value;
    }
    return secrets()
      .filter((secret) => secret !== '')
      .reduce((text, secret) => text.replaceAll(secret, '***'), value);
  };
  return {
    entries,
    add(kind, details = {}) {
      const masked = Object.fromEntries(Object.entries(details).map(([name, value]) => [name, mask(value)]));
      const entry = { at: clock.now(), kind, ...masked };
      entries.push(entry);
      if (entries.length > longest) {
        entries.splice(0, entries.length - longest);
      }
      onEntry?.(entry);
    },
    clear: () => {
      entries.length = 0;
    },
  };
}

// Partial updates of settings.

/** Some of the settings `S`; an undefined field is unchanged. */
export type Changes<S> = { [K in keyof S]?: S[K] | undefined };

export function withChanges<S extends object>(settings: S, changes: Changes<S>): S {
  return { ...settings, ...Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) };
}

/** Calls `publish` with each value whose JSON differs from the one before; `first` counts as published. */
export function onlyChanges<T>(publish: (value: T) => void, first?: T): (value: T) => void {
  let last = JSON.stringify(first);
  return (value) => {
    const text = JSON.stringify(value);
    if (text !== last) {
      last = text;
      publish(value);
    }
  };
}

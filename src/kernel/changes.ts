// Partial updates of settings.

/** Some of the settings `S`; an undefined field is unchanged. */
export type Changes<S> = { [K in keyof S]?: S[K] | undefined };

/** `settings` with the defined fields of `changes`. */
export function withChanges<S extends object>(settings: S, changes: Changes<S>): S {
  return { ...settings, ...Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) };
}

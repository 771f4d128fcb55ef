// Settings of which a request names some.

/** Some of the settings `S`; a field that is undefined is not given. */
export type Changes<S> = { [K in keyof S]?: S[K] | undefined };

/** `settings` with the fields of `changes` that are given. */
export function withChanges<S extends object>(settings: S, changes: Changes<S>): S {
  return { ...settings, ...Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) };
}

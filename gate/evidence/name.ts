// Names of the people who measure or attest evidence.

/** The name of a person: 2 to 100 letters, digits, spaces and marks of names. */
export function isName(value: unknown): value is string {
  return typeof value === 'string' && /^\p{L}[\p{L}\p{N} .'-]{0,98}[\p{L}\p{N}.]$/u.test(value);
}

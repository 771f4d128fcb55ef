// Readers of untrusted JSON: another shape counts as absent and never throws.

/** `value` when it is a JSON object; `undefined` for anything else, such as an array. */
export function toObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

/** The members of a JSON object; an empty object for anything else. */
export function toMembers(value: unknown): Readonly<Record<string, unknown>> {
  return toObject(value) ?? {};
}

/** The strings of a JSON array; an empty list for anything else. */
export function toTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

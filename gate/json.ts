// JSON that others wrote: what is none, or has another shape, is absent, and never an error.

/** The value in `text`; `undefined` when it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) {
      return undefined;
    }
    throw error;
  }
}

/** The object that `value` is; `undefined` when it is something else, such as an array. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

/** Members of a JSON object; of anything else none. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return objectOf(value) ?? {};
}

/** The strings of a JSON array; of anything else none. */
export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

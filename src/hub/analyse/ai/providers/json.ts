// Reads JSON that AI providers answer: a member of another type counts as absent.

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses a JSON object; null for anything else. */
export function parseObject(text: string): JsonObject | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return isObject(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

/** Returns the member `name` if it is an object, else an empty object. */
export function readObject(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isObject(value) ? value : {};
}

/** Returns the objects in the list `name`; an empty list if the member is no list. */
export function readObjects(object: JsonObject, name: string): JsonObject[] {
  const value = object[name];
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Joins the texts of the member `name` of all objects, and trims the result. */
export function joinTexts(objects: readonly JsonObject[], name: string): string {
  const texts = objects.map((object) => readText(object, name));
  return texts.join('').trim();
}

/** Returns the member `name` if it is a text, else an empty text. */
export function readText(object: JsonObject, name: string): string {
  const value = object[name];
  return typeof value === 'string' ? value : '';
}

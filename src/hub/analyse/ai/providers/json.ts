// Reads JSON from other programs: a member of another type counts as absent.

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object in a text; null when there is none. */
export function parseObject(text: string): JsonObject | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return isObject(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

/** The object of a member; empty when it is none. */
export function readObject(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isObject(value) ? value : {};
}

/** The objects in the list of a member; empty when it is no list. */
export function readObjects(object: JsonObject, name: string): JsonObject[] {
  const value = object[name];
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Joins the texts of the member `name` of all objects. Trimmed; empty when there is none. */
export function joinTexts(objects: readonly JsonObject[], name: string): string {
  const texts = objects.map((object) => readText(object, name));
  return texts.join('').trim();
}

/** The text of a member; empty when it is none. */
export function readText(object: JsonObject, name: string): string {
  const value = object[name];
  return typeof value === 'string' ? value : '';
}

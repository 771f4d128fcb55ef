// The facts in a prompt: JSON between a line `<facts>` and a line `</facts>`, and what can be looked up in them.

/** `absent`: no such lines; `unreadable`: no JSON between them. */
export type FoundFacts = { kind: 'absent' } | { kind: 'unreadable' } | { kind: 'read'; facts: unknown };

/** Those of the last pair of lines: earlier turns of a conversation may hold some too. */
export function findFacts(prompt: string): FoundFacts {
  const lines = prompt.split(/\r?\n/).map((line) => line.trim());
  const end = lines.lastIndexOf('</facts>');
  const start = lines.lastIndexOf('<facts>', end);
  if (end < 0 || start < 0) {
    return { kind: 'absent' };
  }
  try {
    return { kind: 'read', facts: JSON.parse(lines.slice(start + 1, end).join('\n')) };
  } catch {
    return { kind: 'unreadable' };
  }
}

/** The value of the first member with one of the names, nearest to the top first; undefined when there is none. */
export function lookUp(facts: unknown, ...names: readonly string[]): unknown {
  let level: unknown[] = [facts];
  while (level.length > 0) {
    for (const one of level) {
      const name = isObject(one) ? names.find((each) => Object.hasOwn(one, each) && one[each] !== null) : undefined;
      if (isObject(one) && name !== undefined) {
        return one[name];
      }
    }
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
  return undefined;
}

export function listTexts(facts: unknown): string[] {
  if (typeof facts === 'string') {
    return [facts];
  }
  return typeof facts === 'object' && facts !== null ? Object.values(facts).flatMap(listTexts) : [];
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

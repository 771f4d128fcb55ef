// Host names as they may be shown: what others publish is text of strangers.

/** Lower case without a dot at the end, letters, digits, `-`, `_` and `.`, at least one letter; `null` for anything else. */
export function parseHostName(text: string): string | null {
  const name = text.toLowerCase().replace(/\.$/, '');
  return name.length <= 253 && /^(?=.*[a-z])[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9])?$/.test(name) && !name.includes('..')
    ? name
    : null;
}

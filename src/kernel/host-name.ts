// Host names as they may be shown: what others publish is text of strangers.

/** Lower case without a dot at the end, letters, digits, `-`, `_` and `.`, at least one letter; `null` for anything else. */
export function parseHostName(text: string): string | null {
  const name = text.toLowerCase().replace(/\.$/, '');
  return name.length <= 253 && /^(?=.*[a-z])[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9])?$/.test(name) && !name.includes('..')
    ? name
    : null;
}

/** A name as somebody wrote it, to be shown: without control and direction characters; `null` when nothing is left. */
export function parseLabel(text: string): string | null {
  const label = text
    .replace(/[\p{C}\u2028\u2029]+/gu, ' ')
    .trim()
    .slice(0, 128);
  return label === '' ? null : label;
}

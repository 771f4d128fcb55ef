// Shortens a text to a length.

/** At most `length` UTF-16 units: a longer text ends with `…`, and no character is cut in two. */
export function clipText(text: string, length: number): string {
  if (text.length <= length) {
    return text;
  }
  const cut = text.slice(0, length - 1);
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

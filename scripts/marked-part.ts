// Parts of documents that `npm run pins` writes, each between two marks.
const end = '<!-- end -->';

/** Returns `document` with `text` between the mark that names `source` and the next end. Throws when a mark is missing. */
export function replaceMarkedPart(document: string, source: string, text: string): string {
  const begin = `<!-- Written by npm run pins from ${source}: begin -->`;
  const from = document.indexOf(begin);
  const to = document.indexOf(end, from);
  if (from < 0 || to < 0) {
    throw new Error(`a document lacks ${from < 0 ? begin : end}`);
  }
  return `${document.slice(0, from + begin.length)}\n\n${text}\n\n${document.slice(to)}`;
}

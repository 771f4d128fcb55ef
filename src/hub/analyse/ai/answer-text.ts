// The text of an answer as it is stored and shown: lines of visible characters, of a length that a person reads.
import { visibleText } from '#kernel/text/visible-text.ts';

/** UTF-16 units. 2,048 tokens are fewer; a server of the network may send anything. */
const longest = 32_768;

/** Line ends stay; what is invisible is left out. `isCut`: it was longer. Never empty. */
export function toVisibleAnswer(text: string): { text: string; isCut: boolean } {
  const isCut = text.length > longest;
  const lines = text.slice(0, longest).split(/\r\n?|\n|\u2028|\u2029|\u0085/);
  const visible = lines.map((line) => visibleText(line.replaceAll('\t', '  '), longest, '').trimEnd());
  const joined = visible
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return { text: joined === '' ? '\ufffd' : joined, isCut };
}

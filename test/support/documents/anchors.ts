// Anchors of headings, by the rule of GitHub, and citations of them in sources and documents.
import type { Mention } from './mentions.ts';

/** The anchors of a document. A heading that repeats an earlier one gets a number behind it. */
export function findAnchors(source: string): ReadonlySet<string> {
  const used = new Map<string, number>();
  const anchors = new Set<string>();
  for (const [, heading = ''] of withoutBlocks(source).matchAll(/^#{1,6}[ \t]+(.*)$/gm)) {
    const anchor = toAnchor(heading);
    const repeats = used.get(anchor) ?? 0;
    used.set(anchor, repeats + 1);
    anchors.add(repeats === 0 ? anchor : `${anchor}-${repeats}`);
  }
  return anchors;
}

/** Lower case, letters and digits of any script, `-` and `_`; blanks become hyphens, and links are their text. */
function toAnchor(heading: string): string {
  return heading
    .trim()
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');
}

/** Pages of the reference that a text names from the root of the repository, with or without an anchor. */
export function referenceMentions(source: string): readonly Mention[] {
  return [...source.matchAll(/\bdocs\/reference\/[\w./-]+\.md(?:#[\p{L}\p{N}_-]*)?/gu)].map(({ 0: text, index }) => ({
    line: lineAt(source, index),
    text,
  }));
}

/** Links of a document to a heading, of this document or of another one: `file.md#anchor`, `#anchor`. */
export function headingLinks(source: string): readonly Mention[] {
  return [...withoutBlocks(source).matchAll(/(?<=\]\()(?![a-z]+:)[^)\s#]*#[^)\s]+/g)].map(({ 0: text, index }) => ({
    line: lineAt(source, index),
    text,
  }));
}

function lineAt(source: string, index: number): number {
  return source.slice(0, index).split('\n').length;
}

/** The same text, with blanks where fenced blocks are. */
function withoutBlocks(source: string): string {
  return source.replace(/^[ \t]*```[\s\S]*?^[ \t]*```/gm, (block) => block.replace(/[^\n]/g, ' '));
}

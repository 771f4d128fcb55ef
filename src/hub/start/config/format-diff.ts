// Formats the difference of two texts as `diff -u` does.
import { diff } from 'node:util';

/** Number of unchanged lines that are shown before and after a change. */
const around = 3;

interface Line {
  sign: ' ' | '-' | '+';
  text: string;
}

/** Empty when the texts are equal. */
export function formatDiff(before: string, after: string, names: { before: string; after: string }): string {
  if (before === after) {
    return '';
  }
  const lines = listLines(before.split('\n'), after.split('\n'));
  const near = (at: number) => lines.slice(Math.max(0, at - around), at + around + 1).some(({ sign }) => sign !== ' ');
  const hunks: string[] = [];
  let [old, next] = [1, 1];
  for (let at = 0; at < lines.length; at += 1) {
    const start = at;
    while (at < lines.length && near(at)) {
      at += 1;
    }
    const hunk = lines.slice(start, at);
    const [olds, nexts] = [count(hunk, '+'), count(hunk, '-')];
    if (hunk.length > 0) {
      hunks.push(`@@ -${old},${olds} +${next},${nexts} @@`, ...hunk.map(({ sign, text }) => `${sign}${text}`));
    }
    // The line after a hunk is unchanged.
    [old, next] = [old + olds + 1, next + nexts + 1];
  }
  return [`--- ${names.before}`, `+++ ${names.after}`, ...hunks, ''].join('\n');
}

/** Counts the lines of one side, which are all but those with the sign of the other side. */
function count(hunk: readonly Line[], other: '-' | '+'): number {
  return hunk.filter(({ sign }) => sign !== other).length;
}

/** Removed lines come before those that replace them. */
function listLines(before: readonly string[], after: readonly string[]): Line[] {
  const lines: Line[] = [];
  let added: Line[] = [];
  for (const [side, text] of diff(after, before)) {
    if (side === 1) {
      added.push({ sign: '+', text });
    } else {
      if (side === 0) {
        lines.push(...added);
        added = [];
      }
      lines.push({ sign: side === 0 ? ' ' : '-', text });
    }
  }
  return [...lines, ...added];
}

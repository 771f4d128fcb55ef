// Keeps the scores of the areas in docs/testing.md, a row for each.
import { readFileSync } from 'node:fs';
import { writeText } from '#kernel/files/files.ts';

const file = 'docs/testing.md';

/** Puts the row of an area in place of its earlier one, or below the last one. */
export function writeScore(area: string, row: string): void {
  writeText(file, withRow(readFileSync(file, 'utf8'), area, row));
}

export function withRow(text: string, area: string, row: string): string {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => line.startsWith(`| ${area} |`));
  const last = lines.findLastIndex((line) => / \d+ % \| \d+ of \d+/.test(line));
  if (at === -1 && last === -1) {
    throw new Error(`${file} has no table of scores`);
  }
  lines.splice(at === -1 ? last + 1 : at, at === -1 ? 0 : 1, row);
  return lines.join('\n');
}

// Keeps the scores of the areas in docs/testing.md, a row for each.
import { readFileSync } from 'node:fs';
import { writeText } from '#kernel/files.ts';

const file = 'docs/testing.md';

/** Puts the row of an area in place of its earlier one. Throws when the table has none. */
export function writeScore(area: string, row: string): void {
  writeText(file, withRow(readFileSync(file, 'utf8'), area, row));
}

export function withRow(text: string, area: string, row: string): string {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => line.startsWith(`| ${area} |`));
  if (at === -1) {
    throw new Error(`${file} has no row for ${area}: add one to the table of scores.`);
  }
  lines[at] = row;
  return lines.join('\n');
}

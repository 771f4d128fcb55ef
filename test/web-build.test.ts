// The built web UI: small enough, nothing of the hub in it, nothing inline, nothing from elsewhere.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { builtWeb } from './support/web-build.ts';

const folder = builtWeb();
const page = readFileSync(path.join(folder, 'index.html'), 'utf8');
const scripts = globSync('assets/*.js', { cwd: folder });
const textOf = (file: string) => readFileSync(path.join(folder, file), 'utf8');
/** KiB over the wire. */
const sizeOf = (files: readonly string[]) =>
  files.reduce((sum, file) => sum + gzipSync(textOf(file), { level: 9 }).length, 0) / 1024;

/** What is loaded before anything is shown: the script of the page, the overview, and what these import. */
function firstView(): string[] {
  const wanted = scripts.filter((file) => page.includes(path.basename(file)) || /\/overview-/.test(file));
  // The page also names what its script and a place share.
  expect(wanted.length).toBeGreaterThanOrEqual(2);
  const all = new Set(wanted);
  for (const file of all) {
    for (const [, name = ''] of textOf(file).matchAll(/(?:from|import)\s*["']\.\/([\w-]+\.js)["']/g)) {
      all.add(`assets/${name}`);
    }
  }
  return [...all];
}

test('the first view loads at most 40 KiB of JavaScript, all places together 145 KiB, Japanese 46 KiB more', () => {
  const japanese = scripts.filter((file) => path.basename(file).startsWith('ja'));
  expect(japanese).not.toEqual([]);
  expect(sizeOf(firstView())).toBeLessThan(40);
  expect(sizeOf(scripts) - sizeOf(japanese)).toBeLessThan(145);
  // Measured: 37.4.
  expect(sizeOf(japanese)).toBeLessThan(46);
});

test('only types come from the contract: no chunk has schemas or other code of the hub', () => {
  expect(scripts.filter((file) => /ZodError|better-sqlite3|node:/.test(textOf(file)))).toEqual([]);
});

test('the page has no script or style within it, and names no other origin', () => {
  const elements = [...page.matchAll(/<(script|style)\b([^>]*)>([^<]*)/g)];
  expect(elements.map(([, name]) => name)).toEqual(['script']);
  expect(
    elements.filter(([, , attributes = '', text = '']) => !/\bsrc=/.test(attributes) || text.trim() !== ''),
  ).toEqual([]);
  expect(page).not.toMatch(/\son\w+=|\sstyle=|javascript:|(?:src|href)="(?:https?:)?\/\//);
  const styles = globSync('assets/*.css', { cwd: folder }).map(textOf);
  expect(styles.filter((text) => /@import|url\((?!["']?data:)/.test(text))).toEqual([]);
});

test('each file that is compressed ahead is the file', () => {
  const files = globSync('assets/*.{js,css,svg,json}', { cwd: folder });
  for (const ending of ['br', 'gz']) {
    expect(globSync(`assets/*.${ending}`, { cwd: folder }).sort()).toEqual(
      files.map((one) => `${one}.${ending}`).sort(),
    );
  }
});

// Every module that exports a reader of outside text or bytes has a target, or a reason why not.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../support/program.ts';
import { leftOut, readerName } from './inventory.ts';
import { corpusFolder } from './target.ts';
import { targets } from './targets.ts';

const filesUnder = (folder: string) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`);
const modules = ['src', 'gate', 'simulators']
  .flatMap(filesUnder)
  .filter((file) => file.endsWith('.ts') && !file.startsWith('src/web/'));
const fuzzed = new Set(targets.flatMap((target) => target.modules));
const isLeftOut = (file: string) =>
  Object.keys(leftOut).some((place) => file === place || file.startsWith(`${place}/`));
const readersIn = (text: string) => [...text.matchAll(readerName)].map(([, name]) => name);

/** Modules that export a reader and are named nowhere. */
function forgotten(texts: ReadonlyMap<string, string>): string[] {
  return [...texts]
    .filter(([file, text]) => readersIn(text).length > 0 && !fuzzed.has(file) && !isLeftOut(file))
    .map(([file]) => file);
}

const texts = new Map(modules.map((file) => [file, readFileSync(path.join(root, file), 'utf8')]));

test('no module with a reader is forgotten', () => {
  expect(forgotten(texts)).toEqual([]);
  expect(forgotten(new Map([['src/hub/new/word.ts', 'export function parseWord(text: string) {}']]))).toEqual([
    'src/hub/new/word.ts',
  ]);
  expect(forgotten(new Map([['src/hub/new/word.ts', 'export function createWordReader() {}']]))).toHaveLength(1);
});

test('what is named is there, once, and has a seed', () => {
  const missing = [...fuzzed, ...Object.keys(leftOut)].filter(
    (place) => !modules.some((file) => file === place || file.startsWith(`${place}/`)),
  );
  expect(missing).toEqual([]);
  expect(Object.keys(leftOut).filter((file) => fuzzed.has(file))).toEqual([]);
  expect(new Set(targets.map(({ name }) => name)).size).toBe(targets.length);
  expect(targets.filter(({ seeds }) => seeds.length === 0)).toEqual([]);
});

test('each folder of the corpus is of a target', () => {
  const names = new Set(targets.map(({ name }) => name));
  expect(readdirSync(corpusFolder).filter((name) => !names.has(name))).toEqual([]);
});

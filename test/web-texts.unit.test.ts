// The texts of the page: English sentences that are short, and Japanese ones that are Japanese in words and punctuation.
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';

const folder = new URL('../src/web/text/', import.meta.url);
const places = readdirSync(folder, { withFileTypes: true }).flatMap((one) =>
  one.isDirectory() ? [`${one.name}/`] : [],
);

/** Stands for any value of a text: a list, which is written as its only element, and as which each property is written. */
const anyValue: unknown = new Proxy(['§'], {
  get: (list, name) => (typeof name === 'symbol' || name in list ? Reflect.get(list, name) : anyValue),
});

/** The texts by key. A function is called with `anyValue` for each of its values. */
function listTexts(value: unknown, key = ''): [key: string, text: string][] {
  if (typeof value === 'function') {
    return listTexts((value as (...values: unknown[]) => unknown)(...Array(value.length).fill(anyValue)), key);
  }
  return typeof value === 'string'
    ? [[key, value]]
    : Object.entries(value as object).flatMap(([name, one]) => listTexts(one, `${key}.${name}`));
}

/** Imported by a computed name: the types of the page need a browser. */
async function loadLanguage(language: 'en' | 'ja') {
  const load = async (place: string) =>
    Object.values((await import(`${folder.href}${place}${language}.ts`)) as object)[0];
  const all = await Promise.all(['', ...places].map(async (place) => [place, await load(place)] as const));
  return listTexts(Object.fromEntries(all));
}

const english = await loadLanguage('en');
const japanese = new Map(await loadLanguage('ja'));
const letter = '[\\u3040-\\u30ff\\u4e00-\\u9fff]';

test('an English sentence has at most 25 words', () => {
  const sentences = english.flatMap(([key, text]) => text.split(/(?<=[.?!]) /).map((one) => `${key}: ${one}`));
  expect(sentences.length).toBeGreaterThan(500);
  expect(sentences.filter((one) => one.split(' ').length > 26)).toEqual([]);
});

test('a text of more than one English word is Japanese too', () => {
  const isName = /^(?:[A-Z][\w.]*|§|\(.*\)|DROP|IOS|RTX)(?: (?:[A-Z][\w.]*|§|\(.*\)|DROP|IOS|RTX))*$/;
  const left = english.filter(([key, text]) => {
    const other = japanese.get(key) ?? '';
    return /[a-z]{2} /.test(text) && !isName.test(text) && !new RegExp(letter).test(other);
  });
  expect(left).toEqual([]);
});

test('Japanese has full-width punctuation where its own words stand beside it', () => {
  const halfWidth = new RegExp(`${letter}[?!,;]|\\([^()]*${letter}[^()]*\\)`);
  expect([...japanese].filter(([, text]) => halfWidth.test(text))).toEqual([]);
});

// The texts of the page: English sentences that are short, and Japanese ones that are Japanese in words and punctuation.
import { expect, test } from 'vitest';
import { en as ai } from '../src/web/text/ai/en.ts';
import { ja as aiJa } from '../src/web/text/ai/ja.ts';
import { en } from '../src/web/text/en.ts';
import { en as frame } from '../src/web/text/frame/en.ts';
import { ja as frameJa } from '../src/web/text/frame/ja.ts';
import { en as insights } from '../src/web/text/insights/en.ts';
import { ja as insightsJa } from '../src/web/text/insights/ja.ts';
import { ja } from '../src/web/text/ja.ts';
import { en as log } from '../src/web/text/log/en.ts';
import { ja as logJa } from '../src/web/text/log/ja.ts';
import { en as map } from '../src/web/text/map/en.ts';
import { ja as mapJa } from '../src/web/text/map/ja.ts';
import { en as reference } from '../src/web/text/reference/en.ts';
import { ja as referenceJa } from '../src/web/text/reference/ja.ts';
import { en as settings } from '../src/web/text/settings/en.ts';
import { ja as settingsJa } from '../src/web/text/settings/ja.ts';

/** The texts by key. A function is called with a list for each value, which is written as its only element. */
function listTexts(value: unknown, key = ''): [key: string, text: string][] {
  if (typeof value === 'function') {
    return listTexts((value as (...values: unknown[]) => unknown)(...Array(value.length).fill(['§'])), key);
  }
  return typeof value === 'string'
    ? [[key, value]]
    : Object.entries(value as object).flatMap(([name, one]) => listTexts(one, `${key}.${name}`));
}

const english = listTexts({ en, ai, frame, insights, log, map, reference, settings });
const japanese = new Map(
  listTexts({
    ...{ en: ja, ai: aiJa, frame: frameJa, insights: insightsJa },
    ...{ log: logJa, map: mapJa, reference: referenceJa, settings: settingsJa },
  }),
);
const letter = '[\\u3040-\\u30ff\\u4e00-\\u9fff]';

test('an English sentence has at most 25 words', () => {
  const sentences = english.flatMap(([key, text]) => text.split(/(?<=[.?!]) /).map((one) => `${key}: ${one}`));
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

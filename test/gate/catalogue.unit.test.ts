// The catalogue of mistakes holds together: it is about checks that there are, and no check is left out.
import { expect, test } from 'vitest';
import { checkDescriptions } from '#gate/checks.ts';
import { collectors } from '#gate/collect/collectors.ts';
import { mistakes } from './mistakes/catalogue.ts';
import { remedied } from './mistakes/remedied.ts';

const checks = new Set(checkDescriptions.map(({ id }) => id));
const collected = new Set(collectors.map(({ name }) => name));
const makers = ['operator', 'endpoint', 'proxy', 'issuer', 'network', 'evidence'];
const twice = (values: readonly string[]) => values.filter((value, index) => values.indexOf(value) !== index);

test('every mistake has a maker, a sentence of its own, and checks that there are', () => {
  const wrong = mistakes.filter(({ id, sentence, red, collector }) => {
    const [maker = '', what] = id.split('.');
    const isNamed = makers.includes(maker) && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(what ?? '');
    const isFound = collector === undefined ? red.length > 0 : red.length === 0 && collected.has(collector);
    return !isNamed || sentence.endsWith('.') || !isFound || red.some((check) => !checks.has(check));
  });
  expect(wrong).toEqual([]);
  expect(twice(mistakes.map(({ id }) => id))).toEqual([]);
  expect(twice(mistakes.map(({ sentence }) => sentence))).toEqual([]);
});

test('no check is without a mistake that turns it red', () => {
  const red = new Set(mistakes.flatMap((mistake) => mistake.red));
  expect([...checks].filter((check) => !red.has(check))).toEqual([]);
});

test('every remedy mends a mistake of the catalogue that turns its check red', () => {
  const found = (check: string) => mistakes.find(({ id }) => id === remedied[check])?.red ?? [];
  expect(Object.keys(remedied)).toEqual([...checks]);
  expect([...checks].filter((check) => !found(check).includes(check))).toEqual([]);
});

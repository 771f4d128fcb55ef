// How the hub is composed is checked, and each rule is shown to fire on a planted violation.
import { describe, expect, test } from 'vitest';
import { featureViolations } from '../scripts/feature-rules.ts';
import { readSources } from '../scripts/sources.ts';

test('the hub follows the rules, and the scan saw its features', () => {
  const sources = readSources();
  expect([...sources.keys()].filter((file) => file.endsWith('/feature.ts')).length).toBeGreaterThan(15);
  expect(featureViolations(sources)).toEqual([]);
});

const list = 'src/hub/features.ts';
const toy = 'src/hub/toy/feature.ts';

describe('a planted violation is found', () => {
  const planted: readonly [string, Record<string, string>, RegExp][] = [
    ['a file at the root', { 'src/hub/knowing.ts': '' }, /src\/hub has only main/],
    [
      'a feature that nobody starts',
      { [toy]: 'export function startToyFeature() {\n}\n' },
      /does not call startToyFeature/,
    ],
    [
      'a feature with two starts',
      {
        [toy]: 'export function startToyFeature() {\n}\nexport function startMore() {\n}\n',
        [list]: 'startToyFeature(',
      },
      /exports startToyFeature, startMore/,
    ],
    ['a feature without a start', { [toy]: 'export const toy = 1;\n' }, /this exports none/],
    ['a long function', { [list]: `export function f() {\n${'  g();\n'.repeat(38)}}\n` }, /f has 40 lines/],
    [
      'a closure over what comes later',
      { [list]: 'export function f() {\n  const a = use(() => b.x);\n  const b = use(a);\n}\n' },
      /b is used before it is defined/,
    ],
    [
      'a closure over what is being made',
      {
        [toy]: 'export function startToyFeature() {\n  const a = make({\n    on: () => a.x,\n  });\n  return a;\n}\n',
        [list]: 'startToyFeature(',
      },
      /a is used before it is defined/,
    ],
    [
      'a part of what is taken apart',
      { [list]: 'export function f() {\n  g(() => two);\n  const { one, ...two } = use();\n}\n' },
      /two is used before it is defined/,
    ],
  ];
  test.each(planted)('%s', (_name, files, sentence) => {
    const found = featureViolations(new Map(Object.entries(files)));
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(sentence);
  });

  test('what the rules allow is not', () => {
    const text = `export function startToyFeature({ clock }: Base): Feature {
  // toy is named in a comment before it is there
  const settings = { toy: 1, clock };
  const toy = createToy({ toy: settings.toy, clock });
  return { toy };
}
`;
    const allowed = { [toy]: text, [list]: 'startToyFeature(', 'src/hub/main.ts': '' };
    expect(featureViolations(new Map(Object.entries(allowed)))).toEqual([]);
  });
});

// What the page says when the hub refuses: "no permission" only where a right is missing, else why.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { describeRefusal, isForbidden, type RefusalWords } from '../src/web/parts/refusal.ts';
import { en } from '../src/web/text/en.ts';
import { ja } from '../src/web/text/ja.ts';

/** Imported by computed names: the types of the page need a browser. */
const hubWords = async (language: string): Promise<RefusalWords> =>
  ((await import(`../src/web/text/hub/${language}.ts`)) as Record<string, RefusalWords>)[language] as RefusalWords;
const [english, japanese] = [await hubWords('en'), await hubWords('ja')];
const refusal = (code: string, message = 'why the hub refused') => ({ code, message, details: {} });

const codesOf403 =
  readFileSync(new URL('pins/errors.txt', import.meta.url), 'utf8')
    .match(/^\w+(?= +403$)/gm)
    ?.concat('unknown') ?? [];

test.each(codesOf403)(
  'of a refusal with 403 and the code %s the page says that a right is missing, or its own words',
  (code) => {
    const noRight = [en, ja].map((page) => `${page.forbiddenAction} ${page.forbiddenHelp}`);
    const said = [describeRefusal(refusal(code), en, english), describeRefusal(refusal(code), ja, japanese)];
    expect(isForbidden(refusal(code))).toBe(code === 'forbidden');
    if (code === 'forbidden') {
      expect(said).toEqual(noRight.map((sentence) => [sentence, '']));
      return;
    }
    expect(said[0]).toEqual(['why the hub refused', '']);
    expect(said[1]?.[0]).toMatch(/。$/);
    expect(noRight).not.toContain(said[1]?.[0]);
  },
);

test('one that lacks the reason is followed by it in Japanese where the hub gives its code', () => {
  const details = { errorFacts: [{ code: 'backup_not_written', values: { cause: 'no_space', detail: 'ENOSPC' } }] };
  expect(describeRefusal({ ...refusal('backup_failed'), details }, ja, japanese)).toEqual([
    'バックアップできませんでした。何も保存していません。ディスクの空きがありません。',
    '',
  ]);
  expect(describeRefusal({ ...refusal('backup_failed'), details }, en, english)).toEqual(['why the hub refused', '']);
});

test('a whole sentence stands alone, one that lacks the reason is followed by it, and the page speaks for itself', () => {
  const say = (code: string) => describeRefusal(refusal(code), ja, japanese);
  expect(say('prune_ended')).toEqual(['すでに終わっているため、中止できません。', '']);
  expect(say('backup_failed')).toEqual(['バックアップできませんでした。', '(why the hub refused)']);
  expect(say('of_a_later_version')).toEqual(['ハブが受け付けませんでした。', '(why the hub refused)']);
  expect(say('unreachable')).toEqual([`${ja.unreachable} ${ja.unreachableHelp}`, '']);
  expect(describeRefusal(refusal('page', '一致しません。'), ja, japanese)).toEqual(['一致しません。', '']);
});

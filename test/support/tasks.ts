// Tasks that somebody does with the web UI, each by mouse, by touch and by keyboard, in English and in Japanese, on a wide
// screen and on a telephone. One system serves all of them.
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { BrowserOptions } from './browser.ts';
import { createFinger, createKeyboard, createMouse, type Hand } from './hand.ts';
import type { Lab } from './lab.ts';
import { createPerson, type Person } from './person.ts';
import { type AtPage, openPage, withChromium } from './web-lab.ts';
import { type Language, words } from './words.ts';

type TaskLab = Pick<Lab<never>, 'url' | 'clock' | 'password' | 'dataDir'> & AsyncDisposable;

export interface TaskCase {
  readonly name: string;
  readonly language: Language;
  readonly options: Partial<BrowserOptions>;
  /** Hours that the time of the browser is ahead of UTC. */
  readonly aheadHours: number;
  createHand(page: AtPage['page']): Hand;
}

const wide = { viewport: { width: 1440, height: 900 } };
const narrow = { viewport: { width: 390, height: 844 } };
const english = { language: 'en', aheadHours: 0 } as const;
const japanese = { language: 'ja', aheadHours: 9 } as const;
const inTokyo = { locale: 'ja-JP', timezoneId: 'Asia/Tokyo' };

const cases: readonly TaskCase[] = [
  { name: 'English, 1440 px, by mouse', ...english, options: wide, createHand: createMouse },
  { name: 'English, 390 px, by mouse', ...english, options: narrow, createHand: createMouse },
  {
    name: 'Japanese, 390 px, by touch',
    ...japanese,
    options: { ...narrow, ...inTokyo, hasTouch: true, isMobile: true },
    createHand: createFinger,
  },
  {
    name: 'Japanese, 1440 px, by keyboard alone',
    ...japanese,
    options: { ...wide, ...inTokyo },
    createHand: createKeyboard,
  },
];

export interface Scene<L> {
  readonly lab: L;
  readonly browser: AtPage;
  readonly person: Person;
  readonly case: TaskCase;
  /** Position of the case in the list of cases, from 0. */
  readonly index: number;
}

export type Task<L> = (scene: Scene<L>) => Promise<void>;

/** A test for each task and each case; the person is logged in, and at the overview. */
export function testTasks<L extends TaskLab>(start: () => Promise<L>, tasks: Readonly<Record<string, Task<L>>>): void {
  withChromium(() => {
    let lab: L;
    beforeAll(async () => {
      lab = await start();
    });
    afterAll(() => lab?.[Symbol.asyncDispose]());
    for (const [name, task] of Object.entries(tasks)) {
      describe(name, () => {
        test.each(cases.map((one, index) => ({ ...one, index })))('$name', async ({ index, ...one }) => {
          await using browser = await openPage(lab, one.options);
          const person = createPerson(browser.page, one.createHand(browser.page), words[one.language]);
          await browser.page.goto(browser.at('/'));
          await person.logIn(lab.password);
          await task({ lab, browser, person, case: one, index });
        });
      });
    }
  });
}

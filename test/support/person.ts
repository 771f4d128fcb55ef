// Somebody who does a task on the page with the words that it shows. Things are found by their role and visible name, or by
// their label, in the language of the page: no selector and no test id. After each step nothing may reach beyond the window.
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Dictionary } from '../../src/web/text/en.ts';
import type { Hand } from './hand.ts';
import { toPattern, type Words } from './words.ts';

/** Parts of a page that have a name, or words, by which they are known. */
type Part = 'dialog' | 'region' | 'listitem' | 'status';

export interface Person {
  readonly words: Words;
  logIn(password: string): Promise<void>;
  /** Goes to a place by its name in the navigation; on a telephone it may be under "More". */
  goTo(place: keyof Dictionary['places']): Promise<void>;
  /** Presses the button or the link of this name, or one that says more after a colon. */
  press(name: string): Promise<void>;
  write(label: string, text: string): Promise<void>;
  /** `time` as `2026-03-01T22:00`. */
  writeTime(label: string, time: string): Promise<void>;
  choose(label: string, option: string): Promise<void>;
  pick(name: string): Promise<void>;
  tick(name: string): Promise<void>;
  /** Chooses a file of this computer. */
  attach(label: string, file: string): Promise<void>;
  /** Presses something that saves a file; returns the path of it and the name that it would have. */
  download(name: string): Promise<{ path: string; name: string }>;
  /** Waits until a text is visible that contains these words. */
  see(words: string): Promise<void>;
  /** The value of a field. */
  read(label: string): Promise<string>;
  /** The text of a part of the page. */
  readPart(part: Part, name: string): Promise<string>;
  /** The same person, who looks only at this part: one with this name, or a list item with this text. */
  within(part: Part, name: string, which?: 'only' | 'first'): Person;
}

export function createPerson(page: Page, hand: Hand, words: Words): Person {
  return lookAt(page, { page, hand, words });
}

interface Site {
  page: Page;
  hand: Hand;
  words: Words;
}

function lookAt(place: Page | Locator, site: Site): Person {
  const { page, hand, words } = site;
  const step = async (work: Promise<unknown>) => {
    await work;
    expect(await page.evaluate(findOverflow)).toEqual([]);
    // A button that is disabled while it works has the focus again when it has ended.
    await expect.poll(() => page.evaluate('document.activeElement?.tagName')).not.toBe('BODY');
    if (words.language !== 'en') {
      expect(await page.evaluate(findEnglish)).toEqual([]);
    }
  };
  // What is shown then is another page, which begins without a focus.
  const logIn = async (password: string) => {
    await hand.write(page.getByLabel(words.page.signIn.password, { exact: true }), password);
    await hand.press(button(words.page.signIn.submit));
    await navigation.waitFor();
  };
  const navigation = page.getByRole('navigation', { name: words.page.placesLabel });
  const field = (label: string) => place.getByLabel(label, { exact: true });
  const button = (name: string) => {
    const pattern = toPattern(`${name}`, { isWhole: true });
    const orMore = new RegExp(`${pattern.source.slice(0, -1)}(?::.*)?$`);
    return place.getByRole('button', { name: orMore }).or(place.getByRole('link', { name: orMore }));
  };
  const find = (part: Part, name: string) =>
    part === 'listitem'
      ? place.getByRole('listitem').filter({ hasText: name })
      : place.getByRole(part, { name: toPattern(name, { isWhole: true }) });
  return {
    words,
    async goTo(to) {
      const link = navigation.getByRole('link', { name: new RegExp(`^${words.page.places[to]}(?: |$)`) });
      if (!(await link.isVisible())) {
        await step(hand.press(navigation.getByRole('button', { name: words.page.more, exact: true })));
      }
      await step(hand.press(link));
    },
    logIn,
    press: (name) => step(hand.press(button(name))),
    write: (label, text) => step(hand.write(field(label), text)),
    writeTime: (label, time) => step(hand.setTime(field(label), time)),
    choose: (label, option) => step(hand.select(place.getByRole('combobox', { name: label, exact: true }), option)),
    pick: (name) => step(hand.pick(place.getByRole('radio', { name, exact: true }))),
    tick: (name) => step(hand.tick(place.getByRole('checkbox', { name, exact: true }))),
    async attach(label, file) {
      const [chooser] = await Promise.all([page.waitForEvent('filechooser'), hand.press(field(label))]);
      await step(chooser.setFiles(file));
    },
    async download(name) {
      const [download] = await Promise.all([page.waitForEvent('download'), step(hand.press(button(name)))]);
      return { path: await download.path(), name: download.suggestedFilename() };
    },
    see: (sentence) =>
      step(place.getByText(toPattern(sentence)).filter({ visible: true }).first().waitFor({ state: 'visible' })),
    read: (label) => field(label).inputValue(),
    async readPart(part, name) {
      return (await find(part, name).textContent()) ?? '';
    },
    within: (part, name, which = 'only') =>
      lookAt(which === 'first' ? find(part, name).first() : find(part, name), site),
  };
}

/** A text, because it runs in the page: what of the window and of open dialogs is wider than its frame. */
const findOverflow = `[document.documentElement, ...document.querySelectorAll('dialog[open]')]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  .map(({ tagName, scrollWidth, clientWidth }) => [tagName, scrollWidth, clientWidth].join(' '))`;

/** Visible texts with four English words in a row that are not marked as English, and no commands. */
const findEnglish = `(() => {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { parentElement: parent, data } = walker.currentNode;
    if (/(?:[A-Za-z]{2,} ){3,}[A-Za-z]{2,}/.test(data) && parent.checkVisibility() && !parent.closest('pre, code, script, [lang=en]')) {
      found.push(data);
    }
  }
  return found;
})()`;

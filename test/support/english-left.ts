// English sentences in a page of another language.
import type { Page } from 'playwright-core';

/** A text, because what it names is the browser's: texts that are shown, have three small Latin words in a row, and are neither names nor code. */
const findEnglish = `(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const text = walker.currentNode;
    const around = text.parentElement;
    const isMarked = around.closest('[lang]') !== document.documentElement || around.closest('code, pre, option, script, style');
    if (!isMarked && around.checkVisibility() && /(?:\\b[a-z']+,? ){2}[a-z']+\\b/.test(text.data)) {
      found.push(text.data);
    }
  }
  return found;
})()`;

/** The texts of the settings that are marked as English: all but terms of use, links, and what another program said. */
export async function markedEnglish(page: Page): Promise<string[]> {
  return page.locator('.section [lang=en]:visible:not(.help, a, bdi)').allTextContents();
}

/** The texts of `page` in which an English sentence is left that is not marked as English. */
export async function englishLeft(page: Page): Promise<string[]> {
  return (await page.evaluate(findEnglish)) as string[];
}

// What axe finds in a page that stands still: what is dimmed or changes its colours meanwhile has other contrasts.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const isMoving = `document.querySelector('.dimmed') !== null ||
  document.getAnimations().some((one) => one instanceof CSSTransition)`;

/** Serious and critical findings: the rule, and the elements. The page must be opened with `bypassCSP`. */
export async function seriousFindings(page: Page): Promise<[rule: string, elements: string[]][]> {
  while (await page.evaluate(isMoving)) {
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(drawn))');
  }
  await page.evaluate(axe);
  // Only violations are described and leave the browser: most of what axe tells is of what passed.
  const violations = (await page.evaluate(
    `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations)`,
  )) as { id: string; impact: string; nodes: { html: string }[] }[];
  const serious = violations.filter(({ impact }) => ['serious', 'critical'].includes(impact));
  return serious.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
}

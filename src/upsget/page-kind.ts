// Classifies pages of the web UI by elements and fields, not by texts, which depend on the language.
import { Failure, SessionLost } from './failure.ts';
import { statusId } from './items.ts';
import type { Page } from './page.ts';

export function isStatusPage(page: Page): boolean {
  return page.ids.has(statusId);
}

export function isLoginPage(page: Page): boolean {
  return ['j_password', 'j_username', 'formtoken', 'login'].some((name) => page.fields.has(name));
}

export function isTakenPage(page: Page): boolean {
  return page.ids.has('alreadyLoggedOn');
}

/** `en`, `en-US`, `en_GB` and the like. A page without a language counts as English. */
export function isEnglish(page: Page): boolean {
  return page.lang === null || /^en(?:[-_]|$)/i.test(page.lang);
}

/** Explains why a page is not the status page. */
export function describeUnexpectedPage(page: Page): Failure {
  if (isLoginPage(page)) {
    return new SessionLost(
      'invalid session: the UPS shows its login page instead of the status; somebody else may have logged on',
    );
  }
  const seen = [...page.values.keys()].slice(0, 20);
  return new Failure(
    seen.length === 0
      ? 'invalid session: the page is neither the status nor the login page of the UPS; check address and port'
      : `the status page has no element ${statusId}; it has ${seen.join(', ')}. This may be another version of the product: upsget reads 1.4.0`,
  );
}

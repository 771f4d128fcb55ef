// Classifies pages of the web UI by elements and fields, not by texts, which depend on the language.
import { Failure, SessionLost } from './failure.ts';
import { items } from './items.ts';
import type { Page } from './page.ts';

/** Names of the fields of the login form, in each version of the product; a page has one of each. */
export const loginFields = {
  username: ['j_username'],
  password: ['j_password'],
  button: ['login'],
  token: ['formtoken'],
  tokenId: ['formtokenid'],
} as const satisfies Record<string, readonly [string, ...string[]]>;

/** Ids of the element that says on the login page that somebody is logged on. */
const takenIds: readonly string[] = ['alreadyLoggedOn'];

const statusIds = items[0]?.elementIds ?? [];

/** The name that this login page gives to the field; that of 1.4.0 when it has none of them. */
export function findLoginField(page: Page, field: keyof typeof loginFields): string {
  const names: readonly [string, ...string[]] = loginFields[field];
  return names.find((name) => page.fields.has(name)) ?? names[0];
}

export function isStatusPage(page: Page): boolean {
  return statusIds.some((id) => page.ids.has(id));
}

export function isLoginPage(page: Page): boolean {
  const { tokenId: _anyForm, ...telling } = loginFields;
  return Object.values(telling)
    .flat()
    .some((name) => page.fields.has(name));
}

export function isTakenPage(page: Page): boolean {
  return takenIds.some((id) => page.ids.has(id));
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
      : `the status page has no element ${statusIds.join(' or ')}; it has ${seen.join(', ')}. This may be another version of the product: upsget reads 1.4.0`,
  );
}

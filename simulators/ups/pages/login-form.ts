// A login page that was written elsewhere: the names of its fields, the text of its button, the form token in it.
import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { type Element, findElements, getAttribute } from '../html-tree.ts';

/** The names of the fields of a login form. */
export interface LoginForm {
  username: string;
  password: string;
  button: string;
  token: string;
  tokenId: string;
}

/** The names in version 1.4.0. */
export const builtInForm: LoginForm = {
  username: 'j_username',
  password: 'j_password',
  button: 'login',
  token: 'formtoken',
  tokenId: 'formtokenid',
};

const types: LoginForm = {
  username: 'text',
  password: 'password',
  button: 'submit',
  token: 'hidden',
  tokenId: 'hidden',
};

/** Reads the names of the fields. A field without the name of 1.4.0 is the first other one of its type in the form. */
export function readLoginForm(page: string): LoginForm {
  const named = findInputs(page).map((input) => ({ name: getAttribute(input, 'name') ?? '', type: getType(input) }));
  const names = { ...builtInForm };
  const taken = new Set(named.map(({ name }) => name).filter((name) => Object.values(builtInForm).includes(name)));
  for (const field of Object.keys(names) as (keyof LoginForm)[]) {
    const other = named.find(({ name, type }) => type === types[field] && !taken.has(name));
    if (!taken.has(names[field]) && other) {
      names[field] = other.name;
      taken.add(other.name);
    }
  }
  return names;
}

/** Value of the field with this name; null when the page has none. */
export function readField(page: string, name: string): string | null {
  const input = findInputs(page).find((one) => getAttribute(one, 'name') === name);
  return input ? getAttribute(input, 'value') : null;
}

/** Whether the page asks for a password. */
export function hasLoginForm(page: string): boolean {
  return findInputs(page).some((input) => getType(input) === 'password');
}

/** The page with `token` as the value of its form token input; unchanged when it has none. */
export function insertToken(page: string, token: string): string {
  const name = readLoginForm(page).token;
  const input = findInputs(page).find((one) => getType(one) === 'hidden' && getAttribute(one, 'name') === name);
  const place = (input as DefaultTreeAdapterTypes.Element | undefined)?.sourceCodeLocation?.attrs?.value;
  return place ? `${page.slice(0, place.startOffset)}value="${token}"${page.slice(place.endOffset)}` : page;
}

/** Named inputs and buttons in document order: those of the form with a password, or of the page when it has none. */
function findInputs(page: string): Element[] {
  const isField = (element: Element) =>
    ['input', 'button'].includes(element.tagName) && (getAttribute(element, 'name') ?? '') !== '';
  const all = findElements(parse(page, { sourceCodeLocationInfo: true }));
  const forms = all.filter(({ tagName }) => tagName === 'form').map((form) => findElements(form).filter(isField));
  return forms.find((inputs) => inputs.some((input) => getType(input) === 'password')) ?? all.filter(isField);
}

function getType(element: Element): string {
  const usual = element.tagName === 'button' ? 'submit' : 'text';
  return (getAttribute(element, 'type') ?? usual).toLowerCase();
}

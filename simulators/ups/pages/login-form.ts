// A login page that was written elsewhere: the names and values of its fields, and where its form token stands.
import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { type Element, findElements, getAttribute } from '../html-tree.ts';

/** The names of the fields of a login form. */
export interface FieldNames {
  username: string;
  password: string;
  button: string;
  token: string;
  tokenId: string;
}

export type LoginField = keyof FieldNames;

export interface LoginForm {
  names: FieldNames;
  /** The value of each field; null for a field that is not there, or has none. */
  values: Readonly<Record<LoginField, string | null>>;
  /** The page with `token` as the value of its hidden token field; unchanged when it has no such field. */
  insertToken(token: string): string;
}

/** The names in version 1.4.0. */
export const builtInNames: FieldNames = {
  username: 'j_username',
  password: 'j_password',
  button: 'login',
  token: 'formtoken',
  tokenId: 'formtokenid',
};

const types: FieldNames = {
  username: 'text',
  password: 'password',
  button: 'submit',
  token: 'hidden',
  tokenId: 'hidden',
};
const fields = Object.keys(types) as LoginField[];

/**
 * Reads the form with a password field, or all fields of a page without such a form. A field without its name of 1.4.0
 * is the first other one of its type. Null when the page has neither a password field nor a `formtoken`.
 */
export function readLoginForm(page: string): LoginForm | null {
  const all = findElements(parse(page, { sourceCodeLocationInfo: true }));
  const asksForPassword = (inputs: readonly Element[]) => inputs.some((input) => getType(input) === 'password');
  const forms = all.filter(({ tagName }) => tagName === 'form').map((form) => findElements(form).filter(isField));
  const inputs = forms.find(asksForPassword) ?? all.filter(isField);
  const hasToken = inputs.some((input) => getAttribute(input, 'name') === builtInNames.token);
  if (!hasToken && !asksForPassword(inputs)) {
    return null;
  }
  const names = nameFields(inputs);
  const find = (field: LoginField) => inputs.find((input) => getAttribute(input, 'name') === names[field]);
  const values = fields.map((field) => {
    const input = find(field);
    return [field, input ? getAttribute(input, 'value') : null];
  });
  const token = find('token') as DefaultTreeAdapterTypes.Element | undefined;
  const place = token && getType(token) === 'hidden' ? token.sourceCodeLocation?.attrs?.value : undefined;
  return {
    names,
    values: Object.fromEntries(values) as LoginForm['values'],
    insertToken: (text) =>
      place ? `${page.slice(0, place.startOffset)}value="${text}"${page.slice(place.endOffset)}` : page,
  };
}

function nameFields(inputs: readonly Element[]): FieldNames {
  const named = inputs.map((input) => ({ name: getAttribute(input, 'name') ?? '', type: getType(input) }));
  const names = { ...builtInNames };
  const taken = new Set(named.map(({ name }) => name).filter((name) => Object.values(builtInNames).includes(name)));
  for (const field of fields) {
    const other = named.find(({ name, type }) => type === types[field] && !taken.has(name));
    if (!taken.has(names[field]) && other) {
      names[field] = other.name;
      taken.add(other.name);
    }
  }
  return names;
}

function isField(element: Element): boolean {
  return ['input', 'button'].includes(element.tagName) && (getAttribute(element, 'name') ?? '') !== '';
}

function getType(element: Element): string {
  const usual = element.tagName === 'button' ? 'submit' : 'text';
  return (getAttribute(element, 'type') ?? usual).toLowerCase();
}

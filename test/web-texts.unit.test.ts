// The texts of the page: English sentences that are short, and Japanese ones that are Japanese in words and punctuation.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const folder = new URL('../src/web/text/', import.meta.url);
const places = readdirSync(folder, { withFileTypes: true }).flatMap((one) =>
  one.isDirectory() ? [`${one.name}/`] : [],
);

/** Stands for any value of a text: a list, which is written as its only element, and as which each property is written. */
const anyValue: unknown = new Proxy(['§'], {
  get: (list, name) => (typeof name === 'symbol' || name in list ? Reflect.get(list, name) : anyValue),
});

/** The texts by key. A function is called with `anyValue` for each of its values. */
function listTexts(value: unknown, key = ''): [key: string, text: string][] {
  if (typeof value === 'function') {
    return listTexts((value as (...values: unknown[]) => unknown)(...Array(value.length).fill(anyValue)), key);
  }
  return typeof value === 'string'
    ? [[key, value]]
    : Object.entries(value as object).flatMap(([name, one]) => listTexts(one, `${key}.${name}`));
}

/** Imported by a computed name: the types of the page need a browser. */
async function loadLanguage(language: 'en' | 'ja') {
  const load = async (place: string) =>
    Object.values((await import(`${folder.href}${place}${language}.ts`)) as object)[0];
  const all = await Promise.all(['', ...places].map(async (place) => [place, await load(place)] as const));
  return listTexts(Object.fromEntries(all));
}

const english = await loadLanguage('en');
const facts = await Promise.all(
  ['hub/ja-facts.ts', 'hub/ja-refusals.ts'].map(async (file) => (await import(`${folder.href}${file}`)) as object),
);
const japanese = new Map([...(await loadLanguage('ja')), ...listTexts(facts, '.facts')]);
const letter = '[\\u3040-\\u30ff\\u4e00-\\u9fff]';

test('an English sentence has at most 25 words', () => {
  const sentences = english.flatMap(([key, text]) => text.split(/(?<=[.?!]) /).map((one) => `${key}: ${one}`));
  expect(sentences.length).toBeGreaterThan(500);
  expect(sentences.filter((one) => one.split(' ').length > 26)).toEqual([]);
});

test('a text of more than one English word is Japanese too', () => {
  const isName = /^(?:[A-Z][\w.]*|§|\(.*\)|DROP|IOS|RTX)(?: (?:[A-Z][\w.]*|§|\(.*\)|DROP|IOS|RTX))*$/;
  const left = english.filter(([key, text]) => {
    const other = japanese.get(key) ?? '';
    return /[a-z]{2} /.test(text) && !isName.test(text) && !new RegExp(letter).test(other);
  });
  expect(left).toEqual([]);
});

test('Japanese has full-width punctuation where its own words stand beside it', () => {
  const halfWidth = new RegExp(`${letter} ?[?!,;(]|\\([^()]*${letter}[^()]*\\)`);
  expect([...japanese].filter(([, text]) => halfWidth.test(text))).toEqual([]);
});

test('Japanese has one word for an Agent and one for the map', () => {
  expect([...japanese].filter(([, text]) => /\bAgents?\b|マップ/.test(text))).toEqual([]);
});

/** Codes that the page can be given and has no words for in its list of refusals, by the reason. */
const withoutWords: Readonly<Record<string, RegExp>> = {
  'the page sends only JSON, by the methods of the contract':
    /^(?:malformed_json|malformed_request|unsupported_media_type|method_not_allowed)$/,
  'the page sends no requestId': /^(?:ai_request_conflict|ai_request_failed)$/,
  'the page shows the login instead': /^(?:unauthorized|auth_not_initialised)$/,
  'the dialog for restoring a backup has words of its own': /^(?:upload_rejected|digest_mismatch|generation_damaged)$/,
  'without rights the page says whom to ask': /^forbidden$/,
};

/** The codes that a route of the OpenAPI document lists, by `METHOD /path`. */
function listCodesByRoute(): Map<string, string[]> {
  const { paths } = JSON.parse(readFileSync(new URL('../docs/openapi.json', import.meta.url), 'utf8')) as {
    paths: Record<string, Record<string, { responses: Record<string, { 'x-codes'?: string[] }> }>>;
  };
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { responses }]) => {
      const codes = Object.values(responses).flatMap((answer) => answer['x-codes'] ?? []);
      return [`${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`, codes] as const;
    }),
  );
  return new Map(routes);
}

/** The routes that the sources of the page name. */
function listAskedRoutes(): Set<string> {
  const web = new URL('../src/web/', import.meta.url);
  const sources = readdirSync(web, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
  const named = /'((?:GET|POST|PUT|PATCH|DELETE) \/[^']+)'/g;
  return new Set(
    sources.flatMap((file) =>
      [...readFileSync(new URL(file, web), 'utf8').matchAll(named)].map(([, route = '']) => route),
    ),
  );
}

test('each refusal that a person can meet on the page is said in Japanese, or is in one list with the reason', () => {
  const codes: readonly string[] =
    readFileSync(new URL('pins/errors.txt', import.meta.url), 'utf8').match(/^\w+/gm) ?? [];
  const byRoute = listCodesByRoute();
  const listed = new Set([...byRoute.values()].flat());
  const asked = [...listAskedRoutes()].map((route) => [route, byRoute.get(route) ?? []] as const);
  const findAsked = (code: string) => asked.flatMap(([route, answers]) => (answers.includes(code) ? [route] : []));
  // No route lists a code that any of them may answer with, such as `internal`.
  const onPage = codes.filter((code) => findAsked(code).length > 0 || !listed.has(code));
  const wordsIn = (place: string) =>
    new Set([...japanese.keys()].flatMap((key) => (key.startsWith(place) ? key.slice(place.length) : [])));
  const whole = wordsIn('.hub/.refusals.');
  const explained = wordsIn('.hub/.explained.');
  const ofAi = wordsIn('.ai/.errors.');
  const isSaid = (code: string) =>
    whole.has(code) ||
    explained.has(code) ||
    (ofAi.has(code) && findAsked(code).every((route) => /\/ai\b|\/notes\/draft$/.test(route)));
  const isExcused = (code: string) => Object.values(withoutWords).some((pattern) => pattern.test(code));
  expect(asked.length).toBeGreaterThan(70);
  expect(onPage.length).toBeGreaterThan(70);
  expect(onPage.filter((code) => isSaid(code) === isExcused(code))).toEqual([]);
  expect([...whole, ...explained].filter((code) => !onPage.includes(code))).toEqual([]);
});

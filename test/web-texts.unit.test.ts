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
const japanese = new Map(await loadLanguage('ja'));
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
  const halfWidth = new RegExp(`${letter}[?!,;]|\\([^()]*${letter}[^()]*\\)`);
  expect([...japanese].filter(([, text]) => halfWidth.test(text))).toEqual([]);
});

/** Codes of refusals of which the Japanese page says that the hub refused, and shows the hub's English sentence after it. */
const inEnglish: Readonly<Record<string, RegExp>> = {
  'no form or link of the page sends such a request':
    /^(?:invalid_\w+|malformed_\w+|method_not_allowed|unsupported_\w+|headers_too_large|observation_window|range_too_long|agent_transport|router_kind_fixed|alert_scope|alert_covered|settings_changed|beacon_limit|vendor[AB]\w+|routerIpPrivate|prune_\w+)$/,
  'only Agents and assistants get it':
    /^(?:mesh_login_refused|agent_revoked|enrollment_code_refused|enrollment_throttled|enrollment_requests_full|agent_rate_limited|agent_ingest_busy)$/,
  'the page tries again by itself': /^(?:stream_limit|too_many_streams)$/,
  'the settings of the chat show which of the two is missing': /^token_or_userid_missing$/,
  'the login through an organisation answers on a page of the hub': /^oidc_\w+$/,
  'the page shows the login instead': /^(?:unauthorized|auth_not_initialised)$/,
  'the sentence of the hub has details, of another system or of a file, which no code has':
    /^(?:password_rejected|log_path_rejected|upstream_failed|backup_failed|restore_failed|router_update_failed|router_detect_failed|chat_refused|chat_unreachable)$/,
  'the dialog for restoring a backup has words of its own':
    /^(?:upload_rejected|payload_too_large|digest_mismatch|generation_damaged)$/,
  'pages with AI have words of their own': /^(?:ai_\w+|conversation_limit)$/,
  'without rights the page says whom to ask': /^(?:forbidden|csrf_rejected)$/,
};

test('each refusal of the API is said in Japanese, or is in one list with the reason', () => {
  const codes: readonly string[] =
    readFileSync(new URL('pins/errors.txt', import.meta.url), 'utf8').match(/^\w+/gm) ?? [];
  const said = new Set([...japanese.keys()].flatMap((key) => key.split('.hub/.refusals.')[1] ?? []));
  const reasonsOf = (code: string) => Object.values(inEnglish).filter((pattern) => pattern.test(code)).length;
  expect(codes.length).toBeGreaterThan(80);
  expect(codes.filter((code) => reasonsOf(code) + (said.has(code) ? 1 : 0) !== 1)).toEqual([]);
  expect([...said].filter((code) => !codes.includes(code))).toEqual([]);
});

// Where the page takes a secret, and where it leaves one: masked fields that may be filled by paste, nothing in storage or addresses.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { api } from '#contract/index.ts';
import type { RouteDefinition } from '#kernel/http/route.ts';
import { readSources, root } from '../../scripts/sources.ts';

const files = globSync('src/web/**/*.{ts,tsx}', { cwd: root }).sort();
const sources = files.map((file) => [file, readFileSync(path.join(root, file), 'utf8')] as const);
const secretName = /pass(?:word)?|secret|token|key|current|fresh|again/i;

/** Where `pattern` stands, as `file: text`. */
const places = (pattern: RegExp) =>
  sources.flatMap(([file, text]) => [...text.matchAll(pattern)].map(([found]) => `${file}: ${found}`));

test('every field for a secret is masked, and says which password it takes', () => {
  const plain = places(/<(?:input|TextField)\b[^>]*?\bname="[^"]*"[^>]*>/g).filter((place) =>
    secretName.test(/name="([^"]*)"/.exec(place)?.[1] ?? ''),
  );
  expect(plain).toEqual([
    'src/web/frame/sign-in.tsx: <input ref={field} name="password" type="password" autocomplete="current-password" required />',
  ]);
  // Forms that are made from schemas draw all of theirs in one place.
  expect(places(/<SecretField\b/g).length).toBeGreaterThanOrEqual(8);
  expect(places(/type="password"\s+autocomplete=\{autocomplete\}/g)).toHaveLength(1);
  const changed = places(/<SecretField name="(?:currentPassword|newPassword|again)"[^>]*>/g);
  expect(changed.map((place) => /autocomplete="([^"]*)"/.exec(place)?.[1])).toEqual([
    'current-password',
    'current-password',
    'new-password',
    'new-password',
  ]);
});

test('nothing of the page listens to paste, copy, cut or what is typed in general to forbid it', () => {
  const props = places(/\bon(?:Paste|Copy|Cut|Drop|BeforeInput)\b/g);
  const listeners = places(/addEventListener\(\s*['"](?:paste|copy|cut|drop|beforeinput)['"]/g);
  expect([...props, ...listeners]).toEqual([]);
});

test('what the browser keeps is how the page looks and the saved views, and nothing else', () => {
  const storing = /localStorage|sessionStorage|indexedDB|document\.cookie\s*=[^=]|\bcaches\.|serviceWorker/g;
  expect(places(storing)).toEqual(Array(2).fill('src/web/state/preferences.ts: localStorage'));
  expect(places(/\bwrite\('([\w-]+)'/g).map((place) => /'([\w-]+)'/.exec(place)?.[1])).toEqual([
    ...['unwanted-steps', 'density', 'columns', 'widths', 'views', 'filter-row', 'theme', 'language'],
  ]);
});

test('no route takes a secret in its address', () => {
  const routes: readonly RouteDefinition<unknown>[] = Object.values(api).flatMap((table) => Object.values(table));
  const inAddress = routes.flatMap(({ path: at, query }) => [
    ...[...at.matchAll(/:(\w+)/g)].map(([, name]) => `${at} ${name}`),
    ...Object.keys(query?.shape ?? {}).map((name) => `${at} ${name}`),
  ]);
  expect(inAddress.length).toBeGreaterThan(50);
  const secret = / (?:\w*(?:pass|secret|token|credential|cookie|bearer)\w*|\w*key|code)$/i;
  // What an issuer sends to the callback (code and state) is not ours to name; it works once.
  expect(inAddress.filter((one) => secret.test(one))).toEqual([]);
});

test('no source of the product runs text as code, writes markup into the page, or starts a shell', () => {
  const code = /\beval\(|new Function\(|['"]node:vm['"]|\bshell: true\b/g;
  const markup =
    /\b(?:innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|setHTMLUnsafe)\b|document\.write\(/g;
  const all = [...readSources()].filter(([file]) => !file.startsWith('simulators/'));
  expect(all.length).toBeGreaterThan(500);
  const found = all.flatMap(([file, text]) =>
    [...text.matchAll(code), ...text.matchAll(markup)].map(([one]) => `${file}: ${one}`),
  );
  // The one word `gc`, the collector of the engine, which no API gives.
  expect(found).toEqual(["src/kernel/process/collect-young.ts: 'node:vm'"]);
});

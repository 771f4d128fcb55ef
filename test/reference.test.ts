// The reference stands on its own: each citation of it leads to a file and a heading, and its links do too.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { findAnchors, headingLinks, referenceMentions } from './support/documents/anchors.ts';
import { documentNames, readDocument } from './support/documents/blocks.ts';
import { root } from './support/program.ts';

const code = ['src', 'simulators', 'gate', 'scripts', 'test', 'bench'];
/** Where citations are looked for. */
const scanned = [...code, 'docs', '*.md'];

const folder = 'docs/reference';
const pages = documentNames().filter((file) => file.startsWith(`${folder}/`));

/** Whether the file is there and has the heading; `target` is a path from the root, with or without `#anchor`. */
function isThere(target: string): boolean {
  const [file = '', anchor] = target.split('#');
  if (!existsSync(path.join(root, file))) {
    return false;
  }
  return anchor === undefined || findAnchors(readDocument(file)).has(anchor);
}

/** How comments once cited documents that the project does not have. */
const outside = [
  /\b(?:wire[\s/*]+contract|specification)[\s/*,(]*[§\d]/i,
  /\bdesign[\s/*]+card\b/i,
  /\bsurface:\s+(?:Commands|Hub)\b/,
  /\breference\s+(?:domain|routers|ups|mcp|runtime)\b/i,
  /(?<![\w/.-])(?:next|domain|routers|ups|mcp|runtime|surface)\.md\b/,
];
const citesOutside = (text: string) => outside.some((pattern) => pattern.test(text));

function sources(places = scanned): readonly string[] {
  return execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', ...places], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => /\.(?:tsx?|js|mjs|css|sql|md|json|yaml|yml)$/.test(file))
    .filter((file) => existsSync(path.join(root, file)));
}

test('each citation of the reference leads to a file and a heading', () => {
  const files = sources();
  expect(files.length).toBeGreaterThan(500);
  const wrong = files.flatMap((file) =>
    referenceMentions(readFileSync(path.join(root, file), 'utf8'))
      .filter(({ text }) => !isThere(text))
      .map(({ line, text }) => `${file}:${line}: ${text}`),
  );
  expect(wrong).toEqual([]);
});

test('no source cites a document outside the project', () => {
  const files = sources(code);
  expect(files.length).toBeGreaterThan(500);
  expect(files.filter((file) => citesOutside(readFileSync(path.join(root, file), 'utf8')))).toEqual([]);
  // With `_` for each blank, so that this file does not cite them.
  const planted = ['Wire_contract_5.2.', 'wire\n//_contract_(4.2)', 'specification_1_§4', 'the_design_card'];
  const others = ['surface:_Commands', 'reference_domain_3.3', 'see_next.md_B', '_domain.md'];
  expect([...planted, ...others].filter((text) => !citesOutside(text.replaceAll('_', ' ')))).toEqual([]);
  expect(citesOutside('(docs/reference/wire-contract/5-behaviours.md#recovery, docs/mcp.md)')).toBe(false);
});

test('each link of a page of the reference to a heading finds it', () => {
  const links = pages.flatMap((page) => headingLinks(readDocument(page)).map((link) => ({ page, ...link })));
  expect(links.length).toBeGreaterThan(30);
  const wrong = links.filter(({ page, text }) => {
    const [file = '', anchor = ''] = text.split('#');
    return !isThere(`${file === '' ? page : path.posix.join(path.posix.dirname(page), file)}#${anchor}`);
  });
  expect(wrong).toEqual([]);
});

test('the index of the reference links each of its pages, or the index of their folder', () => {
  const links = (file: string) =>
    [...readDocument(file).matchAll(/\]\(([^)#\s]+)\)/g)].map(([, target = '']) => target);
  const listed = [`${folder}/README.md`, `${folder}/wire-contract/README.md`].flatMap((index) =>
    links(index).map((target) => path.posix.join(path.posix.dirname(index), target)),
  );
  expect(pages.filter((page) => page !== `${folder}/README.md` && !listed.includes(page))).toEqual([]);
});

describe('a planted citation', () => {
  test.each<[string, boolean]>([
    ['rest-api.md', true],
    ['rest-api.md#8-limits', true],
    ['rest-api.md#8-limit', false],
    ['frobnicate.md', false],
    ['wire-contract/0-conventions.md#a2-router-targets', true],
  ])('of %s is there: %s', (target, isRight) => {
    const citation = `${folder}/${target}`;
    expect(referenceMentions(`first line\n// Why (${citation}).`)).toEqual([{ line: 2, text: citation }]);
    expect(isThere(citation)).toBe(isRight);
  });

  test('anchors follow the rule of GitHub', () => {
    const source =
      '# 4.2 Users, `svc_` and "more"\n## Twice\n```text\n# no heading\n```\n## Twice\n### [Link](x.md) — 日本語';
    expect([...findAnchors(source)]).toEqual(['42-users-svc_-and-more', 'twice', 'twice-1', 'link--日本語']);
  });

  test('links to headings are found, those in blocks are not', () => {
    const source = '[a](x.md#y) [b](#z) [c](x.md) [d](https://example.net/#e)\n```text\n[f](x.md#g)\n```';
    expect(headingLinks(source).map(({ text }) => text)).toEqual(['x.md#y', '#z']);
  });
});

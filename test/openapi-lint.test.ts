// The published description of the API is free of findings, and each rule that matters most is shown to fire.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openApiViolations } from '../scripts/openapi-lint.ts';
import { root } from '../scripts/sources.ts';
import { makeFolder } from './support/temporary-folder.ts';

interface Part {
  [name: string]: Part;
}

const published = path.join(root, 'docs/openapi.json');

test('the published document has no findings', () => {
  expect(openApiViolations(published)).toBe('');
});

const list = (document: Part) => document.paths?.['/api/connections']?.get ?? {};

test.each<[string, (document: Part) => void, RegExp]>([
  [
    'a parameter without a sentence',
    (document) => delete list(document).parameters?.[0]?.description,
    /parameter-description/,
  ],
  ['an operation without a summary', (document) => delete list(document).summary, /operation-summary/],
  ['an operation without an id', (document) => delete list(document).operationId, /operation-operationId/],
  ['a group without a sentence', (document) => delete document.tags?.[0]?.description, /tag-description/],
  [
    'no refusal',
    (document) => {
      const { 200: success } = list(document).responses ?? {};
      Object.assign(list(document), { responses: { 200: success } });
    },
    /operation-4xx-response/,
  ],
  [
    'an example that its schema does not allow',
    (document) => {
      Object.assign(list(document).responses?.[200]?.content?.['application/json'] ?? {}, {
        example: { total: 'many' },
      });
    },
    /no-invalid-media-type-examples/,
  ],
])('%s is found', (_, plant, rule) => {
  const folder = makeFolder('openapi');
  try {
    const document = JSON.parse(readFileSync(published, 'utf8')) as Part;
    plant(document);
    mkdirSync(folder, { recursive: true });
    const file = path.join(folder, 'openapi.json');
    writeFileSync(file, JSON.stringify(document));
    expect(openApiViolations(file)).toMatch(rule);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

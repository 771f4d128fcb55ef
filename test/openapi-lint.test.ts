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

const faults: [plant: (document: Part) => void, found: RegExp][] = [
  [(document) => delete list(document).parameters?.[0]?.description, /parameter-description/],
  [(document) => delete list(document).summary, /operation-summary/],
  [(document) => delete list(document).operationId, /operation-operationId/],
  [(document) => delete document.tags?.[0]?.description, /tag-description/],
  [
    (document) => {
      const { 200: success } = list(document).responses ?? {};
      Object.assign(list(document), { responses: { 200: success } });
    },
    /operation-4xx-response/,
  ],
  [
    (document) => {
      Object.assign(list(document).responses?.[200]?.content?.['application/json'] ?? {}, {
        example: { total: 'many' },
      });
    },
    /no-invalid-media-type-examples/,
  ],
];

test('every planted fault is found: no sentence, summary, id, refusal, and an example of another shape', () => {
  const folder = makeFolder('openapi');
  try {
    const document = JSON.parse(readFileSync(published, 'utf8')) as Part;
    for (const [plant] of faults) {
      plant(document);
    }
    mkdirSync(folder, { recursive: true });
    const file = path.join(folder, 'openapi.json');
    writeFileSync(file, JSON.stringify(document));
    const violations = openApiViolations(file);
    for (const [, found] of faults) {
      expect(violations).toMatch(found);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

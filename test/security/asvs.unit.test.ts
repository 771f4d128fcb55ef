// docs/security/asvs.md has each requirement of OWASP ASVS 5.0.0 of the levels 1 and 2 once, and what it names is there.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../scripts/sources.ts';
import standard from './asvs-5.0.0.json' with { type: 'json' };

interface Row {
  id: string;
  applies: string;
  heldBy: string;
}

const folder = 'docs/security';
const table = readFileSync(path.join(root, folder, 'asvs.md'), 'utf8');
const rows = readRows(table);

function readRows(text: string): Row[] {
  return [...text.matchAll(/^\| (V\S+) \| ([^|]*) \| [^|]+ \| (.*) \|$/gm)].map(
    ([, id = '', applies = '', heldBy = '']) => ({
      id,
      applies,
      heldBy,
    }),
  );
}

/** Why a row does not stand; null when it does. */
function fault({ applies, heldBy }: Row): string | null {
  const tests = [...heldBy.matchAll(/`(test\/[^`]+)`(?: › ([^;|]+))?/g)];
  const documents = [...heldBy.matchAll(/\]\(([^)]+)\)/g)];
  const sources = [...heldBy.matchAll(/`(src\/[^`]+)`/g)];
  const noSource = sources.find(([, file = '']) => !existsSync(path.join(root, file)))?.[0];
  const missing = tests.find(([, file = '', name]) => !has(file, name?.trim()))?.[0];
  const gone = documents.find(([, file = '']) => !existsSync(path.join(root, folder, file)))?.[0];
  if (missing !== undefined || gone !== undefined || noSource !== undefined) {
    return `names what is not there: ${missing ?? gone ?? noSource}`;
  }
  if (applies === 'no') {
    return heldBy.length > 10 ? null : 'does not say why it does not apply';
  }
  const isHeld = tests.length + documents.length > 0 || /(?:^|; )accepted: .{20,}/.test(heldBy);
  return applies === 'yes' && isHeld ? null : 'is open';
}

function has(file: string, name: string | undefined): boolean {
  const place = path.join(root, file);
  return existsSync(place) && (name === undefined || readFileSync(place, 'utf8').includes(name));
}

test('every requirement of both levels is there once', () => {
  expect([standard.level1.length, standard.level2.length]).toEqual([70, 183]);
  expect(rows.map(({ id }) => id).sort()).toEqual([...standard.level1, ...standard.level2].sort());
});

test('every row stands: its tests and documents are there, or it says why', () => {
  expect(rows.flatMap((row) => (fault(row) === null ? [] : [`${row.id} ${fault(row)}`]))).toEqual([]);
});

test.each([
  ['yes', '', 'is open'],
  ['yes', 'accepted: so', 'is open'],
  ['perhaps', '`test/secret-scan.test.ts`', 'is open'],
  ['no', '', 'does not say why it does not apply'],
  ['yes', '`test/no-such.test.ts`', 'names what is not there: `test/no-such.test.ts`'],
  [
    'yes',
    '`test/secret-scan.test.ts` › no such title',
    'names what is not there: `test/secret-scan.test.ts` › no such title',
  ],
  ['yes', 'accepted: it is so because of `src/no-such.ts`', 'names what is not there: `src/no-such.ts`'],
  ['yes', 'document: [x](../no-such.md)', 'names what is not there: ](../no-such.md)'],
])('a row that does not stand is red: %s, %j', (applies, heldBy, expected) => {
  expect(fault({ id: 'V0.0.1', applies, heldBy })).toBe(expected);
});

// Holds the tests and the requirement manifest together: every requirement is cited or planned, every citation is known.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Requirement } from './requirements/requirement.ts';
import { requirements } from './requirements.ts';
import { type Citations, compareCoverage, countCoverage, parseCitations } from './support/coverage.ts';
import { verifies } from './support/verifies.ts';

const here = import.meta.dirname;

/** Citations of every test file below this folder. */
function scanTests(): Citations & { files: string[] } {
  const files = readdirSync(here, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .sort();
  const scanned = files.map((file) => parseCitations(`test/${file}`, readFileSync(join(here, file), 'utf8')));
  return {
    files,
    citations: scanned.flatMap(({ citations }) => citations),
    unreadable: scanned.flatMap(({ unreadable }) => unreadable),
  };
}

const scan = scanTests();
const faults = compareCoverage(requirements, scan.citations);

describe('the manifest and the tests', () => {
  test('the scan read the test files, this one among them', () => {
    expect(scan.files).toContain('coverage.unit.test.ts');
  });

  test('every citation can be read from the text', () => {
    expect(scan.unreadable).toEqual([]);
  });

  test('every cited id is stated', () => {
    expect(faults.unknown).toEqual([]);
  });

  test('every requirement that is not planned is cited', () => {
    expect(faults.uncited).toEqual([]);
  });

  test('no planned requirement is cited', () => {
    expect(faults.provedButPlanned).toEqual([]);
  });

  test('no id is stated twice', () => {
    expect(faults.duplicate).toEqual([]);
  });

  test('every id is a slug', () => {
    expect(faults.malformed).toEqual([]);
  });

  test('the numbers are printed', () => {
    const { stated, cited, planned } = countCoverage(requirements, scan.citations);
    console.log(`requirements: ${stated} stated, ${cited} cited, ${planned} planned`);
    expect(cited + planned + faults.uncited.length - faults.provedButPlanned.length).toBe(stated);
  });
});

describe('each fault turns the comparison red', () => {
  const one: Requirement = { id: 'rest.thing.works', spec: 1, section: '1', says: 'it works' };
  const later: Requirement = { ...one, id: 'rest.thing.later', planned: 'web' };
  const cite = (id: string) => ({ id, where: 'test/x.test.ts:1' });
  const none = { unknown: [], uncited: [], provedButPlanned: [], duplicate: [], malformed: [] };

  test('sets that agree have no fault', () => {
    expect(compareCoverage([one, later], [cite(one.id), cite(one.id)])).toEqual(none);
  });

  test('an unknown id', () => {
    expect(compareCoverage([one], [cite(one.id), cite('rest.thing.wroks')])).toEqual({
      ...none,
      unknown: ["test/x.test.ts:1 cites 'rest.thing.wroks', which no specification states; correct the id or add it."],
    });
  });

  test('a requirement nothing cites', () => {
    expect(compareCoverage([one], [])).toEqual({
      ...none,
      uncited: ['rest.thing.works is cited by no test: it works'],
    });
  });

  test('a planned requirement that a test proves', () => {
    expect(compareCoverage([one, later], [cite(one.id), cite(later.id)])).toEqual({
      ...none,
      provedButPlanned: ["rest.thing.later is cited by a test but still planned for 'web'; remove `planned`."],
    });
  });

  test('an id stated twice, also when only one of the two is planned', () => {
    expect(compareCoverage([one, { ...later, id: one.id }], [cite(one.id)])).toMatchObject({
      duplicate: ['rest.thing.works is stated more than once, again as: it works'],
    });
  });

  test('the same entry assembled twice', () => {
    expect(compareCoverage([one, one], [cite(one.id)])).toMatchObject({
      duplicate: ['rest.thing.works is stated more than once, again as: it works'],
    });
  });

  test.each(['Rest.thing.works', 'rest.thing', 'rest.thing.works_well', 'rest.thing..works', 'other.thing.works', ''])(
    'an id that is no slug: %j',
    (id) => {
      expect(compareCoverage([{ ...later, id }], []).malformed).toHaveLength(1);
    },
  );

  test('the numbers count a requirement once however often it is cited', () => {
    const citations = [cite(one.id), cite(one.id), cite('rest.thing.wroks')];
    expect(countCoverage([one, later], citations)).toEqual({ stated: 2, cited: 1, planned: 1 });
  });
});

test('verifies refuses an id that is not stated', () => {
  // Called indirectly, so that the scan does not read the wrong id as a citation of this file.
  const cite = () => Reflect.apply(verifies, undefined, ['card.layout.present rest.thing.wroks', 'x', () => {}]);
  expect(cite).toThrow("cites what test/requirements does not state: 'rest.thing.wroks'. Correct the id");
});

describe('citations are read from the syntax tree', () => {
  const read = (source: string) => parseCitations('a.test.ts', source);

  test('one call may cite several ids and the line is told', () => {
    expect(read("\nverifies('rest.a.b rest.c.d', 'both', async (): Promise<void> => {});")).toEqual({
      citations: [
        { id: 'rest.a.b', where: 'a.test.ts:2' },
        { id: 'rest.c.d', where: 'a.test.ts:2' },
      ],
      unreadable: [],
    });
  });

  test('comments and quoted code are no citations', () => {
    expect(read("// verifies('rest.a.b', '', f);\nconst text = \"verifies('rest.a.b')\";")).toEqual({
      citations: [],
      unreadable: [],
    });
  });

  test.each(['verifies(id, 1, f)', 'verifies(`rest.a.b`, 1, f)', "verifies('rest.a' + '.b', 1, f)", 'verifies()'])(
    'a first argument that is no literal is refused: %s',
    (source) => {
      expect(read(source)).toEqual({
        citations: [],
        unreadable: [
          'a.test.ts:1 calls verifies with a first argument that is not a string literal; write the ids out.',
        ],
      });
    },
  );

  test('a renamed import is refused', () => {
    expect(read("import { verifies as v } from './verifies.ts';").unreadable).toEqual([
      'a.test.ts:1 renames verifies to v; import it by its own name.',
    ]);
  });

  test('a file that does not parse is refused', () => {
    expect(read('const = ;').unreadable).toHaveLength(1);
  });
});

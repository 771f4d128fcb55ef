// Holds the tests and the requirement manifest together: every requirement is cited or planned, every citation is known.
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Requirement } from './requirements/requirement.ts';
import { requirements } from './requirements.ts';
import { compareCoverage, countCoverage, countLayers, parseCitations } from './support/coverage.ts';
import { scanTests } from './support/scan-tests.ts';
import { verifies } from './support/verifies.ts';

const scan = scanTests(path.dirname(import.meta.dirname), 'test');
const faults = compareCoverage(requirements, scan.citations);

describe('the manifest and the tests', () => {
  test('the scan read the test files, this one among them', () => {
    expect(scan.files).toContain('test/coverage.unit.test.ts');
  });

  test.each<[string, readonly string[]]>([
    ['citation that cannot be read from the text', scan.unreadable],
    ['test that cites more ids than it can exercise', scan.crowded],
    ['cited id that is not stated', faults.unknown],
    ['requirement that is neither planned nor cited', faults.uncited],
    ['planned requirement that is cited', faults.provedButPlanned],
    ['id that is stated twice', faults.duplicate],
    ['id that is no slug', faults.malformed],
  ])('there is no %s', (_what, found) => {
    expect(found).toEqual([]);
  });

  test('the numbers are printed', () => {
    const { stated, cited, planned } = countCoverage(requirements, scan.citations);
    console.log(`requirements: ${stated} stated, ${cited} cited, ${planned} planned`);
    expect(cited + planned + faults.uncited.length - faults.provedButPlanned.length).toBe(stated);
    const { lab, unitAlone, e2eAlone, unitAndE2e } = countLayers(requirements, scan.citations);
    console.log(
      `cited by lab tests ${lab}, by unit tests alone ${unitAlone}, by e2e tests alone ${e2eAlone}, by unit and e2e ${unitAndE2e}`,
    );
    expect(lab + unitAlone + e2eAlone + unitAndE2e).toBe(cited);
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

  const twice = 'rest.thing.works is stated more than once, again as: it works';
  test.each<[string, Requirement[], string[], Partial<typeof none> | object]>([
    [
      'an unknown id',
      [one],
      [one.id, 'rest.thing.wroks'],
      {
        unknown: [
          "test/x.test.ts:1 cites 'rest.thing.wroks', which no specification states; correct the id or add it.",
        ],
      },
    ],
    ['a requirement nothing cites', [one], [], { uncited: ['rest.thing.works is cited by no test: it works'] }],
    [
      'a planned requirement that a test proves',
      [one, later],
      [one.id, later.id],
      { provedButPlanned: ["rest.thing.later is cited by a test but still planned for 'web'; remove `planned`."] },
    ],
    [
      'an id stated twice, once as planned',
      [one, { ...later, id: one.id }],
      [one.id],
      {
        duplicate: [twice],
        provedButPlanned: ["rest.thing.works is cited by a test but still planned for 'web'; remove `planned`."],
      },
    ],
    ['the same entry assembled twice', [one, one], [one.id], { duplicate: [twice] }],
  ])('%s', (_what, stated, cited, expected) => {
    expect(compareCoverage(stated, cited.map(cite))).toMatchObject({ ...none, ...expected });
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

test('the layers count a requirement once, in the lab before all', () => {
  const ids = ['rest.a.lab', 'rest.a.unit', 'rest.a.end', 'rest.a.both', 'rest.a.none'];
  const cite = (id: string, file: string) => ({ id: `rest.a.${id}`, where: `test/${file}.test.ts:1` });
  const citations = [
    cite('lab', 'x'),
    cite('lab', 'x.unit'),
    cite('lab', 'e2e/x'),
    cite('unit', 'x.unit'),
    cite('unit', 'y.unit'),
    cite('end', 'e2e/x'),
    cite('both', 'x.unit'),
    cite('both', 'e2e/x'),
  ];
  const stated = ids.map((id) => ({ id, spec: 1 as const, section: '1', says: 'it works' }));
  expect(countLayers(stated, citations)).toEqual({ lab: 1, unitAlone: 1, e2eAlone: 1, unitAndE2e: 1 });
});

test('verifies refuses an id that is not stated', () => {
  // Called indirectly, so that the scan does not read the wrong id as a citation of this file.
  const wrong = 'card.layout.present rest.thing.wroks';
  for (const [call, args] of [
    [verifies, [wrong, 'x', () => {}]],
    [verifies.each, [[{ ids: wrong, what: 'x' }], () => {}]],
    [verifies.each, [wrong, [{ what: 'x' }], () => {}]],
  ] as const) {
    expect(() => Reflect.apply(call, undefined, args)).toThrow(
      "cites what test/requirements does not state: 'rest.thing.wroks'. Correct the id",
    );
  }
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
      crowded: [],
    });
  });

  test('a table cites by its rows, each at its line, or by one literal for all', () => {
    const rows =
      "verifies.each([\n  { ids: 'rest.a.b rest.c.d', what: 'x' },\n  { what: 'y', ids: 'rest.e.f' },\n], f);";
    expect(read(rows)).toMatchObject({
      citations: [
        { id: 'rest.a.b', where: 'a.test.ts:2' },
        { id: 'rest.c.d', where: 'a.test.ts:2' },
        { id: 'rest.e.f', where: 'a.test.ts:3' },
      ],
      unreadable: [],
    });
    expect(read("verifies.each('rest.a.b', rows, f);")).toMatchObject({
      citations: [{ id: 'rest.a.b', where: 'a.test.ts:1' }],
      unreadable: [],
    });
  });

  test.each(['verifies.each(rows, f)', "verifies.each('a' + 'b', rows, f)", 'verifies.each()'])(
    'a table that is not written in the call is refused: %s',
    (source) => {
      expect(read(source).unreadable).toEqual([
        'a.test.ts:1 calls verifies.each with a first argument that is not a string literal; write the ids out.',
      ]);
    },
  );

  test.each(["{ what: 'x' }", '{ ids }', '{ ids: `rest.a.b` }', '...rows', 'row', "['rest.a.b']"])(
    'a row whose ids are no literal is refused: %s',
    (row) => {
      expect(read(`verifies.each([\n${row}], f)`).unreadable).toEqual([
        'a.test.ts:2 calls verifies.each with a row whose ids are not a string literal; write the ids out.',
      ]);
    },
  );

  test('three ids a test are allowed, and no more', () => {
    expect(read("verifies('rest.a.b rest.c.d rest.e.f', 'x', f);").crowded).toEqual([]);
    const four = "'rest.a.b rest.c.d rest.e.f rest.g.h'";
    const fault = (line: number) => [`a.test.ts:${line} cites 4 ids in one test, at most 3; split the test.`];
    expect(read(`verifies(${four}, 'x', f);`).crowded).toEqual(fault(1));
    expect(read(`verifies.each(${four}, rows, f);`).crowded).toEqual(fault(1));
    expect(read(`verifies.each([\n{ ids: ${four}, what: 'x' }], f);`).crowded).toEqual(fault(2));
  });

  test('comments and quoted code are no citations', () => {
    expect(read("// verifies('rest.a.b', '', f);\nconst text = \"verifies('rest.a.b')\";")).toEqual({
      citations: [],
      unreadable: [],
      crowded: [],
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
        crowded: [],
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

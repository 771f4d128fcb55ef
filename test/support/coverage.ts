// Compares what the tests cite with what the specifications state. Reads nothing and prints nothing.
import { parseSync, Visitor } from 'vite';
import { idPattern, type Requirement } from '../requirements/requirement.ts';

/** At most so many ids a test: a test that cites more does not exercise all of them. */
const idsPerTest = 3;

/** One id inside the first argument of one `verifies` call, or of one row of `verifies.each`. */
export interface Citation {
  id: string;
  /** `file:line` of the call. */
  where: string;
}

/**
 * What one test file cites; `unreadable` holds a sentence for each call whose ids cannot be read from the text, `crowded`
 * one for each test that cites too many.
 */
export interface Citations {
  citations: Citation[];
  unreadable: string[];
  crowded: string[];
}

/** How a test runs, by the name of its file: the projects of vitest.config.ts. */
export type Layer = 'unit' | 'lab' | 'e2e';

/** Cited requirements by what tests them; `lab` counts those of any lab test, whatever else cites them. */
export interface LayerCount {
  lab: number;
  unitAlone: number;
  e2eAlone: number;
  unitAndE2e: number;
}

/** Every way in which the two sets disagree, as sentences. All lists are empty when they agree. */
export interface CoverageFaults {
  unknown: string[];
  uncited: string[];
  provedButPlanned: string[];
  duplicate: string[];
  malformed: string[];
}

/** Numbers for the line that `npm test` prints. */
export interface CoverageCount {
  stated: number;
  cited: number;
  planned: number;
}

/** Reads the citations of a test file from its syntax tree, so comments and quoted code do not count. */
export function parseCitations(file: string, source: string): Citations {
  const { program, errors } = parseSync(file, source);
  const citations: Citation[] = [];
  const unreadable = errors.map((error) => `${file} cannot be parsed: ${error.message}`);
  const crowded: string[] = [];
  const lineOf = (offset: number) => source.slice(0, offset).split('\n').length;
  const cite = (ids: { type: string; value?: unknown } | undefined, at: { start: number }, call: string) => {
    const where = `${file}:${lineOf(at.start)}`;
    if (ids?.type !== 'Literal' || typeof ids.value !== 'string') {
      unreadable.push(`${where} calls ${call} not a string literal; write the ids out.`);
      return;
    }
    const cited = ids.value.split(/\s+/);
    citations.push(...cited.map((id) => ({ id, where })));
    if (cited.length > idsPerTest) {
      crowded.push(`${where} cites ${cited.length} ids in one test, at most ${idsPerTest}; split the test.`);
    }
  };
  new Visitor({
    ImportSpecifier(node) {
      const name = node.imported.type === 'Identifier' ? node.imported.name : node.imported.value;
      if (name !== 'verifies' || node.local.name === 'verifies') return;
      unreadable.push(
        `${file}:${lineOf(node.start)} renames verifies to ${node.local.name}; import it by its own name.`,
      );
    },
    CallExpression(node) {
      const form = findCallee(node.callee);
      if (form === null) return;
      const first = node.arguments[0];
      if (form === 'verifies.each' && first?.type === 'ArrayExpression') {
        for (const row of first.elements) {
          cite(
            row?.type === 'ObjectExpression' ? parseIds(row) : undefined,
            row ?? node,
            `${form} with a row whose ids are`,
          );
        }
        return;
      }
      cite(first, node, `${form} with a first argument that is`);
    },
  }).visit(program);
  return { citations, unreadable, crowded };
}

type Node = Parameters<NonNullable<ConstructorParameters<typeof Visitor>[0]['CallExpression']>>[0]['callee'];

function findCallee(callee: Node): 'verifies' | 'verifies.each' | null {
  if (callee.type === 'Identifier') return callee.name === 'verifies' ? 'verifies' : null;
  if (callee.type !== 'MemberExpression' || callee.object.type !== 'Identifier') return null;
  return callee.object.name === 'verifies' ? 'verifies.each' : null;
}

function parseIds(row: Extract<Node, { type: 'ObjectExpression' }>) {
  for (const property of row.properties) {
    if (property.type === 'Property' && property.key.type === 'Identifier' && property.key.name === 'ids') {
      return property.value;
    }
  }
  return undefined;
}

/** Compares both sets. Pure: order of the sentences follows the order of the input. */
export function compareCoverage(requirements: readonly Requirement[], citations: readonly Citation[]): CoverageFaults {
  const stated = new Map(requirements.map((requirement) => [requirement.id, requirement]));
  const cited = new Set(citations.map(({ id }) => id));
  const duplicate = requirements.filter(({ id }, at) => requirements.findIndex((other) => other.id === id) < at);
  return {
    unknown: citations
      .filter(({ id }) => !stated.has(id))
      .map(({ id, where }) => `${where} cites '${id}', which no specification states; correct the id or add it.`),
    uncited: requirements
      .filter(({ id, planned }) => planned === undefined && !cited.has(id))
      .map(({ id, says }) => `${id} is cited by no test: ${says}`),
    provedButPlanned: [...stated.values()]
      .filter(({ id, planned }) => planned !== undefined && cited.has(id))
      .map(({ id, planned }) => `${id} is cited by a test but still planned for '${planned}'; remove \`planned\`.`),
    duplicate: duplicate.map(({ id, says }) => `${id} is stated more than once, again as: ${says}`),
    malformed: requirements
      .filter(({ id }) => !idPattern.test(id))
      .map(({ id }) => `'${id}' is not a slug area.subject.behaviour; use lower case, digits and hyphens.`),
  };
}

/** Counts requirements: all, those a test cites, those still planned. */
export function countCoverage(requirements: readonly Requirement[], citations: readonly Citation[]): CoverageCount {
  const cited = new Set(citations.map(({ id }) => id));
  return {
    stated: requirements.length,
    cited: requirements.filter(({ id }) => cited.has(id)).length,
    planned: requirements.filter(({ planned }) => planned !== undefined).length,
  };
}

/** The layer of a test file, given as its path from the root. */
export function findLayer(file: string): Layer {
  if (file.startsWith('test/e2e/')) return 'e2e';
  return file.endsWith('.unit.test.ts') ? 'unit' : 'lab';
}

/** How many cited requirements each layer proves; every cited one is counted once. */
export function countLayers(requirements: readonly Requirement[], citations: readonly Citation[]): LayerCount {
  const tests = Map.groupBy(citations, ({ id }) => id);
  const count: LayerCount = { lab: 0, unitAlone: 0, e2eAlone: 0, unitAndE2e: 0 };
  for (const { id } of requirements) {
    const layers = new Set(tests.get(id)?.map(({ where }) => findLayer(where.replace(/:\d+$/, ''))));
    if (layers.has('lab')) count.lab += 1;
    else if (layers.size === 2) count.unitAndE2e += 1;
    else if (layers.has('unit')) count.unitAlone += 1;
    else if (layers.has('e2e')) count.e2eAlone += 1;
  }
  return count;
}

// Compares what the tests cite with what the specifications state. Reads nothing and prints nothing.
import { parseSync, Visitor } from 'vite';
import { idPattern, type Requirement } from '../requirements/requirement.ts';

/** One id inside the first argument of one `verifies` call. */
export interface Citation {
  id: string;
  /** `file:line` of the call. */
  where: string;
}

/** What one test file cites; `unreadable` holds a sentence for each call whose ids cannot be read from the text. */
export interface Citations {
  citations: Citation[];
  unreadable: string[];
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
  const lineOf = (offset: number) => source.slice(0, offset).split('\n').length;
  new Visitor({
    ImportSpecifier(node) {
      const name = node.imported.type === 'Identifier' ? node.imported.name : node.imported.value;
      if (name !== 'verifies' || node.local.name === 'verifies') return;
      unreadable.push(
        `${file}:${lineOf(node.start)} renames verifies to ${node.local.name}; import it by its own name.`,
      );
    },
    CallExpression(node) {
      if (node.callee.type !== 'Identifier' || node.callee.name !== 'verifies') return;
      const where = `${file}:${lineOf(node.start)}`;
      const ids = node.arguments[0];
      if (ids?.type !== 'Literal' || typeof ids.value !== 'string') {
        unreadable.push(
          `${where} calls verifies with a first argument that is not a string literal; write the ids out.`,
        );
        return;
      }
      for (const id of ids.value.split(/\s+/)) citations.push({ id, where });
    },
  }).visit(program);
  return { citations, unreadable };
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

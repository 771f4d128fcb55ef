// A report of a run in which every check held.
import { checkDescriptions } from '#gate/checks.ts';
import { items } from '#gate/evidence/items.ts';
import { createReport, type RunFacts, reportText } from '#gate/report.ts';
import { isoTime } from '#kernel/time/clock.ts';
import { commit, testedAt } from './passing-evidence.ts';

const statements = items
  .filter(({ requiredBy }) => requiredBy.includes('strict'))
  .map(({ name, collector }) => ({
    item: name,
    how: collector === null ? ('attested' as const) : ('measured' as const),
    by: 'Ada Example',
    testedAt: isoTime(testedAt),
    attempts: collector === null ? 0 : 1,
    failedAttempts: 0,
  }));

const countOf = (kind: string) => statements.filter(({ how }) => how === kind).length;

const evidence = {
  policy: 'provenance' as const,
  measured: countOf('measured'),
  attested: countOf('attested'),
  declared: 0,
  declaredBy: null,
  signedBy: null,
  items: statements,
};

export const facts: RunFacts = {
  checkedAt: testedAt,
  gateProfile: 'publication',
  commit,
  profile: 'strict',
  endpointHost: 'mcp.gatehouse.test',
  endpoint: 'https://mcp.gatehouse.test/mcp',
  issuer: 'https://issuer.gatehouse.test',
  enabledRouters: 1,
  evidenceSha256: 'a'.repeat(64),
  evidenceSigned: false,
  evidence,
  privateCa: false,
  toolVersion: '0.1.0',
};

/** The text of its file; `about` over the facts of the run. */
export function passingReport(about: Partial<RunFacts> = {}): string {
  const findings = checkDescriptions.map(({ id, category }) => ({
    id,
    category,
    outcome: 'pass' as const,
    because: null,
  }));
  return reportText(
    createReport(
      checkDescriptions.map(({ id }) => id),
      findings,
      { ...facts, ...about },
    ),
  );
}

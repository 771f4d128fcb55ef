// Summarises the provenance of the evidence for the report.
import { toMembers, toObject, toTexts } from '../json.ts';
import { type EvidenceContext, type EvidencePolicy, evidencePolicies, type Profile } from './context.ts';
import { items } from './items.ts';
import { isName } from './name.ts';
import type { Run } from './transcripts.ts';

const kinds = ['measured', 'attested', 'declared'] as const;

export interface Statement {
  item: string;
  /** `declared`: the item has no provenance. */
  how: (typeof kinds)[number];
  /** The person who measured or attested it; null when none is named. */
  by: string | null;
  testedAt: string | null;
  /** Runs of the collector for this commit, and how many of them did not pass. */
  attempts: number;
  failedAttempts: number;
}

/** What a report states about the evidence, in addition to its digest. */
export interface EvidenceSummary {
  policy: EvidencePolicy;
  measured: number;
  attested: number;
  declared: number;
  /** The person responsible for declared items (MCP_GATE_OPERATOR); null without such items. */
  declaredBy: string | null;
  /** SHA-256 of the public key that verifies it; null when it is unsigned and so may be forged. */
  signedBy: string | null;
  items: Statement[];
}

export function summarizeEvidence(
  { document, runs, policy, signature }: EvidenceContext,
  operator: string | undefined,
): EvidenceSummary {
  const statements = items.flatMap(({ name }) => {
    const item = toObject(document?.[name]);
    return item ? [toStatement(name, item, runs.get(name) ?? [])] : [];
  });
  const count = (kind: Statement['how']) => statements.filter(({ how }) => how === kind).length;
  const declared = count('declared');
  return {
    policy,
    measured: count('measured'),
    attested: count('attested'),
    declared,
    declaredBy: declared > 0 ? (operator ?? null) : null,
    signedBy: signature.state === 'valid' ? signature.keyId : null,
    items: statements,
  };
}

export function listNames({ items: statements, declaredBy }: EvidenceSummary): string[] {
  return [...new Set([...statements.map(({ by }) => by), declaredBy].filter((by) => by !== null))];
}

function toStatement(item: string, members: Readonly<Record<string, unknown>>, kept: readonly Run[]): Statement {
  const { how, by, attempts } = toMembers(members.provenance);
  const named = toTexts(attempts);
  const runs = kept.filter(({ sha256 }) => named.includes(sha256));
  return {
    item,
    how: how === 'measured' || how === 'attested' ? how : 'declared',
    by: isName(by) ? by : null,
    testedAt: typeof members.testedAt === 'string' ? members.testedAt.slice(0, 40) : null,
    attempts: named.length,
    failedAttempts: runs.filter(({ transcript }) => transcript.passed !== true).length,
  };
}

/** Whether `value` is a summary of passing evidence: every item of the profile, each with a name. Null asks for no item. */
export function isSummary(value: unknown, profile: Profile | null): value is EvidenceSummary {
  const { items: list, declaredBy, signedBy, policy, ...counts } = toMembers(value);
  const statements = (Array.isArray(list) ? list : []).map(toMembers);
  const required = items.filter(({ requiredBy }) => profile !== null && requiredBy.includes(profile));
  const isCount = (count: unknown) => Number.isSafeInteger(count) && Number(count) >= 0;
  return (
    evidencePolicies.some((one) => one === policy) &&
    kinds.every((kind) => counts[kind] === statements.filter(({ how }) => how === kind).length) &&
    required.every(({ name }) => statements.some(({ item }) => item === name)) &&
    statements.every(
      ({ item, how, by, attempts, failedAttempts }) =>
        items.some(({ name }) => name === item) &&
        (how === 'declared' ? by === null : isName(by) && kinds.some((kind) => kind === how)) &&
        isCount(attempts) &&
        isCount(failedAttempts),
    ) &&
    (counts.declared === 0 ? declaredBy === null : policy === 'declared' && isName(declaredBy)) &&
    (signedBy === null || (typeof signedBy === 'string' && /^[0-9a-f]{64}$/.test(signedBy)))
  );
}

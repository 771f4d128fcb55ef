// The checks of the evidence: one for the document, one for each item, one for the protocol eras of the clients.
import { type Check, fail, passUnless, type Verdict } from '../check.ts';
import { toMembers, toObject } from '../json.ts';
import type { EvidenceContext, FieldRule, Item } from './context.ts';
import { commonFields, type ItemRule, items } from './items.ts';
import { provenanceFaults } from './provenance.ts';

const documentFields: Readonly<Record<string, FieldRule>> = {
  schemaVersion: (value) => (value === 3 ? null : 'must be 3: take a new `gatehouse gate template`'),
  deployedCommit: (value, _item, { commit }) => (value === commit ? null : 'must be the exact deployed commit'),
  publishDns: (value) => (value === false ? null : 'must be false: the gate runs before anything is published'),
};

const document: Check<EvidenceContext> = {
  id: 'evidence.document',
  asks: 'the evidence is schema v3, of the deployed commit, and publishes nothing',
  category: 'evidence',
  remedy: 'start from `gatehouse gate template`; an older file with a new number is not enough',
  judge({ document: whole, ...context }) {
    if (whole === undefined) {
      return fail('it is not a JSON object');
    }
    const known = new Set([...Object.keys(documentFields), ...items.map(({ name }) => name)]);
    const unknown = Object.keys(whole).filter((key) => !known.has(key));
    return passUnless([
      ...wrongFields(documentFields, whole, { document: whole, ...context }),
      ...(unknown.length > 0 ? [`${unknown.length} unknown key(s) in the document`] : []),
    ]);
  },
};

const protocolEras: Check<EvidenceContext> = {
  id: 'evidence.protocolEras',
  asks: 'a client ran in protocol era 2025-11-25, and one in 2026-07-28',
  category: 'evidence',
  remedy: 'run `gatehouse gate collect client-runs` with clients of both eras',
  judge({ document: whole }) {
    const clientRuns = toMembers(whole?.clientCompatibility);
    const { clientAProtocolVersion: a, clientBProtocolVersion: b, legacyProtocolVersion: legacy } = clientRuns;
    return passUnless([
      ...([a, b].includes('2026-07-28') ? [] : ['no client ran in era 2026-07-28']),
      ...([a, b, legacy].includes('2025-11-25') ? [] : ['no client ran in era 2025-11-25']),
    ]);
  },
};

export const evidenceChecks: readonly Check<EvidenceContext>[] = [document, ...items.map(itemCheck), protocolEras];

function itemCheck(rule: ItemRule): Check<EvidenceContext> {
  return {
    id: `evidence.${rule.name}`,
    asks: rule.shows,
    category: rule.name === 'idpCompatibility' ? 'authorizationCompatibility' : 'evidence',
    remedy:
      rule.collector === null
        ? `exercise it, then \`gatehouse gate attest ${rule.name} --by NAME\``
        : `run \`gatehouse gate collect ${rule.collector}\` again`,
    judge: (context) => judgeByRule(rule, context),
  };
}

/** Judges one item by its name. Throws when schema v3 has no such item. */
export function judgeItem(name: string, context: EvidenceContext): Verdict {
  const rule = items.find((one) => one.name === name);
  if (!rule) {
    throw new Error(`schema v3 has no item ${name}`);
  }
  return judgeByRule(rule, context);
}

function judgeByRule(rule: ItemRule, context: EvidenceContext): Verdict {
  const value = context.document?.[rule.name];
  if (value === undefined && !rule.requiredBy.includes(context.profile)) {
    return { outcome: 'not-required', because: `profile ${context.profile} does not ask for it` };
  }
  if (value === undefined && rule.isOurs && context.policy === 'declared') {
    return { outcome: 'not-required', because: 'the policy "declared" does not ask for it' };
  }
  const item = toObject(value);
  if (item === undefined) {
    return fail(value === undefined ? 'it is missing' : 'it is not an object');
  }
  const fields = { ...commonFields, ...rule.fields };
  const unknown = Object.keys(item).filter((key) => key !== 'provenance' && !Object.hasOwn(fields, key));
  return passUnless([
    ...provenanceFaults(rule, item, context),
    ...wrongFields(fields, item, context),
    ...(unknown.length > 0 ? [`${unknown.length} unknown key(s)`] : []),
  ]);
}

function wrongFields(fields: Readonly<Record<string, FieldRule>>, item: Item, context: EvidenceContext): string[] {
  return Object.entries(fields).flatMap(([name, rule]) => {
    const wrong = rule(item[name], item, context);
    return wrong === null ? [] : [`${name} ${wrong}`];
  });
}

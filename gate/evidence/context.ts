// What an evidence item is judged against. Pure values: the same evidence at the same time gives the same verdict.
import { limits } from '#contract/limits.ts';
import { parseIsoTime } from '#kernel/clock.ts';
import { objectOf } from '../json.ts';

export const profiles = ['strict', 'cloud_idp'] as const;
export type Profile = (typeof profiles)[number];

export interface EvidenceContext {
  /** The whole document; `undefined` when it is not a JSON object. */
  document: Readonly<Record<string, unknown>> | undefined;
  /** Epoch milliseconds. */
  now: number;
  /** The exact deployed commit: 40 hexadecimal digits. */
  commit: string;
  profile: Profile;
  issuer: string;
  resource: string;
  /** Ports of the settings that must be closed to strangers; none are asked for when absent. */
  ingressPorts?: readonly number[];
  /** What the signature beside the file is worth. */
  signature: { state: 'valid' | 'not-asked' } | { state: 'wrong'; because: string };
}

export type Item = Readonly<Record<string, unknown>>;

/** A field's rule: says what is wrong, or nothing. */
export type FieldRule = (value: unknown, item: Item, context: EvidenceContext) => string | null;

export const isTrue: FieldRule = (value) => (value === true ? null : 'must be true');
export const isFalse: FieldRule = (value) => (value === false ? null : 'must be false');

/** Absence is as good as what `rule` takes. */
export const optional =
  (rule: FieldRule): FieldRule =>
  (value, item, context) =>
    value === undefined ? null : rule(value, item, context);

export const oneOf =
  (...values: readonly string[]): FieldRule =>
  (value) =>
    values.some((one) => one === value) ? null : `must be ${values.map((one) => JSON.stringify(one)).join(' or ')}`;

export const isText: FieldRule = (value) =>
  typeof value === 'string' && value.trim() !== '' && value.length <= 200
    ? null
    : 'must be a text of 1 to 200 characters';

export const isCommit: FieldRule = (value, _item, { commit }) =>
  value === commit ? null : 'must be the exact deployed commit';

/** At most 30 days old and at most 5 minutes ahead. Specification 2 §8, wire contract 8.2. */
export const isRecent: FieldRule = (value, _item, { now }) => {
  const at = typeof value === 'string' ? parseIsoTime(value) : null;
  if (at === null) {
    return 'must be an ISO-8601 date and time with offset';
  }
  if (at > now + limits.gateEvidenceAheadMs) {
    return 'lies in the future';
  }
  return now - at > limits.gateEvidenceAgeMs ? 'is more than 30 days old' : null;
};

/** How the item came about: measured by a collector, or attested by a named person. Absent: neither is claimed. */
export const isProvenance: FieldRule = (value) => {
  const provenance = objectOf(value);
  if (!provenance) {
    return 'must be an object';
  }
  const { how, ...rest } = provenance;
  const texts: Readonly<Record<string, readonly string[]>> = {
    measured: ['tool', 'toolVersion', 'transcriptSha256'],
    attested: ['by'],
  };
  const names = typeof how === 'string' && Object.hasOwn(texts, how) ? texts[how] : undefined;
  if (!names) {
    return 'must say how: "measured" or "attested"';
  }
  const unknown = Object.keys(rest).some((name) => !names.includes(name));
  const isWhole = names.every((name) => isText(rest[name], rest, undefined as never) === null);
  if (unknown || !isWhole) {
    return `must have ${names.join(', ')} and nothing else`;
  }
  return how === 'measured' && !/^[0-9a-f]{64}$/.test(String(rest.transcriptSha256))
    ? 'transcriptSha256 must be 64 hexadecimal digits'
    : null;
};

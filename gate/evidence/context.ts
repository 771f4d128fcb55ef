// The input of the evidence rules. Pure values: the same evidence at the same time gives the same verdict.
import { limits } from '#contract/limits.ts';
import { parseIsoTime } from '#kernel/time/clock.ts';
import type { Run } from './transcripts.ts';

export const profiles = ['strict', 'cloud_idp'] as const;
export type Profile = (typeof profiles)[number];

/** `provenance`: every item states its origin. `declared`: an item may omit it (decision 017). */
export const evidencePolicies = ['provenance', 'declared'] as const;
export type EvidencePolicy = (typeof evidencePolicies)[number];

export interface EvidenceContext {
  /** The whole document; `undefined` when it is not a JSON object. */
  document: Readonly<Record<string, unknown>> | undefined;
  /** Epoch milliseconds. */
  now: number;
  /** The exact deployed commit: 40 hexadecimal digits. */
  commit: string;
  profile: Profile;
  /** The endpoint of the gate; its resource is the same text. */
  endpoint: string;
  issuer: string;
  resource: string;
  /** Configured ports that must be closed to the outside; not checked when absent. */
  ingressPorts?: readonly number[];
  policy: EvidencePolicy;
  /** `jti` of MCP_GATE_REVOKED_EXPIRED_TOKEN; null: it has none. Absent while evidence is collected. */
  revokedTokenJti?: string | null;
  /** Stored runs by item, in the order of their numbers. */
  runs: ReadonlyMap<string, readonly Run[]>;
  /** Result of verifying the file's detached signature; `keyId` is the SHA-256 of the public key that verifies it. */
  signature: { state: 'not-asked' } | { state: 'valid'; keyId: string } | { state: 'wrong'; because: string };
}

export type Item = Readonly<Record<string, unknown>>;

/** A rule for a field: returns what is wrong, or nothing. */
export type FieldRule = (value: unknown, item: Item, context: EvidenceContext) => string | null;

export const isTrue: FieldRule = (value) => (value === true ? null : 'must be true');
export const isFalse: FieldRule = (value) => (value === false ? null : 'must be false');

/** Accepts absence, and what `rule` accepts. */
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

export const matchesGateSetting =
  (name: 'endpoint' | 'issuer' | 'resource'): FieldRule =>
  (value, _item, context) =>
    value === context[name] ? null : `must be the ${name} of the gate`;

/** Applies `rule` unless the item has no provenance and the field is absent. */
export const unlessDeclared =
  (rule: FieldRule): FieldRule =>
  (value, item, context) =>
    value === undefined && item.provenance === undefined ? null : rule(value, item, context);

/** At most 30 days old and at most 5 minutes ahead (docs/reference/wire-contract/8-gate.md#82-evidence). */
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

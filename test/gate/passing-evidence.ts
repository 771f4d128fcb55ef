// Complete, passing evidence of both profiles: the specification's minimum.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { EvidenceContext, Profile } from '#gate/evidence/context.ts';
import { parseIsoTime } from '#kernel/time/clock.ts';
import { root } from '../support/program.ts';

export type Document = Record<string, unknown>;

export const commit = '0123456789abcdef0123456789abcdef01234567';
/** When every item of the fixtures was tested. */
export const testedAt = parseIsoTime('2026-11-21T09:30:00Z') ?? 0;

export const issuers: Record<Profile, string> = {
  strict: 'https://issuer.gatehouse.example',
  cloud_idp: 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Example',
};

export const resource = 'https://mcp.gatehouse.example/mcp';

const files: Record<Profile, string> = { strict: 'v3.strict.json', cloud_idp: 'v3.cloud-idp.json' };

/** A fresh copy of the passing document, which says nothing of how it came about. */
export function passingEvidence(profile: Profile): Document {
  return JSON.parse(readFileSync(path.join(root, 'fixtures/evidence', files[profile]), 'utf8')) as Document;
}

/** The context in which that is enough. */
export function createContext(profile: Profile, document: Document | undefined, now = testedAt): EvidenceContext {
  return {
    document,
    now,
    commit,
    profile,
    endpoint: resource,
    issuer: issuers[profile],
    resource,
    policy: 'declared',
    revokedTokenJti: 'id-of-the-revoked-token',
    runs: new Map(),
    signature: { state: 'not-asked' },
  };
}

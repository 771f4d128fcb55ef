// Mistakes in the evidence, its signature and its report: what was measured, by whom, of what.
import { items } from '../evidence/items.ts';
import type { Mistake } from './mistake.ts';

const strict = items.filter(({ requiredBy }) => requiredBy.includes('strict')).map(({ name }) => `evidence.${name}`);

const untold: readonly Mistake[] = [
  { id: 'evidence.nothing-measured', sentence: 'every item is typed: passed, time and commit', red: strict },
  {
    id: 'evidence.one-item-typed',
    sentence: 'one item is typed among measured ones',
    red: ['evidence.reverseProxyLimits'],
  },
  {
    id: 'evidence.digest-of-zeros',
    sentence: 'an item says that it was measured, with 64 zeros as the digest of its transcript',
    red: ['evidence.directIngress'],
  },
  {
    id: 'evidence.attested-what-is-measured',
    sentence: 'a person attests what a collector measures',
    red: ['evidence.jwksOutage'],
  },
  {
    id: 'evidence.measured-what-is-attested',
    sentence: 'an item that no collector measures says that it was measured',
    red: ['evidence.rollback'],
  },
  {
    id: 'evidence.unknown-provenance',
    sentence: 'an item says that it was observed',
    red: ['evidence.credentialRotation'],
  },
  { id: 'evidence.measured-by-nobody', sentence: 'a measured item names nobody', red: ['evidence.directIngress'] },
  { id: 'evidence.attested-by-nobody', sentence: 'the rollback is attested by a dash', red: ['evidence.rollback'] },
];

const touchedUp: readonly Mistake[] = [
  {
    id: 'evidence.transcript-lost',
    sentence: 'the evidence was copied without one of its transcripts',
    red: ['evidence.credentialRotation'],
  },
  {
    id: 'evidence.transcript-changed',
    sentence: 'a transcript was changed after its run',
    red: ['evidence.jwksOutage'],
  },
  {
    id: 'evidence.failure-set-to-passed',
    sentence: 'a run found an open port, and its item was set to passed by hand',
    red: ['evidence.directIngress'],
  },
  {
    id: 'evidence.objection-passed-over',
    sentence: 'a run objected although its fields are right, and its item was set to passed by hand',
    red: ['evidence.refreshRevocation'],
  },
  {
    id: 'evidence.lifetime-corrected',
    sentence: 'access tokens of 20 minutes were measured, and 10 were written',
    red: ['evidence.refreshRevocation'],
  },
  {
    id: 'evidence.era-corrected',
    sentence: 'both clients ran in the older era, and the newer was written for one',
    red: ['evidence.clientCompatibility'],
  },
  {
    id: 'evidence.transcript-of-another-item',
    sentence: 'the transcript of one item serves for another',
    red: ['evidence.reverseProxyLimits'],
  },
  {
    id: 'evidence.time-freshened',
    sentence: 'a run of 40 days ago was given the time of today',
    red: ['evidence.reverseProxyLimits'],
  },
  {
    id: 'evidence.commit-freshened',
    sentence: 'a run for the release before was given the commit of this one',
    red: ['evidence.jwksOutage'],
  },
  {
    id: 'evidence.worse-run-hidden',
    sentence: 'a later run failed, and the evidence of the run before was put back',
    red: ['evidence.directIngress'],
  },
  {
    id: 'evidence.worse-run-deleted',
    sentence: 'a collector ran until it passed, and the transcripts of the failures were deleted',
    red: ['evidence.refreshRevocation'],
  },
  {
    id: 'evidence.older-template',
    sentence: 'an older template was given the number 3',
    red: ['evidence.document'],
  },
];

const ofAnother: readonly Mistake[] = [
  {
    id: 'evidence.other-endpoint',
    sentence: 'an item was collected on another endpoint',
    red: ['evidence.reverseProxyLimits'],
  },
  {
    id: 'evidence.other-issuer',
    sentence: 'an item was collected at another issuer',
    red: ['evidence.refreshRevocation'],
  },
  {
    id: 'evidence.other-resource',
    sentence: 'an item was collected for another resource',
    red: ['evidence.clientCompatibility'],
  },
  {
    id: 'evidence.attested-elsewhere',
    sentence: 'the rollback that is attested is that of another endpoint',
    red: ['evidence.rollback'],
  },
  {
    id: 'evidence.cold-process-of-another-release',
    sentence: 'the cold process of the outage was started from another checkout',
    red: ['evidence.jwksOutage'],
  },
  {
    id: 'evidence.process-without-commit',
    sentence: 'the processes of the rotation do not know what they were built from',
    red: ['evidence.credentialRotation'],
  },
  {
    id: 'operator.commit-of-nothing',
    sentence: 'settings and evidence agree on a commit that is deployed nowhere',
    red: ['release.endpoint', 'release.hub'],
  },
  {
    id: 'operator.endpoint-of-another-release',
    sentence: 'the endpoint still runs the release before',
    red: ['release.endpoint'],
  },
  {
    id: 'operator.hub-of-another-release',
    sentence: 'the hub still runs the release before',
    red: ['release.hub'],
  },
  {
    id: 'endpoint.says-no-commit',
    sentence: 'the endpoint does not know what it was built from',
    red: ['release.endpoint'],
  },
];

const signed: readonly Mistake[] = [
  {
    id: 'evidence.edited-after-signing',
    sentence: 'the evidence was changed after it was signed',
    red: ['evidence.signature'],
  },
  { id: 'evidence.not-signed', sentence: 'a key is configured, and nothing is signed', red: ['evidence.signature'] },
  {
    id: 'evidence.signed-with-another-key',
    sentence: 'somebody else signed the evidence',
    red: ['evidence.signature'],
  },
  {
    id: 'evidence.signed-as-report',
    sentence: 'the evidence was signed as if it were a report',
    red: ['evidence.signature'],
  },
];

export const evidenceMistakes: readonly Mistake[] = [...untold, ...touchedUp, ...ofAnother, ...signed];

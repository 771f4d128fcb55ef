// `gatehouse gate verify-report`: verifies that a report is valid for a deployment.

import { isDeepStrictEqual } from 'node:util';
import { limits } from '#contract/limits.ts';
import { sha256 } from '#kernel/text/digest.ts';
import { parseJson } from '#kernel/text/json.ts';
import { parseIsoTime, systemClock } from '#kernel/time/clock.ts';
import { type Finding, holds } from '../check.ts';
import { checkDescriptions } from '../checks.ts';
import type { GateProfile } from '../config.ts';
import { isSummary } from '../evidence/summary.ts';
import { readRuns, transcriptFaults } from '../evidence/transcripts.ts';
import { toMembers, toObject } from '../json.ts';
import { GateError, readIfRegular, readPrivateFile, readPublicFile } from '../private-file.ts';
import { toRemarks } from '../remarks.ts';
import {
  isReport,
  listNotApplicable,
  type Report,
  readyStatus,
  resourceServerStatus,
  resultsByCategory,
} from '../report.ts';
import { signatureFault, toSignaturePath } from '../signature.ts';
import { type Command, parseOptions, parseProfile, UsageError } from './command.ts';

const hourMs = 3_600_000;
const mostAgeMs = 720 * hourMs;

const options = {
  commit: { type: 'string' },
  endpoint: { type: 'string' },
  evidence: { type: 'string' },
  key: { type: 'string' },
  profile: { type: 'string' },
  'max-age': { type: 'string' },
  'max-age-hours': { type: 'string' },
} as const;

export const verifyReportCommand: Command = {
  summary:
    'verify a report: status, commit, endpoint, age, evidence, completeness, signature; prints what is not proved',
  usage: `Usage: gatehouse gate verify-report FILE --commit SHA --endpoint URL --evidence FILE --key PUBLIC-KEY
                                    [--profile NAME] [--max-age T]

Options
  --commit SHA     the deployed commit
  --endpoint URL   the endpoint to publish
  --evidence FILE  the evidence of the report: its digest and its transcripts must match
  --key FILE       the operator's public key: the report must be signed with it
  --profile NAME   what the report must be of: publication or resource-server (publication)
  --max-age T      maximum age: 90m, 24h or 7d, up to 30d (24h); --max-age-hours N is the same in hours

Without an option, its value is not compared, and the output says so.

Exit code: 0 when the report is valid and signed, 3 when it is valid but has no verified signature, 1 when it is not valid
(one reason per line), 2 when it cannot be read.
`,
  run(argv) {
    const { values, positionals } = parseOptions(argv, options, 1);
    const maxAgeMs = parseMaxAge(values['max-age'], values['max-age-hours']);
    const [file = ''] = positionals;
    const text = readPrivateFile(file, 'the report');
    const report: unknown = parseJson(text);
    if (!isReport(report)) {
      throw new GateError(`${file} is no report of this gate`);
    }
    const signature = verifySignature(file, text, values.key);
    const { commit, endpoint, evidence } = values;
    const profile = parseProfile(values.profile) ?? 'publication';
    const reasons = [
      ...findReportFaults(report, { now: systemClock.now(), maxAgeMs, commit, endpoint, profile }),
      ...(evidence === undefined ? [] : findEvidenceFaults(report, evidence)),
      ...(signature.state === 'wrong' ? [signature.because] : []),
    ];
    if (reasons.length > 0) {
      process.stdout.write(`${reasons.join('\n')}\n`);
      return Promise.resolve(1);
    }
    const verdict =
      signature.state === 'valid'
        ? 'the report stands, and is signed'
        : `the report is unsigned: nothing speaks against it, but ${signature.because}`;
    const lines = [verdict, ...describeNotCompared(values, profile), ...toRemarks(report)];
    process.stdout.write(`${lines.join('\n')}\n`);
    return Promise.resolve(signature.state === 'valid' ? 0 : 3);
  },
};

function describeNotCompared(
  values: { [name in keyof typeof options]?: string | undefined },
  profile: GateProfile,
): string[] {
  const sentences = {
    endpoint: 'that it is about the endpoint that is to be published',
    ...(profile === 'publication' && {
      commit: 'that it is about the commit that is deployed now',
      evidence: 'that it was made from this evidence',
    }),
  };
  return Object.entries(sentences).flatMap(([name, what]) =>
    values[name as keyof typeof options] === undefined ? [`Not compared (--${name}): ${what}.`] : [],
  );
}

/** The maximum age in milliseconds; a day by default. */
function parseMaxAge(text: string | undefined, hours: string | undefined): number {
  const units: Readonly<Record<string, number>> = { m: 60_000, h: hourMs, d: 24 * hourMs };
  const [, digits, unit = 'h'] = /^(\d{1,5})([mhd])$/.exec(text ?? `${hours ?? '24'}h`) ?? [];
  const ms = Number(digits) * (units[unit] ?? hourMs);
  if (!(ms > 0 && ms <= mostAgeMs) || (text !== undefined && hours !== undefined)) {
    throw new UsageError('--max-age must be a time such as 90m, 24h or 7d, up to 30d');
  }
  return ms;
}

interface Expected {
  now: number;
  maxAgeMs: number;
  commit: string | undefined;
  endpoint: string | undefined;
  /** `publication` when absent. */
  profile?: GateProfile;
}

/** The reasons why a report is not valid; empty when it is. Pure; accepts any content. */
export function findReportFaults(report: Report, { now, maxAgeMs, commit, endpoint, ...about }: Expected): string[] {
  const { profile = 'publication' } = about;
  const found = report.profile ?? 'publication';
  const at = parseIsoTime(report.checkedAt);
  const ids = report.findings.map((finding) => toMembers(finding).id);
  const isComplete =
    ids.length === checkDescriptions.length &&
    checkDescriptions.every(({ id }) => ids.filter((one) => one === id).length === 1);
  return [
    ...(found === profile
      ? []
      : [`it is of the profile ${found === 'publication' ? found : 'resource-server'}, not of ${profile}`]),
    ...(report.status === (found === 'publication' ? readyStatus : resourceServerStatus)
      ? []
      : ['its status is failed']),
    ...(report.failedChecks.length === 0 ? [] : ['it names failed checks']),
    ...(isComplete ? [] : ['its checks are not those of this version of the gate']),
    ...(report.findings.every((finding) => toObject(finding) && holds(finding)) ? [] : ['a check of it does not hold']),
    ...(commit === undefined || report.deployedCommit === commit ? [] : ['it is about another commit']),
    ...(endpoint === undefined || report.endpoint === endpoint ? [] : ['it is about another endpoint']),
    ...(isConsistent(report) ? [] : ['its parts do not agree with its checks']),
    ...(at === null ? ['it does not say when it was made'] : findAgeFaults(now - at, maxAgeMs)),
    ...(report.dnsPublished === false ? [] : ['the name was published when it was made']),
  ];
}

function findAgeFaults(ageMs: number, maxAgeMs: number): string[] {
  if (ageMs < -limits.gateEvidenceAheadMs) {
    return ['it was made in the future'];
  }
  return ageMs > maxAgeMs ? ['it is too old'] : [];
}

/** Recomputes results and counts from findings and items, to detect reports that were edited by hand. */
function isConsistent({ findings, checks, oauthCompatibilityProfile: profile, ...report }: Report): boolean {
  const list = findings.map(toMembers) as unknown as Finding[];
  return (
    isDeepStrictEqual(checks, resultsByCategory(list, profile, report.profile ?? 'publication')) &&
    isDeepStrictEqual(report.notApplicable, report.profile && listNotApplicable(list)) &&
    isSummary(report.evidence, report.profile === undefined ? profile : null) &&
    report.evidenceSigned === (report.evidence.signedBy !== null) &&
    typeof report.privateCa === 'boolean'
  );
}

function findEvidenceFaults(report: Report, file: string): string[] {
  const text = readPrivateFile(file, 'the evidence');
  return report.evidenceSha256 === sha256(text)
    ? transcriptFaults(parseJson(text), readRuns(file))
    : ['it was made from other evidence, or the evidence was changed since'];
}

type Signature = { state: 'valid' } | { state: 'unsigned' | 'wrong'; because: string };

function verifySignature(file: string, text: string, key: string | undefined): Signature {
  if (key === undefined) {
    return { state: 'unsigned', because: 'without --key nothing shows that the gate wrote it: a text editor can' };
  }
  const envelope = readIfRegular(toSignaturePath(file));
  const publicKey = readPublicFile(key, 'the public key');
  if (envelope === null) {
    return { state: 'unsigned', because: 'there is no signature next to it: a text editor can write such a file' };
  }
  const fault = signatureFault(publicKey, 'report', text, parseJson(envelope));
  return fault === null ? { state: 'valid' } : { state: 'wrong', because: fault };
}

// Builds the report from the findings. It passes only when every check holds; no field can hold a secret.
import { rmSync, statSync } from 'node:fs';
import { messageOf } from '#kernel/errors.ts';
import { readJson, writeJson } from '#kernel/files/files.ts';
import { isoTime } from '#kernel/time/clock.ts';
import { type Category, categories, type Finding, holds, isNotApplicable } from './check.ts';
import type { GateProfile } from './config.ts';
import type { Profile } from './evidence/context.ts';
import type { EvidenceSummary } from './evidence/summary.ts';
import { GateError } from './private-file.ts';

export const readyStatus = 'ready_for_manual_dns_review';
/** The best status under the profile `resource-server`. It does not say that anything may be published. */
export const resourceServerStatus = 'resource_server_checks_hold';

/** What the run judged: everything but its findings. */
export interface RunFacts {
  checkedAt: number;
  gateProfile: GateProfile;
  commit: string;
  profile: Profile;
  endpointHost: string;
  endpoint: string;
  issuer: string;
  enabledRouters: number;
  evidenceSha256: string;
  evidenceSigned: boolean;
  evidence: EvidenceSummary;
  privateCa: boolean;
  toolVersion: string;
}

type Grade = 'pass' | 'fail' | 'not-applicable';

/** The report and its fields (docs/reference/wire-contract/8-gate.md#84-report). */
export interface Report {
  schemaVersion: 3;
  status: typeof readyStatus | typeof resourceServerStatus | 'failed';
  /** Absent in a report of the profile `publication`. */
  profile?: 'resource-server';
  /** Checks that need a deployment of Gatehouse; only beside `profile`. */
  notApplicable?: string[];
  checkedAt: string;
  deployedCommit: string;
  oauthCompatibilityProfile: Profile;
  endpointHost: string;
  endpoint: string;
  issuer: string;
  dnsPublished: boolean;
  enabledRouters: number;
  checks: Partial<Record<Category, Grade | string | Record<string, Grade>>>;
  failedChecks: string[];
  findings: Finding[];
  evidenceSha256: string;
  evidenceSigned: boolean;
  evidence: EvidenceSummary;
  privateCa: boolean;
  toolVersion: string;
}

/**
 * Builds the report. Throws unless `findings` has exactly one entry for each of `expected`, so that a lost check cannot
 * turn into a passing report.
 */
export function createReport(expected: readonly string[], findings: readonly Finding[], facts: RunFacts): Report {
  const ids = findings.map(({ id }) => id);
  const same = expected.length === ids.length && expected.every((id) => ids.filter((one) => one === id).length === 1);
  if (!same || expected.length === 0) {
    throw new Error('the findings are not exactly one for each check');
  }
  const failedChecks = findings.filter((finding) => !holds(finding)).map(({ id }) => id);
  const heldStatus = facts.gateProfile === 'publication' ? readyStatus : resourceServerStatus;
  return {
    schemaVersion: 3,
    status: failedChecks.length === 0 ? heldStatus : 'failed',
    ...(facts.gateProfile === 'publication'
      ? {}
      : { profile: facts.gateProfile, notApplicable: listNotApplicable(findings) }),
    checkedAt: isoTime(facts.checkedAt),
    deployedCommit: facts.commit,
    oauthCompatibilityProfile: facts.profile,
    endpointHost: facts.endpointHost,
    endpoint: facts.endpoint,
    issuer: facts.issuer,
    dnsPublished: findings.some(({ category, outcome }) => category === 'publicDnsAbsent' && outcome === 'fail'),
    enabledRouters: facts.enabledRouters,
    checks: resultsByCategory(findings, facts.profile, facts.gateProfile),
    failedChecks,
    findings: findings.map(({ id, category, outcome, because }) => ({ id, category, outcome, because })),
    evidenceSha256: facts.evidenceSha256,
    evidenceSigned: facts.evidenceSigned,
    evidence: facts.evidence,
    privateCa: facts.privateCa,
    toolVersion: facts.toolVersion,
  };
}

const statuses: readonly Report['status'][] = [readyStatus, resourceServerStatus, 'failed'];

const eraChecks: Readonly<Record<string, readonly string[]>> = {
  '2025-11-25': ['era.legacy', 'era.stream', 'era.sameTools'],
  '2026-07-28': ['era.modern', 'era.sameTools'],
};

export function listNotApplicable(findings: readonly Finding[]): string[] {
  return findings.filter(isNotApplicable).map(({ id }) => id);
}

export function resultsByCategory(
  findings: readonly Finding[],
  profile: Profile,
  gateProfile: GateProfile,
): Report['checks'] {
  const isUntried = (some: readonly Finding[]) =>
    gateProfile !== 'publication' && some.every(({ outcome }) => outcome === 'not-required');
  const grade = (some: readonly Finding[], decisive = some): Grade => {
    if (some.length === 0 || !some.every(holds)) {
      return 'fail';
    }
    return isUntried(decisive) ? 'not-applicable' : 'pass';
  };
  const of = (category: Category) => findings.filter((finding) => finding.category === category);
  const special: readonly Category[] = ['protocolRevisions', 'authorizationCompatibility'];
  const plain = categories.filter((category) => !special.includes(category));
  const cloudPass = gateProfile === 'publication' ? 'idp-evidence-pass' : 'pass';
  const compatible = profile === 'strict' ? 'strict-metadata-pass' : cloudPass;
  return {
    ...Object.fromEntries(plain.map((category) => [category, grade(of(category))])),
    protocolRevisions: Object.fromEntries(
      Object.entries(eraChecks).map(([era, ids]) => {
        const some = findings.filter(({ id }) => ids.includes(id));
        // The first of them says whether the endpoint speaks this era; the others may hold for the other one.
        return [era, grade(some, some.slice(0, 1))];
      }),
    ),
    authorizationCompatibility: grade(of('authorizationCompatibility')) === 'pass' ? compatible : 'fail',
  };
}

/**
 * Removes the report of an earlier run before any check, so that a passing report does not survive an unfinished run.
 * Throws a GateError when `file` is not a report.
 */
export function removeEarlierReport(file: string): void {
  if (!statSync(file, { throwIfNoEntry: false })) {
    return;
  }
  if (!isReport(readReport(file))) {
    throw new GateError(`${file} is there and is no report of this gate: name another file with --report`);
  }
  rmSync(file);
}

/** Writes the report atomically, mode 0600. */
export function writeReport(file: string, report: Report): void {
  writeJson(file, report);
}

export function reportText(report: Report): string {
  return `${JSON.stringify(report, null, 2)}\n`;
}

/** Parses `file`; `undefined` when it does not exist or is not JSON. */
export function readReport(file: string): unknown {
  try {
    return readJson(file);
  } catch (error) {
    if (/not valid JSON/.test(messageOf(error))) {
      return undefined;
    }
    throw error;
  }
}

export function isReport(value: unknown): value is Report {
  const report = value as Partial<Report> | null | undefined;
  return (
    report?.schemaVersion === 3 &&
    statuses.some((status) => status === report.status) &&
    typeof report.checkedAt === 'string' &&
    typeof report.deployedCommit === 'string' &&
    typeof report.evidenceSha256 === 'string' &&
    Array.isArray(report.findings) &&
    Array.isArray(report.failedChecks)
  );
}

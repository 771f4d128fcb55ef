// What the formats of a report share: the verdict, the properties of the run, and a row for each finding.
import type { Finding } from '../check.ts';
import { checkDescriptions } from '../checks.ts';
import { type Report, readyStatus, resourceServerStatus } from '../report.ts';
import { resourceServerTexts } from '../resource-server.ts';

export interface Row extends Finding {
  asks: string;
  remedy: string;
}

export function toRows({ findings, profile }: Report): Row[] {
  return findings.map((finding) => {
    const { asks = '', remedy = '' } = checkDescriptions.find(({ id }) => id === finding.id) ?? {};
    return { ...finding, asks, remedy, ...(profile && resourceServerTexts[finding.id]) };
  });
}

/** The facts of a run that JUnit and SARIF show as properties. */
export function toProperties({ profile, ...report }: Report): Readonly<Record<string, string>> {
  const { status, endpoint, issuer, oauthCompatibilityProfile, deployedCommit } = report;
  return { status, profile: profile ?? 'publication', endpoint, issuer, oauthCompatibilityProfile, deployedCommit };
}

export function countRows(rows: readonly Row[], outcome: Finding['outcome']): number {
  return rows.filter((row) => row.outcome === outcome).length;
}

export function formatVerdict({ status, findings, failedChecks, notApplicable = [] }: Report): string {
  if (status === readyStatus) {
    return `All ${findings.length} checks hold: ${readyStatus}. A person decides about DNS.`;
  }
  const applicable = findings.length - notApplicable.length;
  return status === resourceServerStatus
    ? `All ${applicable} checks that apply hold: ${resourceServerStatus}. A person decides about DNS.`
    : `${failedChecks.length} of ${applicable} checks do not hold: do not publish the name.`;
}

/** Returns `text` as one line that XML can hold: control characters and halves of surrogate pairs become U+FFFD. */
export function toPlainLine(text: string | null): string {
  return (text ?? '').toWellFormed().replace(/[\p{Cc}\u2028\u2029\ufffe\uffff]/gu, '\ufffd');
}

// What every format of a report shows: its verdict, and each finding beside what the check asks and its remedy.
import type { Finding } from '../check.ts';
import { checkDescriptions } from '../checks.ts';
import { type Report, readyStatus, resourceServerStatus } from '../report.ts';

export interface Row extends Finding {
  asks: string;
  remedy: string;
}

export function toRows({ findings }: Report): Row[] {
  return findings.map((finding) => {
    const { asks = '', remedy = '' } = checkDescriptions.find(({ id }) => id === finding.id) ?? {};
    return { ...finding, asks, remedy };
  });
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

/** The same text as one line that XML can hold: control characters and halves of surrogate pairs become U+FFFD. */
export function toPlainLine(text: string | null): string {
  return (text ?? '').toWellFormed().replace(/[\p{Cc}\u2028\u2029\ufffe\uffff]/gu, '\ufffd');
}

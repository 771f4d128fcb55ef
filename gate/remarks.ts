// Explains to the operator what a report is based on and what it does not prove.
import { listNames } from './evidence/summary.ts';
import type { Report } from './report.ts';

export function toRemarks(report: Report): string[] {
  const { dnsPublished, privateCa, findings } = report;
  const untried = findings.filter(({ because }) => because?.endsWith('was not tried')).map(({ id }) => id);
  return [
    ...(dnsPublished
      ? [
          'The name is in public DNS, and the run failed. If you published it: remove the public DNS aliases, disable the proxy route of /mcp, return to private access, and restore the last verified release (docs/gate.md, section 6).',
        ]
      : []),
    ...(report.profile === undefined ? toEvidenceRemarks(report) : toProfileRemarks(report)),
    ...(untried.length > 0 ? [`Not tried, because a token for it was not given: ${untried.join(', ')}.`] : []),
    ...(report.profile === undefined ? [toSignatureRemark(report)] : []),
    ...(privateCa
      ? [
          'A private CA was trusted (privateCa: true): nothing shows that strangers will trust the certificate of the name.',
        ]
      : []),
  ];
}

function toEvidenceRemarks({ evidence }: Report): string[] {
  const { measured, attested, declared, declaredBy, items } = evidence;
  const attesting = items.filter(({ how }) => how === 'attested');
  const repeated = items.filter(({ failedAttempts }) => failedAttempts > 0);
  const names = listNames(evidence);
  return [
    `Evidence: ${measured} item(s) measured, ${attested} attested, ${declared} declared. It is stated by ${names.join(', ') || 'nobody'}.`,
    ...attesting.map(({ item, by }) => `${item} is attested by ${by ?? 'nobody'}: nothing measured it.`),
    ...(declared > 0
      ? [`${declared} item(s) say nothing of how they came about; ${declaredBy ?? 'nobody'} answers for them.`]
      : []),
    ...repeated.map(
      ({ item, attempts, failedAttempts }) => `${item}: ${failedAttempts} of ${attempts} runs did not pass.`,
    ),
  ];
}

function toSignatureRemark({ evidenceSigned }: Report): string {
  return evidenceSigned
    ? 'The evidence is signed.'
    : 'The evidence is not signed (evidenceSigned: false): whoever may write the files can have made it up.';
}

function toProfileRemarks({ profile, notApplicable = [] }: Report): string[] {
  return [
    `Profile ${profile}: ${notApplicable.length} checks do not apply to a server that is not Gatehouse's, and were not run. Nothing is said of its audit, of its limits of people and clients, of the machine behind it and of what it stores.`,
  ];
}

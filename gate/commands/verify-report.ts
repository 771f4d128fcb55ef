// `gatehouse gate verify-report`: whether a report still says what the operator takes it to say.

import { limits } from '#contract/limits.ts';
import { parseIsoTime, systemClock } from '#kernel/clock.ts';
import { sha256 } from '#kernel/digest.ts';
import { holds } from '../check.ts';
import { described } from '../checks.ts';
import { membersOf, objectOf, parseJson } from '../json.ts';
import { GateError, readPrivateFile, readPublicFile } from '../private-file.ts';
import { isReport, type Report, readyStatus } from '../report.ts';
import { signatureFault, signaturePathOf } from '../signature.ts';
import { type Command, parseOptions, UsageError } from './command.ts';

const hourMs = 3_600_000;

export const verifyReportCommand: Command = {
  summary: 'check a report: status, commit, age, evidence, completeness, signature',
  usage: `Usage: gatehouse gate verify-report FILE --commit SHA [--evidence FILE] [--key PUBLIC-KEY] [--max-age-hours N]

Options
  --commit SHA         the commit that is deployed now
  --evidence FILE      the evidence the report was made from: its digest must agree
  --key FILE           the operator's public key: the report must be signed with it
  --max-age-hours N    1 to 720 (24)

Exit code: 0 when the report stands, 1 when it does not (each reason on a line), 2 when it cannot be read.
`,
  run(argv) {
    const { values, positionals } = parseOptions(
      argv,
      {
        commit: { type: 'string' },
        evidence: { type: 'string' },
        key: { type: 'string' },
        'max-age-hours': { type: 'string', default: '24' },
      },
      1,
    );
    const hours = /^\d{1,3}$/.test(values['max-age-hours']) ? Number(values['max-age-hours']) : 0;
    if (hours < 1 || hours > 720) {
      throw new UsageError('--max-age-hours must be a whole number from 1 to 720');
    }
    const [file = ''] = positionals;
    const text = readPrivateFile(file, 'the report');
    const report: unknown = parseJson(text);
    if (!isReport(report)) {
      throw new GateError(`${file} is no report of this gate`);
    }
    const reasons = [
      ...faultsOf(report, { now: systemClock.now(), maxAgeMs: hours * hourMs, commit: values.commit }),
      ...(values.evidence === undefined ? [] : evidenceFaults(report, values.evidence)),
      ...(values.key === undefined ? [] : signatureFaults(file, text, values.key)),
    ];
    const signed = values.key === undefined ? ' (its signature was not asked for: --key)' : '';
    process.stdout.write(reasons.length === 0 ? `the report stands${signed}\n` : `${reasons.join('\n')}\n`);
    return Promise.resolve(reasons.length === 0 ? 0 : 1);
  },
};

interface Expected {
  now: number;
  maxAgeMs: number;
  commit: string | undefined;
}

/** Why a report does not stand; none when it does. A pure judgement, over what any file may hold. */
export function faultsOf(report: Report, { now, maxAgeMs, commit }: Expected): string[] {
  const at = parseIsoTime(report.checkedAt);
  const ids = report.findings.map((finding) => membersOf(finding).id);
  const isComplete =
    ids.length === described.length && described.every(({ id }) => ids.filter((one) => one === id).length === 1);
  return [
    ...(report.status === readyStatus ? [] : ['its status is failed']),
    ...(report.failedChecks.length === 0 ? [] : ['it names failed checks']),
    ...(isComplete ? [] : ['its checks are not those of this version of the gate']),
    ...(report.findings.every((finding) => objectOf(finding) && holds(finding)) ? [] : ['a check of it does not hold']),
    ...(commit === undefined || report.deployedCommit === commit ? [] : ['it is about another commit']),
    ...(at === null ? ['it does not say when it was made'] : ageFaults(now - at, maxAgeMs)),
    ...(report.dnsPublished === false ? [] : ['the name was published when it was made']),
  ];
}

function ageFaults(ageMs: number, maxAgeMs: number): string[] {
  if (ageMs < -limits.gateEvidenceAheadMs) {
    return ['it was made in the future'];
  }
  return ageMs > maxAgeMs ? ['it is too old'] : [];
}

function evidenceFaults(report: Report, file: string): string[] {
  return report.evidenceSha256 === sha256(readPrivateFile(file, 'the evidence'))
    ? []
    : ['it was made from other evidence, or the evidence was changed since'];
}

function signatureFaults(file: string, text: string, key: string): string[] {
  const envelope = parseJson(readPrivateFile(signaturePathOf(file), 'the signature'));
  const fault = signatureFault(readPublicFile(key, 'the public key'), 'report', text, envelope);
  return fault === null ? [] : [fault];
}

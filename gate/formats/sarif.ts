// SARIF 2.1.0: each check is a rule, and each that does not hold a result.
import path from 'node:path';
import { holds } from '../check.ts';
import type { Report } from '../report.ts';
import { type Row, toPlainLine, toProperties, toRows } from './rows.ts';

/** The first characters of each output in this format. */
export const sarifHead = '{\n  "$schema": "https://json.schemastore.org/sarif-2.1.0.json",\n  "version": "2.1.0",';

/** Results point to `reportPath`, because code viewers refuse a result without a file. */
export function formatSarif(report: Report, reportPath: string): string {
  const rows = toRows(report);
  const log = {
    runs: [
      {
        tool: { driver: { name: 'gatehouse gate', version: report.toolVersion, rules: rows.map(toRule) } },
        invocations: [{ executionSuccessful: true, endTimeUtc: report.checkedAt }],
        results: rows.flatMap((row, ruleIndex) =>
          holds(row) ? [] : [{ ruleIndex, ...toResult(row, report.endpoint, toFileUri(reportPath)) }],
        ),
        properties: toProperties(report),
      },
    ],
  };
  return `${sarifHead}${JSON.stringify(log, null, 2).slice(1)}\n`;
}

function toRule({ id, asks, remedy, category }: Row) {
  return {
    id,
    shortDescription: { text: asks },
    help: { text: remedy },
    defaultConfiguration: { level: 'error' },
    properties: { category },
  };
}

function toResult({ id, outcome, because, remedy }: Row, endpoint: string, uri: string) {
  return {
    ruleId: id,
    level: outcome === 'fail' ? 'error' : 'warning',
    message: { text: `${toPlainLine(because)}. What to do: ${remedy}` },
    locations: [
      {
        physicalLocation: { artifactLocation: { uri }, region: { startLine: 1 } },
        logicalLocations: [{ fullyQualifiedName: endpoint, kind: 'resource' }],
      },
    ],
    partialFingerprints: { 'gatehouseGateCheck/v1': id },
  };
}

/** Relative to the working directory, which in CI is the repository; a file elsewhere is named without its folder. */
function toFileUri(file: string): string {
  const relative = path.relative('', file);
  return encodeURI(relative.startsWith('..') ? path.basename(file) : relative);
}

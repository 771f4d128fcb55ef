// `gatehouse gate run`: progress on stderr, the table of findings on stdout, the report in its file.
import path from 'node:path';
import { systemClock } from '#kernel/clock.ts';
import { type Finding, holds } from '../check.ts';
import { described } from '../checks.ts';
import { readGateConfig } from '../config.ts';
import { remarksOf } from '../remarks.ts';
import { type Report, readyStatus } from '../report.ts';
import { runGate } from '../run.ts';
import { type Command, parseOptions, required, tell, UsageError } from './command.ts';

const usage = `Usage: gatehouse gate run --env FILE [--evidence FILE] [--report FILE] [--json]

Judges the evidence and probes the staged endpoint. It changes nothing anywhere, and writes one file: the report, which
only a run in which every check holds may say "${readyStatus}". An earlier report there is removed first.

Options
  --env FILE       private environment file, mode 0600 (variables: docs/gate.md)
  --evidence FILE  evidence, schema v3, mode 0600 (MCP_GATE_EVIDENCE_PATH)
  --report FILE    where the report goes (MCP_GATE_REPORT_PATH; .monitor-mcp-publication-gate.json)
  --json           the report on stdout instead of the table
  --help           this text

Exit code: 0 when every check holds, 1 when one does not, 2 when nothing could be judged.
The last probes fill the endpoint's one-minute rate bucket: never run it on what people use.
`;

export const runCommand: Command = {
  summary: 'judge the evidence, probe the staged endpoint, write the report',
  usage,
  async run(argv, signal) {
    const { values } = parseOptions(argv, {
      env: { type: 'string' },
      evidence: { type: 'string' },
      report: { type: 'string' },
      json: { type: 'boolean' },
    });
    const config = readGateConfig(required(values.env, 'env'));
    const evidencePath = values.evidence ?? config.MCP_GATE_EVIDENCE_PATH;
    if (evidencePath === undefined) {
      throw new UsageError('--evidence or MCP_GATE_EVIDENCE_PATH must name the evidence');
    }
    const reportPath = values.report ?? config.MCP_GATE_REPORT_PATH;
    let count = 0;
    const report = await runGate({
      config,
      evidencePath,
      reportPath,
      clock: systemClock,
      signal,
      onFinding: ({ id, outcome }) => {
        count += 1;
        tell(`\r\u001b[K${count} of ${described.length}  ${outcome}  ${id}\n`);
      },
      onBurst: (sent, of) => tell(`\r\u001b[Kburst: request ${sent} of at most ${of}`),
    });
    process.stdout.write(values.json ? `${JSON.stringify(report, null, 2)}\n` : tableOf(report, reportPath));
    return report.status === readyStatus ? 0 : 1;
  },
};

const marks: Record<Finding['outcome'], string> = {
  pass: 'pass      ',
  'not-required': 'not needed',
  fail: 'FAIL      ',
  untestable: 'UNTESTABLE',
};

/** One line per check; under each that does not hold, why, and what to do. */
export function tableOf(report: Report, reportPath: string): string {
  const lines = report.findings.flatMap((finding) => {
    const { asks, remedy } = described.find(({ id }) => id === finding.id) ?? { asks: '', remedy: '' };
    const head = `${marks[finding.outcome]}  ${finding.id.padEnd(30)} ${asks}`;
    if (finding.outcome === 'not-required') {
      return [head, `${' '.repeat(12)}${finding.because}`];
    }
    return holds(finding) ? [head] : [head, `${' '.repeat(12)}${finding.because}`, `${' '.repeat(12)}→ ${remedy}`];
  });
  const verdict =
    report.status === readyStatus
      ? `All ${report.findings.length} checks hold: ${readyStatus}. A person decides about DNS.`
      : `${report.failedChecks.length} of ${report.findings.length} checks do not hold: do not publish the name.`;
  return `${[...lines, '', verdict, ...remarksOf(report), `Report: ${path.resolve(reportPath)}`].join('\n')}\n`;
}

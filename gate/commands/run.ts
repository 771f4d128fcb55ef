// `gatehouse gate run`: prints progress to stderr and findings to stdout, and writes the report.
import { parseArgs } from 'node:util';
import { endAtSecondSignal, StoppedBySignal } from '#kernel/process/stop-signal.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { isInterrupted } from '../check.ts';
import { checkDescriptions } from '../checks.ts';
import { type GateConfig, type GateProfile, readGateConfig } from '../config.ts';
import { formats } from '../formats/formats.ts';
import { GateError } from '../private-file.ts';
import { readyStatus, resourceServerStatus } from '../report.ts';
import { defaultReport, type ReportPlace, reportPlace, takeReportPlace } from '../report-place.ts';
import { runGate } from '../run.ts';
import {
  type Command,
  parseOptions,
  parseProfile,
  refuseDeploymentOptions,
  requireOption,
  UsageError,
  writeProgress,
} from './command.ts';
import { clearOutputs, parseOutputs, writeOutputs } from './outputs.ts';

const usage = `Usage: gatehouse gate run --env FILE [--profile NAME] [--evidence FILE] [--report FILE] [--format NAME[=FILE] …]

Checks the evidence and probes the staged endpoint. It changes nothing and writes the report, and what --format names. Its
status is "${readyStatus}" only when every check holds. An earlier report is removed first, even when the settings are
invalid. The empty file REPORT.lock next to it prevents a second run.

Options
  --env FILE       private environment file, mode 0600 (variables: docs/gate.md)
  --profile NAME   publication, or resource-server for an MCP server that is not Gatehouse's: without evidence, and
                   its status is "${resourceServerStatus}" (MCP_GATE_PROFILE; publication)
  --evidence FILE  evidence, schema v3, mode 0600 (MCP_GATE_EVIDENCE_PATH); refused under resource-server
  --report FILE    the report to write (MCP_GATE_REPORT_PATH; ${defaultReport}
                   in the working directory)
  --format NAME    what is printed instead of the table; NAME=FILE writes it to FILE, and may be repeated
${describeFormats()}
  --json           the same as --format json
  --help           this text

Exit code: 0 when every check holds, 1 when one does not, 2 when nothing could be judged; 130 after Ctrl-C and 143 after
SIGTERM, when the report says failed. A stopped run ends its MCP sessions, for at most three seconds; a second Ctrl-C
ends it at once, without a report.
The last probes exhaust the endpoint's rate limit for one minute: never run it against an endpoint in use.
`;

const options = {
  env: { type: 'string' },
  profile: { type: 'string' },
  evidence: { type: 'string' },
  report: { type: 'string' },
  format: { type: 'string', multiple: true },
  json: { type: 'boolean' },
} as const;

export const runCommand: Command = {
  summary: 'judge the evidence, probe the staged endpoint, write the report',
  usage,
  async run(argv, signal) {
    endAtSecondSignal(signal);
    const place = reportPlace(...placeOptions(argv));
    using _place = takeReportPlace(place);
    const { values } = parseOptions(argv, options);
    const reportPath = place.file;
    const envFile = requireOption(values.env, 'env');
    const profile = parseProfile(values.profile);
    const outputs = parseOutputs([...(values.format ?? []), ...(values.json ? ['json'] : [])], reportPath);
    clearOutputs(outputs);
    const config = readConfig(envFile, place, profile);
    refuseDeploymentOptions(config.MCP_GATE_PROFILE, values, ['evidence']);
    const evidencePath = values.evidence ?? config.MCP_GATE_EVIDENCE_PATH;
    if (evidencePath === undefined && config.MCP_GATE_PROFILE === 'publication') {
      throw new UsageError('--evidence or MCP_GATE_EVIDENCE_PATH must name the evidence');
    }
    let count = 0;
    const report = await runGate({
      config,
      evidencePath,
      reportPath,
      clock: systemClock,
      signal,
      onFinding: ({ id, outcome }) => {
        count += 1;
        writeProgress(`\r\u001b[K${count} of ${checkDescriptions.length}  ${outcome}  ${id}\n`);
      },
      onBurst: (sent, of) => writeProgress(`\r\u001b[Kburst: request ${sent} of at most ${of}`),
      onSessionsLeft: (sessions) =>
        process.stderr.write(
          `gatehouse gate run: the server gave no answer when it was asked to end ${sessions} session(s): they may stay open until it drops them\n`,
        ),
    });
    writeOutputs(outputs, report, reportPath);
    const unjudged = report.findings.filter(isInterrupted).length;
    if (unjudged > 0 && signal.reason instanceof StoppedBySignal) {
      const what = `${signal.reason.message} before ${unjudged} checks were judged`;
      process.stderr.write(`gatehouse gate run: ${what}: ${reportPath} says failed; run it again\n`);
      return signal.reason.exitCode;
    }
    return report.failedChecks.length === 0 ? 0 : 1;
  },
};

/** `--report` and `--env`, even when the rest of the command line is invalid. */
function placeOptions(argv: readonly string[]): [report: string | undefined, env: string | undefined] {
  const { report, env } = parseArgs({ args: [...argv], options, allowPositionals: true, strict: false }).values;
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  return [text(report), text(env)];
}

/** Reads the settings. The error says when an earlier report may remain in an unknown place. */
function readConfig(envFile: string, { isKnown }: ReportPlace, profile: GateProfile | undefined): GateConfig {
  try {
    return readGateConfig(envFile, profile);
  } catch (error) {
    throw isKnown || !(error instanceof GateError)
      ? error
      : new GateError(
          `${error.message} Where its report goes is not known: what an earlier run wrote elsewhere than in ${defaultReport} is still there`,
          { cause: error },
        );
  }
}

function describeFormats(): string {
  return Object.entries(formats)
    .map(([name, { summary }]) => `                     ${name.padEnd(9)} ${summary}`)
    .join('\n');
}

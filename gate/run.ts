// Implements `gate run`: checks evidence, runs probes, writes the report. A passing report of an earlier run never
// survives it.
import path from 'node:path';
import { writeJson } from '#kernel/files/files.ts';
import { packageVersion } from '#kernel/process/version.ts';
import { sha256 } from '#kernel/text/digest.ts';
import type { Clock } from '#kernel/time/clock.ts';
import { type Finding, RunEnded, runChecks } from './check.ts';
import { checkDescriptions, evidenceRules, probes } from './checks.ts';
import type { GateConfig } from './config.ts';
import type { EvidenceContext } from './evidence/context.ts';
import { createEvidenceContext, getEvidenceSettings } from './evidence/input.ts';
import { summarizeEvidence } from './evidence/summary.ts';
import { readPrivateFile, readPublicFile } from './private-file.ts';
import { parseTokenId } from './probes/given-tokens.ts';
import { createProbeContext, type ProbeInput } from './probes/input.ts';
import { resourceServerJudges } from './probes/resource-server.ts';
import { createReport, type Report, reportText, writeReport } from './report.ts';
import { toProfileChecks } from './resource-server.ts';
import { signFile, toSignaturePath } from './signature.ts';

export interface GateRun extends Pick<ProbeInput, 'onBurst' | 'onSessionsLeft'> {
  config: GateConfig;
  /** Not read under the profile `resource-server`. */
  evidencePath: string | undefined;
  reportPath: string;
  clock: Clock;
  signal?: AbortSignal | undefined;
  onFinding: (finding: Finding) => void;
}

/**
 * Runs all checks and writes the report. The caller holds the lock of the report (report-place.ts). Throws a GateError
 * before the first check when a file cannot be used.
 */
export async function runGate({ config, evidencePath, reportPath, clock, ...given }: GateRun): Promise<Report> {
  using deadline = startDeadline(clock, config.MCP_GATE_RUN_TIMEOUT_MS, given.signal);
  const run = { ...given, signal: deadline.signal };
  const { MCP_GATE_CA_PATH: caPath, MCP_GATE_SIGNING_KEY_PATH: keyPath, MCP_GATE_PROFILE: profile } = config;
  const { evidence, evidenceSha256 } = readEvidence(config, evidencePath, clock.now());
  const ca = caPath === undefined ? undefined : readPublicFile(caPath, 'the CA');
  const key = keyPath === undefined ? undefined : readPrivateFile(keyPath, 'the signing key');
  const judged = await runChecks(toProfileChecks(evidenceRules, profile), evidence, run);
  await using stack = new AsyncDisposableStack();
  const context = createProbeContext({ ...run, config, clock, ca }, stack);
  const probed = await runChecks(toProfileChecks(probes, profile, resourceServerJudges), context, {
    ...run,
    earlier: judged,
  });
  const report = createReport(
    checkDescriptions.map(({ id }) => id),
    [...judged, ...probed],
    {
      checkedAt: clock.now(),
      gateProfile: profile,
      commit: config.MCP_GATE_DEPLOYED_COMMIT,
      profile: config.MCP_GATE_OAUTH_COMPATIBILITY_PROFILE,
      endpointHost: config.MCP_GATE_ENDPOINT.url.hostname,
      endpoint: config.MCP_GATE_ENDPOINT.text,
      issuer: config.MCP_GATE_ISSUER,
      enabledRouters: context.seen.enabledRouters,
      evidenceSha256,
      evidenceSigned: evidence.signature.state === 'valid',
      evidence: summarizeEvidence(evidence, config.MCP_GATE_OPERATOR),
      privateCa: ca !== undefined,
      toolVersion: packageVersion(),
    },
  );
  writeReport(reportPath, report);
  if (key !== undefined) {
    const facts = { status: report.status, deployedCommit: report.deployedCommit };
    const envelope = signFile(key, 'report', path.basename(reportPath), reportText(report), facts);
    writeJson(toSignaturePath(reportPath), envelope);
  }
  return report;
}

interface GivenEvidence {
  evidence: EvidenceContext;
  /** Empty when there is none. */
  evidenceSha256: string;
}

/** Reads the evidence; there is none for a server that is not Gatehouse's. Throws a GateError. */
function readEvidence(config: GateConfig, file: string | undefined, now: number): GivenEvidence {
  const signature = { state: 'not-asked' } as const;
  if (file === undefined || config.MCP_GATE_PROFILE !== 'publication') {
    const evidence = { document: undefined, now, ...getEvidenceSettings(config), runs: new Map(), signature };
    return { evidence, evidenceSha256: '' };
  }
  const text = readPrivateFile(file, 'the evidence');
  const evidence = createEvidenceContext({
    text,
    file,
    publicKeyPath: config.MCP_GATE_EVIDENCE_KEY_PATH,
    now,
    ...getEvidenceSettings(config),
    revokedTokenJti: parseTokenId(config.MCP_GATE_REVOKED_EXPIRED_TOKEN),
  });
  return { evidence, evidenceSha256: sha256(text) };
}

/** Aborts after `ms` or with `outer`; disposing it cancels the timer. */
function startDeadline(clock: Clock, ms: number, outer: AbortSignal | undefined) {
  const own = new AbortController();
  const timer = new AbortController();
  clock.sleep(ms, timer.signal).then(
    () => own.abort(new RunEnded('the run took longer than MCP_GATE_RUN_TIMEOUT_MS')),
    // The run ended before the deadline.
    () => undefined,
  );
  return {
    signal: outer ? AbortSignal.any([outer, own.signal]) : own.signal,
    [Symbol.dispose]: () => timer.abort(),
  };
}

// `gatehouse agent status`: prints the state of this Agent, for people or as JSON.

import { isProcessRunning } from '#kernel/files/file-lock.ts';
import { runProgram } from '#kernel/process/program.ts';
import { isoTime, systemClock } from '#kernel/time/clock.ts';
import { dataFolder, readAgentEnv } from '../config.ts';
import { storeNames } from '../credentials/store.ts';
import { readPending } from '../enrolment/pending.ts';
import { type AgentFiles, agentFiles, findFolderHolder } from '../folder.ts';
import { readRecord } from '../record.ts';
import { type StatusReport, statusReport } from './report.ts';
import { readStatus } from './status-file.ts';

const usage = `Usage: gatehouse agent status [--json] [--data DIR]

Says where this machine is enrolled, which store has its bearer, what each source sees, and how the delivery goes. Ends
with 1 when something needs somebody, and says what.

Options
  --json      one JSON document
  --data DIR  folder of the Agent (GATEHOUSE_AGENT_DIR)
  --help      this text
  --version   the version
`;

const options = { json: { type: 'boolean' }, data: { type: 'string' } } as const;

export function runStatus(argv: readonly string[]): Promise<number> {
  return runProgram(argv, { name: 'agent status', usage, options }, async ({ json, data }) => {
    const files = agentFiles(dataFolder(data, readAgentEnv()));
    const report = readReport(files);
    process.stdout.write(json ? `${JSON.stringify(report, null, 2)}\n` : statusText(report));
    if (report.needs !== null) {
      throw new Error(report.needs);
    }
  });
}

function readReport(files: AgentFiles): StatusReport {
  return statusReport({
    record: readRecord(files),
    pending: readPending(files),
    status: readStatus(files),
    pid: runningProcess(files),
    now: systemClock.now(),
  });
}

function runningProcess({ folder }: AgentFiles): number | null {
  const pid = findFolderHolder(folder);
  return pid !== null && isProcessRunning(pid) ? pid : null;
}

export function statusText({ enrolled, waiting, running, nextRotationAt, status }: StatusReport): string {
  const lines: (string | null)[] = [
    enrolled && `enrolled   ${enrolled.hubUrl} as ${enrolled.hostName} since ${isoTime(enrolled.enrolledAt)}`,
    enrolled && `agent      ${enrolled.agentId}`,
    enrolled && `bearer     in ${storeNames[enrolled.store]}, rotated ${isoTime(enrolled.rotatedAt)}`,
    enrolled && `rotation   ${nextRotationAt === null ? 'never by itself' : isoTime(nextRotationAt)}`,
    waiting && `waiting    request ${waiting.requestId} as ${waiting.hostName} at ${waiting.hubUrl}`,
    `running    ${running ? `process ${running.pid}${running.since ? ` since ${isoTime(running.since)}` : ''}` : 'no'}`,
    ...(status ? runLines(status) : []),
  ];
  return `${lines.filter((line) => line !== null).join('\n')}\n`;
}

function runLines({ sources, counters, spool, delivery }: NonNullable<StatusReport['status']>): string[] {
  const { deliveredBatches, deliveredObservations, lastDeliveredAt, failure, nextTryAt } = delivery;
  return [
    ...sources.flatMap(({ name, active, reason, cannotSee }) => [
      `source     ${name}: ${active ? 'active' : `off (${reason ?? 'no reason given'})`}`,
      ...cannotSee.map((sentence) => `           - ${sentence}`),
    ]),
    `seen       ${counters.connections} connections, ${counters.withoutProcess} without a process, ` +
      `${counters.missedByPolling} missed by polling, ${counters.lostEvents} events lost` +
      (counters.isLossKnown ? '' : ', and an unknown number that the kernel dropped'),
    `delivered  ${deliveredObservations} observations in ${deliveredBatches} batches, ` +
      `last ${lastDeliveredAt === null ? 'never' : isoTime(lastDeliveredAt)}`,
    `spool      ${spool.batches} batches, ${spool.bytes} of ${spool.maxBytes} bytes; ` +
      `dropped ${spool.droppedBatches} with ${spool.droppedObservations} observations, ` +
      `${spool.damagedBatches} of them damaged; parked ${spool.parked}`,
    ...(failure ? [`failing    ${failure.reason}${nextTryAt === null ? '' : `; next try ${isoTime(nextTryAt)}`}`] : []),
  ];
}

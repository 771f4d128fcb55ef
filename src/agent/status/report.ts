// The state of this Agent for people and programs, and the problem that needs attention.
import { elapsed } from '#kernel/time/clock.ts';
import { dayMs } from '#kernel/time/time.ts';
import type { PendingEnrolment } from '../enrolment/pending.ts';
import { agentProgramLimits as limits } from '../limits.ts';
import type { AgentRecord } from '../record.ts';
import type { AgentStatus } from './status-file.ts';

export interface StatusReport {
  /** The problem that needs attention; null when there is none. */
  needs: string | null;
  enrolled: Omit<AgentRecord, 'ca' | 'credentialName'> | null;
  waiting: { hubUrl: string; requestId: string; hostName: string } | null;
  running: { pid: number; since: number | null } | null;
  nextRotationAt: number | null;
  status: AgentStatus | null;
}

export interface ReportFacts {
  record: AgentRecord | null;
  pending: PendingEnrolment | null;
  status: AgentStatus | null;
  pid: number | null;
  now: number;
}

export function statusReport(facts: ReportFacts): StatusReport {
  const { record, pending, status, pid } = facts;
  const current = pid !== null && status?.pid === pid ? status : null;
  const rotateDays = status?.rotateDays ?? limits.rotateDays;
  return {
    needs: findNeed(facts, current),
    enrolled: record === null ? null : shown(record),
    waiting:
      pending === null ? null : { hubUrl: pending.hubUrl, requestId: pending.requestId, hostName: pending.hostName },
    running: pid === null ? null : { pid, since: current?.startedAt ?? null },
    nextRotationAt: record === null || rotateDays === 0 ? null : record.rotatedAt + rotateDays * dayMs,
    status,
  };
}

function shown({ ca: _, credentialName: __, ...rest }: AgentRecord) {
  return rest;
}

function findNeed({ record, pending, pid, now }: ReportFacts, status: AgentStatus | null): string | null {
  if (record === null) {
    return pending === null
      ? 'this machine is not enrolled: run gatehouse agent enroll --hub URL'
      : `request ${pending.requestId} waits for approval: approve it at the hub, and let gatehouse agent enroll go on`;
  }
  if (pid === null) {
    return 'gatehouse agent run does not run: start it, as a service with systemctl start gatehouse-agent';
  }
  if (status === null || elapsed(status.at, now) > limits.statusStaleMs) {
    return `process ${pid} has not written its status: when this lasts longer than a minute, restart it`;
  }
  return findNeedOfRunning(status, now);
}

function findNeedOfRunning({ delivery, spool, sources, lost }: AgentStatus, now: number): string | null {
  const { failure, hubAheadMs, lastParked } = delivery;
  if (failure?.kind === 'refused') {
    return `the hub refuses this Agent (${failure.reason}): look whether it was revoked there, and enrol again with --replace`;
  }
  if (failure?.kind === 'disk') {
    return `nothing can be sent, and nothing is deleted: ${failure.reason}`;
  }
  if (failure !== null && elapsed(failure.since, now) > limits.lateMs) {
    return `nothing was delivered for more than an hour: ${failure.reason}`;
  }
  if (failure?.reason.includes('too old') === true) {
    return failure.reason;
  }
  if (lost > 0) {
    return `${lost} observations could not be written to the disk: make room on it`;
  }
  const spoolNeeds = findNeedOfSpool(spool, lastParked?.reason ?? 'in an earlier run');
  if (spoolNeeds !== null) {
    return spoolNeeds;
  }
  if (hubAheadMs !== null && Math.abs(hubAheadMs) > limits.skewMs) {
    return `the clocks of this machine and of the hub differ by ${Math.round(Math.abs(hubAheadMs) / 1000)} s: set the one that is wrong`;
  }
  return sources.some(({ active }) => active)
    ? null
    : 'no source of connections works here: see the reason of each source';
}

function findNeedOfSpool(spool: AgentStatus['spool'], whyParked: string): string | null {
  const { droppedBatches, damagedBatches, parked, removedBatches } = spool;
  if (damagedBatches > 0) {
    return `${damagedBatches} batches were damaged on disk and were never sent: look at parked/, and whether the disk fails`;
  }
  if (droppedBatches > 0) {
    return `${droppedBatches} batches were dropped, because the spool is full: let the hub be reached, or raise --spool-mb`;
  }
  const removed = removedBatches === 0 ? '' : `, and ${removedBatches} older ones were removed for want of room`;
  return parked + removedBatches === 0
    ? null
    : `${parked} batches are in parked/, refused by the hub or damaged (${whyParked})${removed}: look at them, and delete what is of no use`;
}

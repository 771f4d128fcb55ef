// A script as JSON lines: what Agents send, and when. Each line is one step.
import { z } from 'zod';
import { parseJson } from '#kernel/text/json.ts';
import { isoTime } from '#kernel/time/clock.ts';
import { dayMs } from '#kernel/time/time.ts';
import { pickDefined } from '../support/change.ts';
import { type AgentFault, agentFaults } from './faults.ts';
import type { Machine } from './machine.ts';
import type { Observation } from './records.ts';

const textOrNull = z.string().nullable().optional();

/** Members of an observation; those that are left out are random. Wrong values are sent as they are. */
export const givenObservation = z.strictObject({
  /** How long ago it began, and how long it lasted; the times themselves win. */
  agoMs: z.int().optional(),
  lastsMs: z.int().optional(),
  observationId: z.string().optional(),
  networkProtocol: z.enum(['tcp', 'udp']).optional(),
  localAddress: z.string().optional(),
  localPort: z.int().optional(),
  remoteAddress: z.string().optional(),
  remotePort: z.int().optional(),
  processID: z.int().optional(),
  processName: z.string().optional(),
  bundleID: textOrNull,
  firstObservedAt: z.string().optional(),
  lastObservedAt: z.string().optional(),
  bytesIn: textOrNull,
  bytesOut: textOrNull,
  collector: z.string().optional(),
  confidence: z.enum(['exact', 'sampled']).optional(),
});
export type GivenObservation = z.output<typeof givenObservation>;

/** So many random ones, or these. */
export const whatToSend = z.union([z.int().min(1).max(200), z.array(givenObservation).min(1).max(1000)]);
export type WhatToSend = z.output<typeof whatToSend>;

const step = z
  .strictObject({
    /** After the step before; the first one after the Agent has its bearer. */
    afterMs: z.int().min(0).max(dayMs).default(0),
    /** Number of the Agent, from 1 on; every one when absent. */
    agent: z.int().min(1).optional(),
    send: whatToSend.optional(),
    fault: z.enum(Object.keys(agentFaults) as [AgentFault, ...AgentFault[]]).optional(),
    times: z.int().min(1).optional(),
    value: z.number().optional(),
    rotate: z.literal(true).optional(),
    revoke: z.literal(true).optional(),
  })
  .refine(
    ({ send, fault, rotate, revoke }) => [send, fault, rotate, revoke].filter((one) => one !== undefined).length === 1,
    'needs one of send, fault, rotate and revoke',
  );
export interface ScriptStep extends z.output<typeof step> {
  /** Epoch milliseconds, instead of `afterMs`. A file has no such steps: it does not know when it is played. */
  at?: number;
}

/** The steps; or what is wrong with the first wrong line, as one sentence. Empty lines are skipped. */
export function parseScript(text: string): { steps: ScriptStep[]; problem: string | null } {
  const steps: ScriptStep[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() !== '') {
      const parsed = step.safeParse(parseJson(line));
      if (!parsed.success) {
        const [issue] = parsed.error.issues;
        const where = issue?.path.join('.') ?? '';
        return { steps: [], problem: `line ${index + 1}: ${where === '' ? '' : `${where}: `}${issue?.message}` };
      }
      steps.push(parsed.data);
    }
  }
  return { steps, problem: null };
}

/** Whole observations of `machine` from what was given of them. */
export function createObservations(machine: Machine, given: readonly GivenObservation[], now: number): Observation[] {
  return given.map(({ agoMs = 1000, lastsMs = 500, ...members }) => {
    const first = now - agoMs;
    const times = { firstObservedAt: isoTime(first), lastObservedAt: isoTime(first + lastsMs) };
    return machine.filled({ ...times, ...pickDefined(members) }, first, first);
  });
}

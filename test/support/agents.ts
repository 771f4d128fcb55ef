// Agents for tests: enrolled through the API, and what they deliver.
import { randomUUID } from 'node:crypto';
import { type AgentBatch, agentBatch } from '#contract/agent-ingest.ts';
import { type Api, api } from '#contract/index.ts';
import { type Client, createClient } from '#kernel/http/client.ts';
import { isoTime } from '#kernel/time/clock.ts';
import type { Actors } from './actors.ts';

export interface EnrolledAgent {
  agentId: string;
  token: string;
  client: Client<Api>;
}

export const agentFacts = {
  hostName: 'desk',
  platform: 'linux',
  osVersion: '6.12',
  agentVersion: '1.0.0',
} as const;

interface Hub {
  url: URL;
  as: Actors;
}

/** A client that sends this bearer. */
export function agentClient(url: URL, token: string): Client<Api> {
  return createClient(api, { baseUrl: url, headers: { authorization: `Bearer ${token}` } });
}

/** A request that waits for a decision, with its claim secret. */
export async function applyFor({ as }: Hub, facts: Partial<Record<keyof typeof agentFacts, string>> = {}) {
  const { code } = await as.admin.agents.createCode({ body: {} });
  const agent = { ...agentFacts, ...facts } as typeof agentFacts;
  const { requestId, claimSecret } = await as.nobody.agents.enroll({ body: { code, agent } });
  return { requestId, claimSecret };
}

/** Code, request, approval, claim. */
export async function enrolAgent(
  hub: Hub,
  facts: Partial<Record<keyof typeof agentFacts, string>> = {},
): Promise<EnrolledAgent> {
  const request = await applyFor(hub, facts);
  await hub.as.admin.agents.approve({ params: { requestId: request.requestId }, body: {} });
  const claimed = await hub.as.nobody.agents.claim({ body: request });
  if (!('token' in claimed)) {
    throw new Error(`the claim was answered with ${claimed.status}`);
  }
  const { token, agentId } = claimed;
  return { token, agentId, client: agentClient(hub.url, token) };
}

/** One observation, as it is on the wire; `at` is its last instant, epoch milliseconds. */
export function observation(at: number, more: Record<string, unknown> = {}) {
  return {
    observationId: randomUUID(),
    networkProtocol: 'tcp' as const,
    localAddress: '192.168.100.23',
    localPort: 50_211,
    remoteAddress: '203.0.113.80',
    remotePort: 443,
    processID: 812,
    processName: 'backupd',
    bundleID: null,
    firstObservedAt: isoTime(at - 4000),
    lastObservedAt: isoTime(at),
    bytesIn: '1200',
    bytesOut: '90000',
    collector: 'socket-events' as const,
    confidence: 'exact' as const,
    ...more,
  };
}

/** A batch as it is on the wire. */
export function batchOf(
  at: number,
  observations: readonly ReturnType<typeof observation>[],
  more: Record<string, unknown> = {},
) {
  return {
    schemaVersion: 1,
    batchId: randomUUID(),
    sentAt: isoTime(at),
    agent: { ...agentFacts },
    observations: [...observations],
    ...more,
  };
}

/** A batch as the hub has read it; each of `rows` is what differs from a usual observation at `at`. */
export function parsedBatch(at: number, rows: readonly Record<string, unknown>[]): AgentBatch {
  const observations = rows.map((row) => observation(at, row));
  return agentBatch.parse(batchOf(at, observations));
}

// Simulated Agents as a program: enrolled at the hub, delivering at their own pace; their journal says what was ACKed.

import { type Program, startProgram } from '../../support/program.ts';
import type { HubLives } from './hub.ts';
import { createLineReader } from './lines.ts';
import { askControl } from './sims.ts';

export interface Ack {
  batchId: string;
  accepted: number;
  duplicate: number;
  /** When the journal was read, epoch milliseconds of this machine. */
  seenAt: number;
}

export interface Agents extends AsyncDisposable {
  control(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
  /** ACKs since the last call. */
  acks(now: number): Ack[];
  readonly program: Program;
  /** As they were started. */
  readonly pace: AgentsPace;
}

export interface AgentsPace {
  /** Batches a minute of each. */
  rate: number;
  /** Of a batch. */
  observations: number;
}

export async function startAgents(
  hub: Pick<HubLives, 'admin' | 'url'>,
  seed: number,
  count: number,
  pace: AgentsPace = { rate: 12, observations: 8 },
): Promise<Agents> {
  const codes: string[] = [];
  for (let index = 0; index < count; index += 1) {
    codes.push((await hub.admin.agents.createCode({ body: {} })).code);
  }
  const words = ['--hub', hub.url.href, '--code', codes.join(','), '--count', String(count), '--seed', String(seed)];
  const each = ['--rate', String(pace.rate), '--observations', String(pace.observations), '--control-port', '0'];
  const program = startProgram(['src/main.ts', 'sim', 'agent', ...words, ...each]);
  try {
    const [text] = await program.printed(/^\{"simulator":"agent".*\}$/m);
    const { control } = JSON.parse(text) as { control: string };
    const { requests } = await hub.admin.agents.requests({});
    for (const { requestId } of requests) {
      await hub.admin.agents.approve({ params: { requestId }, body: {} });
    }
    const reader = createLineReader(program.stderr);
    return {
      program,
      pace,
      control: (method, path, body) => askControl(new URL(path, control), method, body),
      acks: (now) => reader.take().flatMap((line) => parseAck(line, now)),
      [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
    };
  } catch (error) {
    await program[Symbol.asyncDispose]();
    throw error;
  }
}

/** The ACK in a line of the journal; none when it tells of something else. */
export function parseAck(line: string, seenAt: number): Ack[] {
  const [, batchId, ack] = /^agent batch .*batchId="([^"]+)".* ack=(\{[^}]*\})/.exec(line) ?? [];
  if (batchId === undefined || ack === undefined) {
    return [];
  }
  const { accepted, duplicate } = JSON.parse(ack) as { accepted: number; duplicate: number };
  return [{ batchId, accepted, duplicate, seenAt }];
}

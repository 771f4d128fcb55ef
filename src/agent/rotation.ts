// The rotation of the bearer. That it was begun is noted before the hub is asked: a lost answer is asked for again.
import type { Bearer } from './credentials/bearer.ts';
import type { AgentClient } from './hub-client.ts';
import type { AgentRecord } from './record.ts';

export interface RotationOptions {
  bearer: Bearer;
  client(bearer: string): AgentClient;
  record(): AgentRecord;
  update(change: Partial<AgentRecord>): void;
  now: number;
}

/**
 * Stores a new bearer, which the next request uses. Rejects as the client does, and when it cannot be stored; the old
 * bearer goes on working then, at the hub at least for another rotation.
 */
export async function rotate({ bearer, client, record, update, now }: RotationOptions): Promise<void> {
  if (record().rotationStartedAt === null) {
    update({ rotationStartedAt: now });
  }
  const { token } = await client(bearer.token()).rotate({ body: {} });
  await bearer.replace(token);
  update({ rotatedAt: now, rotationStartedAt: null });
}

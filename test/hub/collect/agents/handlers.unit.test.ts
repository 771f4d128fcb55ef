// What a delivery leaves behind besides its rows: counters, the wake of the recording, and a row of the audit trail.
import { expect, test } from 'vitest';
import '#contract/errors.ts';
import { agentHandlers } from '#hub/collect/agents/handlers.ts';
import type { StoredBatch } from '#hub/collect/agents/ingest.ts';
import { AppError } from '#kernel/errors.ts';

const stored: StoredBatch = { accepted: 2, duplicate: 1, receivedAt: 7, replayed: false, differs: false };

async function deliver(outcome: StoredBatch | Error, who: 'agent' | 'nobody' = 'agent') {
  const left: unknown[] = [];
  const handlers = agentHandlers({
    auth: {
      audit: {
        note: (entry: { metadata?: unknown; outcome: string }) => void left.push([entry.outcome, entry.metadata]),
      },
      toActor: () => null,
    },
    ingest: { store: () => (outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome)) },
    admission: {
      stored: (batch: unknown, ms: number) => void left.push(['stored', batch, ms >= 0]),
      refused: () => void left.push('refused'),
      failed: () => void left.push('failed'),
    },
    pipeline: { wake: () => void left.push('wake') },
  } as never);
  const call = { body: { batchId: 'b' }, principal: { who, agent: {} }, request: {}, requestId: 'r' };
  const answer = await Promise.resolve(handlers.ingest(call as never)).catch((error: unknown) => error);
  return { answer, left };
}

test('a stored batch is counted and recorded; a replay with other content leaves a row as well', async () => {
  const { differs: _, ...shown } = { ...stored, batchId: 'b', rejected: 0, requestId: 'r' };
  const counted = (batch: StoredBatch) => [['stored', batch, true], 'wake'];
  expect(await deliver(stored)).toEqual({ answer: shown, left: counted(stored) });
  const other = { ...stored, replayed: true, differs: true };
  expect(await deliver(other)).toEqual({
    answer: { ...shown, replayed: true },
    left: [...counted(other), ['failure', { reason: 'batch_body_mismatch', batch: 'b' }]],
  });
});

test('a refusal is the fault of the Agent and leaves a row; a failure of the hub is neither', async () => {
  const refused = new AppError('observation_window', 'outside');
  const row = ['failure', { reason: 'observation_window', batch: 'b' }];
  expect(await deliver(refused)).toEqual({ answer: refused, left: ['refused', row] });
  for (const failure of [
    new AppError('save_failed', 'no room'),
    new AppError('database_busy', 'busy'),
    new Error('x'),
  ]) {
    expect(await deliver(failure)).toEqual({ answer: failure, left: ['failed'] });
  }
  expect((await deliver(stored, 'nobody')).left).toEqual([]);
});

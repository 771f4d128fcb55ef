// A confirmation that is none is not believed, and does not stop the delivery.
import { expect, test } from 'vitest';
import type { Batch } from '#agent/delivery/batches.ts';
import { judgeAck } from '#agent/delivery/outcome.ts';

const batch = { batchId: 'b', observations: [{}, {}] } as unknown as Batch;
const ack = (members: unknown) => ({ batchId: 'b', rejected: 0, ...(members as object) }) as never;

test.each<[unknown, string]>([
  [{ accepted: 1, duplicate: 1 }, 'delivered'],
  [{ accepted: 2 }, 'parked'],
  [{ accepted: 1, duplicate: 0 }, 'parked'],
  [{ accepted: '1', duplicate: 1 }, 'parked'],
  [{ accepted: { toString: 1 }, duplicate: 0 }, 'parked'],
])('%j: %s', (members, kind) => expect(judgeAck(ack(members), batch)).toMatchObject({ kind }));

test.each([null, [], 'text', 3])('an answer that is no confirmation: %j', (answer) => {
  expect(judgeAck(answer as never, batch)).toMatchObject({ kind: 'parked' });
});

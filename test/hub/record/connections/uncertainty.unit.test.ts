// What is said of the last packet, by who saw it and whether a table still lists it.
import { expect, test } from 'vitest';
import { toUncertainty } from '#hub/record/connections/query/uncertainty.ts';

const observers = new Map([[1, { observedBy: ['r1'], source: 'vendor_a' as const, hasAgent: false }]]);
const row = { firstSeen: 100, lastSeen: 200, firstEarly: 5, firstLate: 6, lastEarly: null, lastLate: 8, seenBy: 0x11 };

test.each([
  // Code of the evidence, set of routers that list it, whether a later packet is possible, routers.
  [0, 1, true, ['r1']],
  [0, null, false, []],
  [0, 9, false, []],
  [1, 1, false, ['r1']],
  [2, null, false, []],
  [3, null, false, []],
  [4, null, true, []],
])('evidence %i, listed by set %o: open %o', (code, listedBy, isOpen, routers) => {
  const { lastSeen, firstSeen } = toUncertainty({ ...row, seenBy: 0x10 + code, listedBy }, { observers }) ?? {};
  expect(firstSeen).toEqual({ notBefore: 95, notAfter: 106, from: 'entry_age' });
  expect(lastSeen).toMatchObject({ notBefore: null, notAfter: isOpen ? null : 208, listedBy: routers });
});

test('nothing is said of what was recorded before times were', () => {
  expect(toUncertainty({ ...row, seenBy: null, listedBy: 1 }, { observers })).toBeNull();
});

// Which index finds the rows of a filter: what it names comes before what it leaves out.
import { expect, test } from 'vitest';
import type { ConnectionFilter } from '#contract/connections.ts';
import { findNarrowIndex } from '#hub/record/connections/query/narrow.ts';

const sources = 'sqlite_autoindex_flow_1';
const text = ['x'];

test.for<[ConnectionFilter, ReturnType<typeof findNarrowIndex>]>([
  [{}, null],
  [{ from: 1, sourceKind: 'router', sourceId: 'a' }, null],
  [{ fDst: text }, { index: 'flow_destination', isCovering: true }],
  [
    { fDst: text, fOrg: text, fOrgMode: 'isNot' },
    { index: 'flow_destination', isCovering: true },
  ],
  [
    { fOrg: text, fOrgMode: 'isNot' },
    { index: 'flow_destination', isCovering: true },
  ],
  [
    { fDport: text, fDportMode: 'notContains' },
    { index: 'flow_dport', isCovering: true },
  ],
  [
    { fSrc: text, fSrcMode: 'isNot' },
    { index: sources, isCovering: true },
  ],
  // The labels of a row depend on when it was last seen, which this index does not have.
  [{ fDevice: text }, { index: sources, isCovering: false }],
  [{ fSrcMac: text }, { index: sources, isCovering: false }],
  [
    { fDevice: text, fOrg: text, fOrgMode: 'isNot' },
    { index: sources, isCovering: false },
  ],
  [
    { fSrc: text, fOrg: text, fOrgMode: 'notContains' },
    { index: sources, isCovering: false },
  ],
  [
    { fSrc: text, fOrg: text },
    { index: 'flow_destination', isCovering: false },
  ],
  [
    { fDport: text, fSrc: text, fSrcMode: 'isNot' },
    { index: 'flow_dport', isCovering: false },
  ],
  // Nothing is named: each row that the other condition drops would be looked up.
  [{ fDport: text, fDportMode: 'isNot', fOrg: text, fOrgMode: 'isNot' }, null],
  [{ fProto: text }, null],
  [{ fProto: text, fDst: text, fDstMode: 'isNot' }, null],
  [
    { fProto: text, fDst: text },
    { index: 'flow_destination', isCovering: false },
  ],
  [{ fThreat: ['warn', 'danger'] }, { index: 'flow_threat', isCovering: true }],
  [
    { fThreat: ['danger'], fDst: text },
    { index: 'flow_threat', isCovering: false },
  ],
  // Rows that are safe are not in the index of threats.
  [{ fThreat: ['safe'] }, null],
  [{ fThreat: ['safe', 'danger'] }, null],
  [
    { fThreat: ['safe'], fDst: text },
    { index: 'flow_destination', isCovering: false },
  ],
])('%j', ([filter, expected]) => {
  expect(findNarrowIndex(filter)).toEqual(expected);
});

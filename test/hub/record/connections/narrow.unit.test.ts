// Which index finds the rows of a filter: what it names comes before what it leaves out.
import { expect, test } from 'vitest';
import type { ConnectionFilter } from '#contract/connections.ts';
import type { FlowIndex } from '#hub/record/connections/query/filter.ts';
import { findNarrowIndex } from '#hub/record/connections/query/narrow.ts';

const sources = 'sqlite_autoindex_flow_1';
const text = ['x'];

test.for<[ConnectionFilter, FlowIndex | null, boolean?]>([
  [{}, null],
  [{ from: 1, sourceKind: 'router', sourceId: 'a' }, null],
  [{ fDst: text }, 'flow_destination', true],
  [{ fDst: text, fOrg: text, fOrgMode: 'isNot' }, 'flow_destination', true],
  [{ fOrg: text, fOrgMode: 'isNot' }, 'flow_destination', true],
  [{ fDport: text, fDportMode: 'notContains' }, 'flow_dport', true],
  [{ fSrc: text, fSrcMode: 'isNot' }, sources, true],
  // The labels of a row depend on when it was last seen, which this index does not have.
  [{ fDevice: text }, sources, false],
  [{ fSrcMac: text }, sources, false],
  [{ fDevice: text, fOrg: text, fOrgMode: 'isNot' }, sources, false],
  [{ fSrc: text, fOrg: text, fOrgMode: 'notContains' }, sources, false],
  [{ fSrc: text, fOrg: text }, 'flow_destination', false],
  [{ fDport: text, fSrc: text, fSrcMode: 'isNot' }, 'flow_dport', false],
  // Nothing is named: each row that the other condition drops would be looked up.
  [{ fDport: text, fDportMode: 'isNot', fOrg: text, fOrgMode: 'isNot' }, null],
  [{ fProto: text }, null],
  [{ fProto: text, fDst: text, fDstMode: 'isNot' }, null],
  [{ fProto: text, fDst: text }, 'flow_destination', false],
  [{ fThreat: ['warn', 'danger'] }, 'flow_threat', true],
  [{ fThreat: ['danger'], fDst: text }, 'flow_threat', false],
  // Rows that are safe are not in the index of threats.
  [{ fThreat: ['safe'] }, null],
  [{ fThreat: ['safe', 'danger'] }, null],
  [{ fThreat: ['safe'], fDst: text }, 'flow_destination', false],
])('%j: %s', ([filter, index, isCovering]) => {
  expect(findNarrowIndex(filter)).toEqual(index && { index, isCovering });
});

// Which index finds the rows of a filter regardless of time.
import type { ConnectionFilter } from '#contract/connections.ts';
import type { FlowIndex } from './filter.ts';

export interface Narrow {
  index: FlowIndex;
  /** Whether it answers the filter alone, times and scope aside. */
  isCovering: boolean;
}

/** What a filter asks of one column of `flow`. */
interface FilteredColumn {
  /** Finds the rows; null where none does. */
  index: FlowIndex | null;
  /** The filter names what to show, which is mostly little; a negative mode names what to leave out. */
  isPositive: boolean;
  /** The index has everything that the condition reads. */
  isCovered: boolean;
}

type Column = 'fSrc' | 'fDst' | 'fDport' | 'fProto' | 'fCountry' | 'fOrg' | 'fTarget' | 'fProcess';

/**
 * Returns the most selective index for what `filter` names. A negative filter has an index only when it is the only one:
 * rows that another condition drops would be looked up one by one. Null: only the order of time helps.
 */
export function findNarrowIndex(filter: ConnectionFilter): Narrow | null {
  const asked = listFilteredColumns(filter);
  const only = asked.length === 1 ? asked[0] : undefined;
  const found = asked.find(({ index, isPositive }) => index !== null && isPositive) ?? only;
  if (found === undefined || found.index === null) {
    return null;
  }
  return { index: found.index, isCovering: found === only && found.isCovered };
}

/** Lists the columns of `flow` that `filter` restricts, the most selective kind first. */
function listFilteredColumns(filter: ConnectionFilter): FilteredColumn[] {
  const given = (...names: Column[]) => names.filter((name) => filter[name] !== undefined);
  const isPositive = (name: Column) => !['isNot', 'notContains'].includes(filter[`${name}Mode`] ?? 'contains');
  const matched = (index: FlowIndex | null, ...names: Column[]): FilteredColumn[] =>
    names.length === 0 ? [] : [{ index, isPositive: names.some(isPositive), isCovered: true }];
  const { fThreat, fSrcMac, fDevice } = filter;
  const isLabelled = fSrcMac !== undefined || fDevice !== undefined;
  const source = 'sqlite_autoindex_flow_1';
  return [
    ...(fThreat === undefined
      ? []
      : [{ index: fThreat.includes('safe') ? null : ('flow_threat' as const), isPositive: true, isCovered: true }]),
    ...matched('flow_destination', ...given('fDst', 'fCountry', 'fOrg', 'fTarget')),
    ...(filter.fUnknown === undefined ? [] : [{ index: null, isPositive: true, isCovered: true }]),
    ...(isLabelled
      ? [{ index: source, isPositive: true, isCovered: false } as const]
      : matched(source, ...given('fSrc'))),
    ...matched('flow_dport', ...given('fDport')),
    ...matched(null, ...given('fProto')),
    ...given('fProcess').map((name) => ({ index: null, isPositive: isPositive(name), isCovered: false })),
  ];
}

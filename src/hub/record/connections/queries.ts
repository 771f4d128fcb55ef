// The queries of the connection log, by the names the handlers ask for. Reader threads load this module.
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { readDetail } from './detail/query.ts';
import { exportConnections } from './export/query.ts';
import { readActivity } from './query/activity.ts';
import { comparePeriods } from './query/compare.ts';
import { listAllConnections, listConnections } from './query/list.ts';
import { findNewNodes } from './query/new-nodes.ts';
import { countThreats, listThreats } from './query/threats.ts';
import { listValues } from './query/values.ts';
import { measureGrowth } from './upkeep/growth.ts';

export const queries = {
  detail: readDetail,
  list: listConnections,
  listAll: listAllConnections,
  newNodes: findNewNodes,
  values: listValues,
  threatConnections: listThreats,
  threatCounts: countThreats,
  comparePeriods,
  periodActivity: readActivity,
  export: exportConnections,
  growth: measureGrowth,
  size: (reader: Reader, _: null) => reader.prepare('SELECT count(*) AS persistedEntries FROM flow').get() as Size,
};

interface Size {
  persistedEntries: number;
}

export type ConnectionQueries = typeof queries;

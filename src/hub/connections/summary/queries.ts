// The queries of the one thread that keeps flows in memory. It loads this module.
import { keptFlows } from './index/store.ts';
import { summarise } from './query.ts';

export const queries = { summary: summarise, keptFlows };

export type SummaryQueries = typeof queries;

// The queries of the thread that holds the flow store; it loads this module.
import { cachedFlows, keepFlowStore } from './index/store.ts';
import { summarise } from './query.ts';

export const queries = { summary: summarise, cachedFlows, keepFlowStore };

export type SummaryQueries = typeof queries;

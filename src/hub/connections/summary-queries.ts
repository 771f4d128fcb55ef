// The queries of the one thread that keeps flows in memory. It loads this module.
import { prepareSummaries, summarise } from './summary-query.ts';

export const queries = { summary: summarise, prepare: prepareSummaries };

export type SummaryQueries = typeof queries;

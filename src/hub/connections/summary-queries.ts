// The queries of the one thread that keeps flows in memory. It loads this module.
import { summarise } from './summary-query.ts';

export const queries = { summary: summarise };

export type SummaryQueries = typeof queries;

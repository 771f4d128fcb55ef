// Every query that reader threads answer. They load this module, so it belongs to no feature.
import { queries as connectionQueries } from './connections/queries.ts';
import { detectionQueries } from './detection/queries.ts';

export const queries = { ...connectionQueries, ...detectionQueries };

export type HubQueries = typeof queries;

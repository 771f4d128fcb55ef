// An export as a stream of texts: the plan, then head, pages and end of the document.
import { createMapping } from '#capture/mapping.ts';
import type { ConnectionFilter } from '#contract/connections.ts';
import { limits } from '#contract/limits.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { randomHex } from '#kernel/text/secret.ts';
import { countMatching } from '../query/count.ts';
import { type ListedConnection, newestFirst, readPages } from '../query/page.ts';
import { anonymiseExported } from './anonymise.ts';
import { csvHead, type ExportedConnection, formatCsvLine, toExported } from './format.ts';

export interface ExportParams {
  filter: ConnectionFilter;
  format: 'csv' | 'json';
  /** Replaces addresses, MACs and names by a random mapping of this export, which is not kept. */
  anonymise?: boolean;
  /** For the JSON format. */
  from: number;
  to: number;
}

/** The first text of the stream, as JSON. */
export interface ExportPlan {
  /** Rows that match. */
  total: number;
  /** Rows that will come. */
  count: number;
}

export function* exportConnections(reader: Reader, params: ExportParams): Generator<string> {
  const { filter, format, from, to } = params;
  const toRow = createToRow(params.anonymise ?? false);
  const total = countMatching(reader, filter);
  const plan: ExportPlan = { total, count: Math.min(total, limits.exportRows) };
  yield JSON.stringify(plan);
  const query = { filter, ...newestFirst, include: 'path' } as const;
  const pages = readPages(reader, query, { rows: plan.count, rowsAtOnce: limits.exportPage });
  if (format === 'csv') {
    yield csvHead;
    for (const page of pages) {
      yield page.map((row) => formatCsvLine(toRow(row))).join('');
    }
    return;
  }
  const truncated = plan.count < total;
  const meta = { from, to, total, exported: plan.count, truncated, limit: limits.exportRows };
  let before = `{"meta":${JSON.stringify(meta)},"connections":[`;
  for (const page of pages) {
    yield before + page.map((row) => JSON.stringify(toRow(row))).join(',');
    before = ',';
  }
  yield plan.count === 0 ? `${before}]}` : ']}';
}

function createToRow(anonymise: boolean): (row: ListedConnection) => ExportedConnection {
  if (!anonymise) {
    return toExported;
  }
  const mapping = createMapping(randomHex(64));
  return (row) => anonymiseExported(mapping, toExported(row));
}

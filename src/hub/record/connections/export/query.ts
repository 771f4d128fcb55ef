// An export as a stream of texts: the plan, then head, pages and end of the document.
import { createMapping } from '#capture/mapping.ts';
import type { ConnectionFilter } from '#contract/connections.ts';
import { limits } from '#contract/limits.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { randomHex } from '#kernel/text/secret.ts';
import type { Chunks } from '../../../base/readers/query-table.ts';
import { countMatching } from '../query/count.ts';
import { selectByTime } from '../query/page.ts';
import { createAnonymisation } from './anonymise.ts';
import { csvHead, exportColumns } from './columns.ts';
import { csvForm, jsonForm } from './rows/forms.ts';
import { writeRows } from './rows/write-rows.ts';

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

export function* exportConnections(reader: Reader, params: ExportParams): Chunks<unknown> {
  const { filter, format, from, to } = params;
  const total = countMatching(reader, filter);
  const plan: ExportPlan = { total, count: Math.min(total, limits.exportRows) };
  yield JSON.stringify(plan);
  const changes = params.anonymise ? createAnonymisation(createMapping(randomHex(64))) : undefined;
  const form = format === 'csv' ? csvForm : jsonForm;
  const writing = { columns: exportColumns, form, changes, rowsAtOnce: limits.exportPage };
  const truncated = plan.count < total;
  const meta = { from, to, total, exported: plan.count, truncated, limit: limits.exportRows };
  yield format === 'csv' ? csvHead : `{"meta":${JSON.stringify(meta)},"connections":[`;
  yield* writeRows(reader, selectByTime(reader, filter, total), plan.count, writing);
  yield format === 'csv' ? '' : ']}';
}

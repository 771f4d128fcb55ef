// An export as a stream of texts: first what it will hold, then its head, its pages, its end.
import type { ConnectionFilter } from '#contract/connections.ts';
import { limits } from '#contract/limits.ts';
import type { Connection } from '#contract/model.ts';
import type { Reader } from '#kernel/sqlite.ts';
import { countMatching } from './count.ts';
import { csvHead, csvLine, exportedObject } from './export-format.ts';
import { cursorOf, type Order } from './order.ts';
import { readPage } from './page.ts';

export interface ExportParams {
  filter: ConnectionFilter;
  format: 'csv' | 'json';
  /** As the JSON form tells them. */
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

const order: Order = { sort: 'lastSeen', sortDir: 'desc' };

export function* exportConnections(reader: Reader, { filter, format, from, to }: ExportParams): Generator<string> {
  const total = countMatching(reader, filter);
  const plan: ExportPlan = { total, count: Math.min(total, limits.exportRows) };
  yield JSON.stringify(plan);
  if (format === 'csv') {
    yield csvHead;
    for (const page of pages(reader, filter, plan.count)) {
      yield page.map(csvLine).join('');
    }
    return;
  }
  const truncated = plan.count < total;
  const meta = { from, to, total, exported: plan.count, truncated, limit: limits.exportRows };
  let before = `{"meta":${JSON.stringify(meta)},"connections":[`;
  for (const page of pages(reader, filter, plan.count)) {
    yield before + page.map((row) => JSON.stringify(exportedObject(row))).join(',');
    before = ',';
  }
  yield plan.count === 0 ? `${before}]}` : ']}';
}

/** Newest first, `rows` in all; each page goes on behind the last row of the one before. */
function* pages(reader: Reader, filter: ConnectionFilter, rows: number): Generator<Connection[]> {
  let after: string | undefined;
  for (let left = rows; left > 0; left -= limits.exportPage) {
    const limit = Math.min(left, limits.exportPage);
    const page: Connection[] = readPage(reader, { filter, ...order, limit, offset: 0, after }, rows);
    const last = page.at(-1);
    if (!last) {
      return;
    }
    after = cursorOf(order, last);
    yield page;
  }
}

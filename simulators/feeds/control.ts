// The control surface of the simulated feeds: what a test or an operator can ask them and do to them.
import { z } from 'zod';
import { AppError } from '#kernel/errors.ts';
import { get, put } from '#kernel/http/declare-route.ts';
import { asInvalidBody, type ControlRoutes, mountControl } from '../support/control-server.ts';
import type { Control } from '../support/simulator.ts';
import type { FeedFault } from './faults.ts';
import { type GivenRows, type ListName, listNames, mostEntries, type Rows } from './listing.ts';
import { reputationServices } from './reputation.ts';

export interface FeedsControl extends Control<FeedFault> {
  /** A list has these rows from now on. Throws, naming what is wrong in a row. */
  list<N extends ListName>(name: N, rows: NonNullable<GivenRows[N]>): void;
  rows<N extends ListName>(name: N): Rows[N];
}

const key = z.string().min(1).max(200);
const count = z.int().min(0).max(mostEntries);

export const patchSchema = z
  .strictObject({
    authKey: key,
    keys: z.record(z.enum(reputationServices), key),
    /** So many made-up rows take the place of those of a list. */
    madeUp: z.partialRecord(z.enum(listNames as [ListName, ...ListName[]]), count),
  })
  .partial();

const listName = z.object({ list: z.string() });
const shown = z.object({ rows: z.array(z.record(z.string(), z.unknown())) });

const routes = {
  rows: get('/lists/:list', 'open', {
    summary: `The rows of a list: ${listNames.join(', ')}.`,
    params: listName,
    reply: { 200: shown },
  }),
  putRows: put('/lists/:list', 'open', {
    summary: 'A list has these rows from now on.',
    params: listName,
    body: z.strictObject({ rows: z.array(z.looseObject({})).max(10_000) }),
    reply: { 200: shown },
  }),
};

/** The routes only the simulated feeds have besides the common ones of control-server.ts. */
export function feedsControlRoutes(control: FeedsControl): ControlRoutes {
  const named = (name: string): ListName => {
    const found = listNames.find((one) => one === name);
    if (!found) {
      throw new AppError('not_found', `there is no list "${name}"; there are ${listNames.join(', ')}`);
    }
    return found;
  };
  return mountControl(routes, {
    rows: ({ params }) => ({ rows: control.rows(named(params.list)) }),
    putRows: async ({ params, body }) => {
      const name = named(params.list);
      await asInvalidBody(() => control.list(name, body.rows as never));
      return { rows: control.rows(name) };
    },
  });
}

// Replaces all routers by those of a configuration as text, and removes the others.
import { z } from 'zod';
import { limits } from '#contract/limits.ts';
import { type RouterKind, routerCreate } from '#contract/routers.ts';
import { canonicalIp } from '#kernel/net/address.ts';
import { sha256 } from '#kernel/text/digest.ts';
import type { RouterRecord, Settings } from '../../base/settings/schema.ts';
import { TextMistake, toTextMistake } from '../../base/settings/text-mistake.ts';
import { changeRouter, toRouterRecord } from './registry.ts';

const listed = routerCreate.extend({
  id: z
    .string()
    .regex(/^[\w-]{1,64}$/, 'must be 1 to 64 letters, digits, _ and -')
    .optional(),
});
export const routerList = z.array(listed.strict()).max(limits.routers, `must have at most ${limits.routers} routers`);
type Listed = z.output<typeof listed>;

/** The members that say which router is meant. */
type Named = { id?: unknown; kind?: unknown; ip?: unknown; port?: unknown };

/** Returns the router with the id of `given` or, without an id, the one with its kind, address and port. */
export function findSameRouter<R extends Named>(routers: readonly R[], given: Named): R | undefined {
  const address = ({ kind, ip, port }: Named) => `${kind} ${canonicalIp(String(ip))} ${port ?? 22}`;
  return routers.find((one) => (given.id === undefined ? address(one) === address(given) : one.id === given.id));
}

/** Throws an AggregateError of TextMistakes. */
export function replaceRouters(
  all: Settings,
  given: readonly Listed[],
  { now, allowLoopback }: { now: number; allowLoopback: boolean },
): Settings {
  const mistakes: TextMistake[] = [];
  const routers: RouterRecord[] = [];
  for (const [at, { id, ...input }] of given.entries()) {
    try {
      const old = findSameRouter(all.routers, { id, ...input });
      const chosen = old?.id ?? id ?? deriveId(all, input, routers);
      requireFreeId(chosen, all, routers);
      routers.push(old ? changeRouter(old, input, allowLoopback) : toRouterRecord(chosen, input, allowLoopback));
    } catch (error) {
      mistakes.push(toTextMistake(error, [at]));
    }
  }
  if (mistakes.length > 0) {
    throw new AggregateError(mistakes);
  }
  const removed = all.routers.filter((old) => !routers.some(({ id }) => id === old.id));
  const graves = removed.map(({ id, kind, displayName }) => ({ id, kind, displayName, deletedAt: now }));
  return { ...all, routers, tombstones: [...all.tombstones, ...graves].slice(-limits.routerTombstones) };
}

/** Throws when another router has the id, or had it: the log names routers by their ids for ever. */
function requireFreeId(id: string, { tombstones }: Settings, routers: readonly RouterRecord[]): void {
  if (routers.some((one) => one.id === id)) {
    throw new TextMistake('id', 'this router is in the list twice: give each router its own id, kind, ip and port');
  }
  if (tombstones.some((one) => one.id === id)) {
    throw new TextMistake('id', 'id is that of a removed router: leave id out, for a new one');
  }
}

/** The same text gives the same id on every hub that has none of these routers. */
function deriveId({ routers, tombstones }: Settings, input: Listed, others: readonly RouterRecord[]): string {
  const taken = new Set([...routers, ...tombstones, ...others].map(({ id }) => id));
  for (let count = 0; ; count += 1) {
    const digest = sha256([input.kind, canonicalIp(input.ip), input.port ?? 22, count].join(' '));
    const id = `${(input.kind satisfies RouterKind).replace('_', '-')}-${digest.slice(0, 8)}`;
    if (!taken.has(id)) {
      return id;
    }
  }
}

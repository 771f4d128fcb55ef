// The block list: what people confirmed and what they added, without what must work.
import type { BlockEntry } from '#contract/block-list.ts';
import { messageOf } from '#kernel/errors.ts';
import { decodeJson } from '#kernel/http/ready-body.ts';
import { sha256 } from '#kernel/text/digest.ts';
import type { Base } from '../../../base/feature.ts';
import type { ReaderPool } from '../../../base/readers/pool.ts';
import type { ConfirmedQueries } from '../../detection/alerts/confirmed.ts';
import { type Blocked, compareBlocked, createProtection, parseBlocked } from './entry.ts';
import type { GivenList } from './formats.ts';
import type { BlockListQueries } from './queries.ts';

export interface BlockListOptions extends Pick<Base, 'clock' | 'log' | 'settings'> {
  reads: Pick<ReaderPool<ConfirmedQueries & BlockListQueries>, 'ask'>;
}

export interface BlockList {
  read(signal: AbortSignal): Promise<GivenList & { all: readonly BlockEntry[] }>;
  /** Resolves to the reason why an entry may not be given out; null: it may. */
  createProtection(signal: AbortSignal): Promise<ReturnType<typeof createProtection>>;
}

/** Names an entry in an address, where its slash would be in the way. */
export function toEntryId(value: string): string {
  return sha256(value).slice(0, 16);
}

export function createBlockList({ clock, log, settings, reads }: BlockListOptions): BlockList {
  const protect = async (signal: AbortSignal) => {
    const devices = decodeJson(await reads.ask('publicDevices', undefined, signal));
    const { threat, routers } = settings.current();
    return createProtection({ allowList: threat.allowList, own: [...devices, ...routers.map(({ ip }) => ip)] });
  };
  /**
   * Notes when the list changed, in whole seconds that only grow: the serial of the zone is made from it. A list that has
   * always been empty is of no time, 0, and its first readers change nothing.
   */
  const noteChange = (entries: readonly Blocked[]): number => {
    const digest = entries.length === 0 ? '' : sha256(entries.map(({ value }) => value).join('\n'));
    const { given } = settings.current().blockList;
    if (given.digest === digest) {
      return given.changedAt;
    }
    const changedAt = Math.max(Math.floor(clock.now() / 1000) * 1000, given.changedAt + 1000);
    try {
      settings.update((all) => ({ ...all, blockList: { ...all.blockList, given: { digest, changedAt } } }));
    } catch (error) {
      log.warn(
        { reason: messageOf(error) },
        'when the block list changed could not be saved: it is given out with the time of now',
      );
    }
    return changedAt;
  };
  return {
    createProtection: protect,
    async read(signal) {
      const confirmed = decodeJson(await reads.ask('confirmedThreats', { now: clock.now() }, signal));
      const findReason = await protect(signal);
      const all = new Map<string, BlockEntry>();
      const findEntry = (text: string): BlockEntry => {
        const parsed = parseBlocked(text);
        const blocked: Blocked = 'problem' in parsed ? { kind: guessKind(text), value: text } : parsed;
        const withheld = 'problem' in parsed ? parsed.problem : findReason(parsed);
        const entry = all.get(blocked.value) ?? { ...blocked, added: null, alerts: [], lists: [], withheld };
        all.set(blocked.value, entry);
        return entry;
      };
      for (const { value, ...added } of settings.current().blockList.entries) {
        findEntry(value).added = { id: toEntryId(value), ...added };
      }
      for (const { value, alertId, list } of confirmed) {
        const entry = findEntry(value);
        entry.alerts = [...new Set([...entry.alerts, alertId])];
        entry.lists = [...new Set([...entry.lists, list])];
      }
      const sorted = [...all.values()].sort(compareBlocked);
      const entries = sorted.filter(({ withheld }) => withheld === null);
      return { all: sorted, entries, changedAt: noteChange(entries) };
    },
  };
}

/** What cannot be blocked is shown by the form that it has. */
function guessKind(text: string): Blocked['kind'] {
  return /^[\d.]+$|:/.test(text) ? (text.includes('/') ? 'cidr' : 'ip') : 'domain';
}

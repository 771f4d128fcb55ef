// Handlers of the block list.
import { Readable } from 'node:stream';
import type { WithheldReason } from '#contract/block-list.ts';
import { limits } from '#contract/limits.ts';
import { AppError, refuseField } from '#kernel/errors.ts';
import { isTagListed } from '#kernel/http/entity-tag.ts';
import { bodyStream } from '#kernel/http/ready-body.ts';
import { reply } from '#kernel/http/route.ts';
import { sha256 } from '#kernel/text/digest.ts';
import type { Clock } from '#kernel/time/clock.ts';
import { nameActor } from '../../../base/auth/principal.ts';
import type { HubHandlers } from '../../../base/feature.ts';
import type { SettingsDocument } from '../../../base/settings/document.ts';
import { type BlockList, toEntryId } from './block-list.ts';
import { type Blocked, parseBlocked } from './entry.ts';
import { formatBlockList } from './formats.ts';

export interface BlockListHandlersOptions {
  blockList: BlockList;
  settings: SettingsDocument;
  clock: Clock;
}

const reasons: Readonly<Record<WithheldReason, string>> = {
  not_blockable: 'must be an address, a network as address/length, or a name of at least two labels',
  too_wide: 'must be a network of /8 or longer, of IPv6 /19 or longer: a wider one would cut off much of the Internet',
  not_public: 'must be public: the own network, loopback and multicast have to work',
  allowed: 'must not overlap the allow list of the threat feeds: take it off there first',
  own_network: 'must not contain an address of a device or router of this network',
};

export function createBlockListHandlers({
  blockList,
  settings,
  clock,
}: BlockListHandlersOptions): HubHandlers['blockList'] {
  const answerEntries = async (signal: AbortSignal) => {
    const { all, changedAt } = await blockList.read(signal);
    return { entries: [...all], changedAt, serverTime: clock.now() };
  };
  return {
    async list({ query, request, signal }) {
      const text = formatBlockList(query.format, await blockList.read(signal));
      const headers = { ETag: `"${sha256(text).slice(0, 32)}"`, 'Cache-Control': 'no-cache' };
      return isTagListed(headers.ETag, request.headers['if-none-match'])
        ? reply(304, null, { headers })
        : bodyStream({ type: 'text/plain; charset=utf-8', headers, body: Readable.from([text]) });
    },
    entries: ({ signal }) => answerEntries(signal),
    async add({ body, principal, signal }) {
      const parsed = requireBlockable(body.value);
      const findReason = await blockList.createProtection(signal);
      const problem = findReason(parsed);
      if (problem !== null) {
        throw createRefusedError(problem);
      }
      const { value } = parsed;
      const entry = { value, note: body.note ?? null, by: nameActor(principal), addedAt: clock.now() };
      settings.update((all) => {
        const others = all.blockList.entries.filter((one) => one.value !== value);
        if (others.length >= limits.blockList) {
          throw new AppError(
            'block_list_limit',
            `the block list has ${limits.blockList} added entries: remove some that are no longer needed`,
          );
        }
        return { ...all, blockList: { ...all.blockList, entries: [...others, entry] } };
      });
      return { success: true, ...(await answerEntries(signal)) };
    },
    async remove({ params, signal }) {
      settings.update((all) => {
        const entries = all.blockList.entries.filter(({ value }) => toEntryId(value) !== params.id);
        if (entries.length === all.blockList.entries.length) {
          throw new AppError('not_found', 'nobody added such an entry; GET /api/blocklist/entries lists them');
        }
        return { ...all, blockList: { ...all.blockList, entries } };
      });
      return { success: true, ...(await answerEntries(signal)) };
    },
  };
}

/** Throws AppError `block_entry_refused` for what nobody may block. */
export function requireBlockable(text: string): Blocked {
  const parsed = parseBlocked(text);
  if ('problem' in parsed) {
    throw createRefusedError(parsed.problem);
  }
  return parsed;
}

function createRefusedError(problem: WithheldReason): AppError {
  return refuseField('block_entry_refused', 'value', reasons[problem], problem);
}

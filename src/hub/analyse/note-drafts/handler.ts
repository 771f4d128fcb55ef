// The draft of a note: the chosen AI provider words the facts of a device; without one, and for a router, the template does.
import { limits } from '#contract/limits.ts';
import { AppError, refuseField } from '#kernel/errors.ts';
import { decodeJson } from '#kernel/http/ready-body.ts';
import { isPrivateTarget } from '#kernel/net/address.ts';
import { clipText } from '#kernel/text/clip.ts';
import type { RouteHandlers } from '../../base/feature.ts';
import type { ReaderPool } from '../../base/readers/pool.ts';
import type { Notes } from '../../identify/notes/notes.ts';
import type { DraftWriter } from '../ai/drafts/writer.ts';
import type { Contexts } from '../insights/contexts.ts';
import { writeLocally } from './draft.ts';
import type { noteQueries } from './draft-facts.ts';

export interface DraftOptions {
  notes: Pick<Notes, 'deviceAt'>;
  reads: Pick<ReaderPool<typeof noteQueries>, 'ask'>;
  contexts: Pick<Contexts, 'draft'>;
  writer: DraftWriter;
}

export function createDraftHandlers({ notes, reads, contexts, writer }: DraftOptions): RouteHandlers<'notes', 'draft'> {
  return {
    async draft({ body: { ip, assistant = true, cloudConsentConfirmed = false }, principal, request, signal }) {
      if (!isPrivateTarget(ip)) {
        throw refuseField('invalid_body', 'ip', 'must be a private IPv4 address of the LAN', 'not_private');
      }
      const deviceId = notes.deviceAt(ip);
      if (deviceId === null) {
        throw new AppError('not_found', `no device is known at ${ip}; GET /api/devices lists them`);
      }
      const facts = decodeJson(await reads.ask('draftFacts', { deviceId, ip }, signal));
      const sent = assistant && writer.isChosen() ? contexts.draft(facts) : null;
      if (sent === null) {
        return { ...writeLocally(facts), raw: { ...facts } };
      }
      const mayAsk = 'permissions' in principal && principal.permissions.has('ai.run');
      const order = { confirmed: cloudConsentConfirmed, mayAsk, caller: { principal, request } };
      const { text, generatedBy } = await writer.write(sent, order, signal);
      return { draft: clipText(text, limits.note), generatedBy, raw: { ...sent } };
    },
  };
}

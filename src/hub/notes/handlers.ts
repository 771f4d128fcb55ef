// Handlers of notes and their drafts.
import type { noteRoutes } from '#contract/devices.ts';
import { isPrivateTarget } from '#kernel/address.ts';
import { AppError } from '#kernel/errors.ts';
import type { Handlers } from '#kernel/http/route.ts';
import type { ReaderPool } from '../readers/pool.ts';
import type { WriteDraft } from './draft.ts';
import type { DraftFacts, noteQueries } from './draft-facts.ts';
import type { Notes } from './notes.ts';

export interface NoteHandlersOptions {
  notes: Notes;
  /** Called after each write. */
  onWritten: () => void;
  reads: Pick<ReaderPool<typeof noteQueries>, 'ask'>;
  writeDraft: WriteDraft;
}

export function noteHandlers<P>(options: NoteHandlersOptions): Handlers<typeof noteRoutes, P> {
  const { notes, reads, writeDraft } = options;
  return {
    list: () => ({ notes: notes.all() }),
    async write({ body }) {
      const written = await notes.write(body);
      options.onWritten();
      return { success: true, ...written };
    },
    async draft({ body: { ip }, signal }) {
      if (!isPrivateTarget(ip)) {
        throw new AppError('invalid_body', 'ip must be a private IPv4 address of the LAN');
      }
      const deviceId = notes.deviceAt(ip);
      if (deviceId === null) {
        throw new AppError('not_found', `no device is known at ${ip}; GET /api/devices lists them`);
      }
      const { bytes } = await reads.ask('draftFacts', { deviceId, ip }, signal);
      const facts = JSON.parse(new TextDecoder().decode(bytes)) as DraftFacts;
      return { ...(await writeDraft(facts, signal)), raw: { ...facts } };
    },
  };
}

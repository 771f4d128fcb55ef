// Drafts of notes as a feature. It starts after the AI features, whose writer it uses.
import type { Base, Feature, RouteHandlers } from '../../base/feature.ts';
import type { Notes } from '../../identify/notes/notes.ts';
import type { DraftWriter } from '../ai/drafts/writer.ts';
import type { Contexts } from '../insights/contexts.ts';
import { createDraftHandlers } from './handler.ts';

export function startNoteDraftsFeature(
  { readers }: Base,
  peers: { notes: Pick<Notes, 'deviceAt'>; contexts: Pick<Contexts, 'draft'>; writer: DraftWriter },
): Feature<{ notes: RouteHandlers<'notes', 'draft'> }> {
  return { handlers: { notes: createDraftHandlers({ ...peers, reads: readers.reads }) } };
}

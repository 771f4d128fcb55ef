// Drafts of notes: the facts of a device, worded by an assistant, or by a template when there is none.
import { isoTime } from '#kernel/clock.ts';
import { clip } from './composition.ts';
import type { DraftFacts } from './draft-facts.ts';

export interface Draft {
  /** At most as long as a note may be. */
  draft: string;
  /** Who wrote it. */
  generatedBy: string;
}

/** Words the facts. That of an assistant rejects with the AppErrors of its provider. */
export type WriteDraft = (facts: DraftFacts, signal: AbortSignal) => Promise<Draft>;

/** The template: the same facts give the same text. */
export const writeLocally: WriteDraft = (facts) => {
  const card = facts.vendor ?? facts.mac;
  const name = facts.mdnsName ?? facts.dnsName ?? 'Unnamed device';
  const day = (at: number) => isoTime(at).slice(0, 10);
  const talksTo = facts.topDestinations.map((one) => one.name).join(', ');
  const lines = [
    card === null ? name : `${name} (${card})`,
    `First seen ${day(facts.firstSeen)}, last seen ${day(facts.lastSeen)}.`,
    talksTo === '' ? 'No connections are known.' : `Talks most to ${talksTo}.`,
  ];
  return Promise.resolve({ draft: clip(lines.join('\n')), generatedBy: 'local' });
};

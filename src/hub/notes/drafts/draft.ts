// The template of a draft: the facts of a device as sentences.
import { isoTime } from '#kernel/clock.ts';
import { clip } from '../composition.ts';
import type { DraftFacts } from './draft-facts.ts';

export interface Draft {
  /** At most as long as a note may be. */
  draft: string;
  /** Who wrote it. */
  generatedBy: string;
}

/** The same facts give the same text. */
export function writeLocally(facts: DraftFacts): Draft {
  const card = facts.vendor ?? facts.mac;
  const name = facts.mdnsName ?? facts.dnsName ?? 'Unnamed device';
  const day = (at: number) => isoTime(at).slice(0, 10);
  const talksTo = facts.topDestinations.map((one) => one.name).join(', ');
  const lines = [
    card === null ? name : `${name} (${card})`,
    `First seen ${day(facts.firstSeen)}, last seen ${day(facts.lastSeen)}.`,
    talksTo === '' ? 'No connections are known.' : `Talks most to ${talksTo}.`,
  ];
  return { draft: clip(lines.join('\n')), generatedBy: 'local' };
}

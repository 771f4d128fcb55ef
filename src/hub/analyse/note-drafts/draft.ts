// The template of a draft: the facts of a device as sentences.

import { limits } from '#contract/limits.ts';
import { clipText } from '#kernel/text/clip.ts';
import { isoTime } from '#kernel/time/clock.ts';
import type { DraftFacts } from './draft-facts.ts';

export interface Draft {
  /** At most as long as a note may be. */
  draft: string;
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
  return { draft: clipText(lines.join('\n'), limits.note), generatedBy: 'local' };
}

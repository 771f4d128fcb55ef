// What the draft of a note sends of a device: facts that hold no note, cleaned and cut as those of an analysis.
import { canonicalIp, canonicalMac } from '#kernel/net/address.ts';
import { isoTime } from '#kernel/time/clock.ts';
import type { DraftFacts } from '../note-drafts/draft-facts.ts';
import { createContextTexts } from './context-text.ts';

/** Every field that may leave the hub is named here; days are those of UTC. */
export interface DraftContext {
  ip: string;
  mac: string | null;
  vendor: string | null;
  names: string[];
  firstSeen: string;
  lastSeen: string;
  /** Most sessions first. */
  topDestinations: { name: string; sessions: number }[];
}

/** Null of a device whose address is one that routers and mesh nodes are managed at: `managed`, canonical. */
export function buildDraftContext(facts: DraftFacts, managed: readonly string[]): DraftContext | null {
  const ip = canonicalIp(facts.ip);
  if (ip === null || managed.includes(ip)) {
    return null;
  }
  const texts = createContextTexts(new Set(managed));
  const day = (at: number) => isoTime(at).slice(0, 10);
  return {
    ip,
    mac: canonicalMac(facts.mac ?? ''),
    vendor: texts.name(facts.vendor),
    names: [facts.mdnsName, facts.dnsName].flatMap((name) => texts.name(name) ?? []),
    firstSeen: day(facts.firstSeen),
    lastSeen: day(facts.lastSeen),
    topDestinations: facts.topDestinations
      .filter(({ name }) => !managed.includes(canonicalIp(name) ?? ''))
      .flatMap(({ name, sessions }) => {
        const shown = texts.host(name);
        return shown === null ? [] : [{ name: shown, sessions }];
      }),
  };
}

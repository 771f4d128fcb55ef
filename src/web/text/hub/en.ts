// English of what the hub says in sentences, for words.ts: the hub's own sentences are shown.
import type { Reply } from '../../api/client.ts';

type BlindSpot = Reply<'GET /api/coverage'>['subjects'][number]['blindSpots'][number];

export interface HubWords {
  /** Why something was not observed, by reason. */
  gaps: Readonly<Record<string, string>>;
  blindSpots: { readonly [Code in BlindSpot['code']]?: string };
  about?: (share: string) => string;
  /** How long a destination was contacted before it was listed; `isKnown`: the earlier list is known. */
  retro?: (cause: 'list' | 'feed_added' | 'settings', isKnown: boolean, span: string) => string;
  /** Of a period that begins before what the hub keeps; `until` where ClickHouse answered. */
  longRange?: (until: string | null) => string;
  /** What each router does with the source of a connection; `to` is null where its table does not show it. */
  path?: {
    none: string;
    unknown: (names: string) => string;
    several: (count: string) => string;
    hop: (name: string, from: string, to: string | null) => string;
    doubleNat: Readonly<Record<string, string>>;
  };
  /** Refusals of the API by code; `seconds` until it may be tried again, empty where that is not known. */
  refusals: Readonly<Record<string, (seconds: string) => string>>;
  /** Of a refusal that has no words here; the hub's sentence follows. */
  refused?: string;
  /** What is wrong with a field, by the code of its problem. */
  problems: Readonly<Record<string, (limit: string, unit: string | null) => string>>;
  /** Of a field whose problem has no words here; the hub's sentence follows. */
  problem?: string;
}

export const en: HubWords = { gaps: {}, blindSpots: {}, refusals: {}, problems: {} };

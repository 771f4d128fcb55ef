// English of what the hub says in sentences, for words.ts: the hub's own sentences are shown.
import type { Reply } from '../../api/client.ts';

type BlindSpot = Reply<'GET /api/coverage'>['subjects'][number]['blindSpots'][number];

export interface HubWords {
  /** Why something was not observed, by reason. */
  gaps: Readonly<Record<string, string>>;
  blindSpots: { readonly [Code in BlindSpot['code']]?: string };
  about?: (share: string) => string;
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

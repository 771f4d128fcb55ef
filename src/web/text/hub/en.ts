// English of what the hub says in sentences, for words.ts: the hub's own sentences are shown.
import type { Reply } from '../../api/client.ts';

type BlindSpot = Reply<'GET /api/coverage'>['subjects'][number]['blindSpots'][number];

export interface HubWords {
  /** Why something was not observed, by reason. */
  gaps: Readonly<Record<string, string>>;
  blindSpots: { readonly [Code in BlindSpot['code']]?: string };
  about?: (share: string) => string;
}

export const en: HubWords = { gaps: {}, blindSpots: {} };

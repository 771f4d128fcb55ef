// English of what the hub says in sentences, for words.ts: the hub's own sentences are shown.
import type { RouterNote } from '#contract/router-notes.ts';
import type { Reply } from '../../api/client.ts';
import type { RefusalWords } from '../../parts/refusal.ts';
import type { createReasons } from './reasons.ts';

type BlindSpot = Reply<'GET /api/coverage'>['subjects'][number]['blindSpots'][number];

export interface HubWords extends RefusalWords {
  describeFacts?: ReturnType<typeof createReasons>['describeFacts'];
  /** Why something was not observed, by reason. */
  gaps: Readonly<Record<string, string>>;
  blindSpots: { readonly [Code in BlindSpot['code']]?: string };
  /** Follows a blind spot: how much of all connections that is. */
  about?: (share: string) => string;
  /** How long a destination was contacted before it was listed; `isKnown`: the earlier list is known. */
  retro?: (cause: 'list' | 'feed_added' | 'settings', isKnown: boolean, span: string) => string;
  /** Says what the totals of a long period hold. `until`: up to when ClickHouse answered; null when it did not. */
  longRange?: (until: string | null) => string;
  /** What each router does with the source of a connection; `to` is null where its table does not show it. */
  path?: {
    none: string;
    unknown: (names: string) => string;
    several: (count: string) => string;
    hop: (name: string, from: string, to: string | null) => string;
    doubleNat: Readonly<Record<string, string>>;
  };
  /** Says what is wrong with the value of a field, by the code that the hub gives (`problem` of a refusal). */
  problems: Readonly<Record<string, (limit: string, unit: string | null) => string>>;
  /** Says that a value cannot be used; the hub's sentence follows. For codes that `problems` lacks. */
  problem?: string;
  routers: {
    /** Why a router is not read, by failure class. */
    failures: Readonly<Record<string, string>>;
    /** Follows the sentence of a failure, where the hub waits for an edit of the router. */
    waits?: string;
    /** Says that a table was not read to its end. `shown`: the number of rows that were read, as text. */
    incomplete?: (shown: string) => string;
    /** Names of the members of `diag` that a test of a router shows; absent: each, by its own name. */
    diagnostics?: Readonly<Record<string, string>>;
    notes: { readonly [Code in RouterNote['code']]?: (note: Extract<RouterNote, { code: Code }>) => string };
  };
}

export const en: HubWords = {
  gaps: {},
  blindSpots: {},
  refusals: {},
  explained: {},
  problems: {},
  routers: { failures: {}, notes: {} },
};

// What of the simulated issuer can be changed while it runs.
import { z } from 'zod';

export const profiles = ['strict', 'cloud_idp'] as const;
export const replayModes = ['reject-replay', 'revoke-family'] as const;
export const consents = ['automatic', 'page', 'denied'] as const;

export interface IssuerSettings {
  /** `cloud_idp` omits `code_challenge_methods_supported` from discovery. */
  profile: (typeof profiles)[number];
  /** What a replayed refresh token does: it fails alone, or its whole family dies with it. */
  replayMode: (typeof replayModes)[number];
  /** Lifetime of access tokens in milliseconds: a multiple of 1000. */
  accessTokenTtlMs: number;
  /** Whether logging in and consenting happens by itself, on a page, or is refused by the user. */
  consent: (typeof consents)[number];
  /** `sub` of the user whom automatic consent logs in; null: nobody, so it is refused. */
  nextUser: string | null;
  /** Resource indicators that are known; null: any. */
  resources: readonly string[] | null;
}

/** What `patch` takes; `redirectUris` maps client ids to callbacks, `nextUser` is a `sub` or an e-mail address. */
export const patchSchema = z
  .object({
    profile: z.enum(profiles),
    replayMode: z.enum(replayModes),
    accessTokenTtlMs: z.int().min(1000).max(86_400_000).multipleOf(1000),
    consent: z.enum(consents),
    nextUser: z.string().min(1),
    resources: z.array(z.url()).nullable(),
    redirectUris: z.record(z.string(), z.array(z.url()).max(20)),
  })
  .partial()
  .strict();

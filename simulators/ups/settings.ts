// What of the simulated web UI can be chosen at the start and changed while it runs.
import { z } from 'zod';
import { createRandom, hash } from '../support/random.ts';
import { localeNames } from './pages/locales.ts';
import { type Look, plainLook } from './pages/pages.ts';
import { type Model, models } from './values.ts';

export const busyOns = ['get', 'post', 'both'] as const;

const locale = z.string().regex(/^[a-z]{2,3}(-\w{2,8})*$/i, { error: 'a language such as en or ja' });

export const settingsSchema = z
  .object({
    user: z.string().min(1).max(128),
    password: z.string().min(1).max(128),
    /** What the web UI speaks now; unchanged by log-offs. One of `locales`. */
    locale,
    /** Languages it knows; a change to another one is ignored. */
    locales: z.array(locale).min(1).readonly(),
    /** Whether a change of language is everybody's, or of the session alone. */
    localeScope: z.enum(['server', 'session']),
    model: z.enum(Object.keys(models) as [Model, ...Model[]]),
    outlets: z
      .array(z.object({ label: z.string().max(100), on: z.boolean() }).strict())
      .max(8)
      .readonly(),
    /** Whether numbers of 1,000 and more have marks between thousands. */
    grouping: z.boolean(),
    /** One person at a time, or as many as come. */
    sessions: z.enum(['one', 'many']),
    /**
     * Where a second person learns that somebody is logged on: on the login page (`get`; logging on all the same throws
     * the first one out), after trying to log on (`post`), or both.
     */
    busyOn: z.enum(busyOns),
    /** `hidden`: the element `alreadyLoggedOn` is in every login page and shown when it applies. */
    busyElement: z.enum(['when-busy', 'hidden']),
    /** Whether the form token, and the text of the login button, must be those of the page. */
    checksToken: z.boolean(),
    checksLoginText: z.boolean(),
    /** Wrong passwords in a row before a lock; 0: never. */
    lockAfter: z.int().min(0).max(100),
    lockMs: z.int().min(0),
    /** A session without requests ends after this. */
    idleMs: z.int().min(1),
    cookieName: z.string().regex(/^[\w-]{1,64}$/),
    /** What stands behind the cookie's value. */
    cookieAttributes: z.string().max(200),
    redirectStatus: z.union([z.literal(301), z.literal(302), z.literal(303), z.literal(307)]),
    location: z.enum(['absolute', 'relative']),
    /** Whether addresses carry the session until the client has shown its cookie. */
    urlRewriting: z.boolean(),
  })
  .strict();
export type UpsSettings = z.output<typeof settingsSchema>;

/** As the fixtures have it. */
export const defaultSettings: UpsSettings = {
  user: 'operator',
  password: 'Ups-password-1',
  locale: 'en',
  locales: localeNames,
  localeScope: 'server',
  model: 'backups',
  outlets: [],
  grouping: false,
  sessions: 'one',
  busyOn: 'both',
  busyElement: 'when-busy',
  checksToken: true,
  checksLoginText: true,
  lockAfter: 3,
  lockMs: 120_000,
  idleMs: 900_000,
  cookieName: 'JSESSIONID',
  cookieAttributes: 'Path=/; Secure; HttpOnly',
  redirectStatus: 303,
  location: 'absolute',
  urlRewriting: true,
};

/** What the product leaves open, chosen by the seed, so that nobody can rely on it; 0 is as the fixtures have it. */
export function chooseOpenPoints(seed: number): { settings: Partial<UpsSettings>; look: Look } {
  if (seed === 0) {
    return { settings: {}, look: plainLook };
  }
  const random = createRandom(hash('ups', seed));
  const hexName = Array.from({ length: 16 }, () => random.int(0, 15).toString(16)).join('');
  return {
    settings: {
      cookieName: random.pick(['JSESSIONID', hexName]),
      redirectStatus: random.pick([302, 303]),
      location: random.pick(['absolute', 'relative']),
      urlRewriting: random.pick([true, false]),
      busyOn: random.pick(busyOns),
    },
    look: {
      ...plainLook,
      style: random.pick(['plain', 'reordered', 'single-quotes', 'upper-case']),
      valueTag: random.pick(['div', 'span']),
      between: random.pick(['\n', '\r\n', '\n\t', '']),
      lang: random.pick(['plain', 'last']),
      nested: random.pick([false, false, true]),
      order: random,
    },
  };
}

// Where a page comes from: one that was set by hand, else one that was captured, else we write it.

import type { FixedPage } from '../control.ts';
import type { Readings } from '../readings.ts';
import type { UpsSettings } from '../settings.ts';
import { writeMorePage } from './battery-pages.ts';
import type { CapturedPages } from './captured-pages.ts';
import { getLanguage } from './locales.ts';
import { builtInNames, type FieldNames, readLoginForm } from './login-form.ts';
import { type LogonPage, type Look, writeLogonPage, writeStatusPage } from './pages.ts';

export interface ServedPage {
  status: number;
  contentType: string;
  body: string;
  /** Name of the encoding it is sent in; UTF-8 when absent. */
  characters?: string;
}

export interface PageSourceOptions {
  settings: UpsSettings;
  readings: Readings;
  fixedPages: ReadonlyMap<string, FixedPage>;
  captured: CapturedPages | null;
}

const contentType = 'text/html;charset=utf-8';

export type PageSource = ReturnType<typeof createPageSource>;

export function createPageSource({ settings, readings, fixedPages, captured }: PageSourceOptions) {
  /** `complete` puts into a page that we did not write what differs each time. */
  const servePage = (
    path: string,
    saved: string | null,
    write: () => string,
    complete = (page: string) => page,
  ): ServedPage => {
    const fixed = fixedPages.get(path);
    const foreign = fixed?.body ?? saved;
    return {
      status: fixed?.status ?? 200,
      contentType: fixed?.contentType ?? contentType,
      body: foreign === null ? write() : complete(foreign),
      ...(fixed?.characters === undefined ? {} : { characters: fixed.characters }),
    };
  };
  return {
    status(locale: string, look: Look, path: string): ServedPage {
      const { locales, outlets, grouping, model } = settings;
      const values = readings.current();
      return servePage(path, captured?.page('status', locale, model) ?? null, () =>
        writeStatusPage({ locale, locales, values, outlets, grouping }, look),
      );
    },
    /** One of `morePaths`. */
    more: (locale: string, look: Look, path: string): ServedPage =>
      servePage(path, null, () => writeMorePage(path, locale, readings.current(), look)),
    logon(page: LogonPage, look: Look, path: string): ServedPage {
      const kind = page.busy ? 'logon-already' : 'logon';
      const saved = captured?.page(kind, page.locale, settings.model) ?? null;
      const insertToken = (foreign: string) => readLoginForm(foreign)?.insertToken(page.token ?? '') ?? foreign;
      return servePage(path, saved, () => writeLogonPage(page, look), insertToken);
    },
    /** The names of the fields that the login page of this language has, and the text of its button. */
    loginForm(locale: string): { names: FieldNames; button: string } {
      const saved = fixedPages.get('/logon')?.body ?? captured?.page('logon', locale, settings.model);
      const form = readLoginForm(saved ?? '');
      return { names: form?.names ?? builtInNames, button: form?.values.button ?? getLanguage(locale).logOn.text };
    },
  };
}

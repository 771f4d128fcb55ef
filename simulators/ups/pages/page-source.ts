// Where a page comes from: one that was set by hand, else one that was captured, else we write it.

import type { FixedPage } from '../control.ts';
import type { Readings } from '../readings.ts';
import type { UpsSettings } from '../settings.ts';
import { morePage } from './battery-pages.ts';
import type { CapturedPages } from './captured-pages.ts';
import { loginTextOf, withLiveToken } from './live-token.ts';
import { wordsOf } from './locales.ts';
import { type LogonPage, type Look, logonPage, statusPage } from './pages.ts';

export interface ServedPage {
  status: number;
  contentType: string;
  body: string;
  /** Name of the encoding it is sent in; UTF-8 when absent. */
  characters?: string;
}

export interface PageSource {
  status(locale: string, look: Look, path: string): ServedPage;
  /** One of `morePaths`. */
  more(locale: string, look: Look, path: string): ServedPage;
  logon(page: LogonPage, look: Look, path: string): ServedPage;
  /** The text that the login button has in this language. */
  loginText(locale: string): string;
}

export interface PageSourceOptions {
  settings: UpsSettings;
  readings: Readings;
  /** By path. */
  fixedPages: ReadonlyMap<string, FixedPage>;
  captured: CapturedPages | null;
}

const contentType = 'text/html;charset=utf-8';

export function createPageSource({ settings, readings, fixedPages, captured }: PageSourceOptions): PageSource {
  const served = (path: string, saved: string | null | undefined, token: string | null, write: () => string) => {
    const fixed = fixedPages.get(path);
    const body = fixed?.body ?? saved;
    return {
      status: fixed?.status ?? 200,
      contentType: fixed?.contentType ?? contentType,
      body: typeof body === 'string' ? withLiveToken(body, token ?? '') : write(),
      ...(fixed?.characters === undefined ? {} : { characters: fixed.characters }),
    };
  };
  return {
    status(locale, look, path) {
      const { locales, outlets, grouping, model } = settings;
      const values = readings.current();
      return served(path, captured?.page('status', locale, model), null, () =>
        statusPage({ locale, locales, values, outlets, grouping }, look),
      );
    },
    more: (locale, look, path) => served(path, null, null, () => morePage(path, locale, readings.current(), look)),
    logon(page, look, path) {
      const kind = page.busy ? 'logon-already' : 'logon';
      return served(path, captured?.page(kind, page.locale, settings.model), page.token, () => logonPage(page, look));
    },
    loginText(locale) {
      const saved = fixedPages.get('/logon')?.body ?? captured?.page('logon', locale, settings.model);
      return (saved ? loginTextOf(saved) : null) ?? wordsOf(locale).logOn.text;
    },
  };
}

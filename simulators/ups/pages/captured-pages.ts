// Pages that were saved from a product, by `upsget --snapshot` or by hand, to be served instead of our own.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf } from '#kernel/errors.ts';
import type { Model } from '../values.ts';

export type PageKind = 'status' | 'logon' | 'logon-already';

export interface CapturedPages {
  readonly locales: readonly string[];
  /** Without its language a page is not served; null: it was not captured. */
  page(kind: PageKind, locale: string, model: Model): string | null;
}

const versionsFolder = fileURLToPath(new URL('../../../fixtures/ups', import.meta.url));

/** The version whose pages this simulator writes itself. */
export const builtInVersion = '1.4.0';

export function productVersions(): readonly string[] {
  const folders = readdirSync(versionsFolder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders.map(({ name }) => name).sort();
}

/** The folder with the pages of a version; null for the one that is built in. Throws when there are none of it. */
export function findVersionPages(version: string): string | null {
  if (version === builtInVersion) {
    return null;
  }
  const versions = productVersions();
  if (!versions.includes(version)) {
    throw new Error(`there are pages of ${versions.join(', ')}, not of "${version}"`);
  }
  return versionFolder(version);
}

export function versionFolder(version: string): string {
  return path.join(versionsFolder, version);
}

/** HTML files of a folder by name, or the one file; throws when there are none. */
export function readHtmlFiles(place: string): ReadonlyMap<string, string> {
  if (!existsSync(place)) {
    throw new Error(`${place} does not exist`);
  }
  try {
    const isFile = /\.html?$/i.test(place);
    const names = isFile ? [''] : readdirSync(place).filter((name) => name.endsWith('.html'));
    if (names.length === 0) {
      throw new Error('it holds no .html file');
    }
    return new Map(names.sort().map((name) => [name, readFileSync(path.join(place, name), 'utf8')]));
  } catch (cause) {
    throw new Error(`${place} cannot be used: ${messageOf(cause)}`, { cause });
  }
}

/** Reads `status.LANG.html`, `logon.LANG.html` and `logon-already.LANG.html`; throws when there is no status page. */
export function readCapturedPages(folder: string): CapturedPages {
  const files = readHtmlFiles(folder);
  const locales = [...files.keys()].flatMap((name) => /^status(?:-smart)?\.([\w-]+)\.html$/.exec(name)?.[1] ?? []);
  if (locales.length === 0) {
    throw new Error(`${folder} has no status page: it must be called status.LANGUAGE.html, such as status.en.html`);
  }
  return {
    locales: [...new Set(locales)],
    page(kind, locale, model) {
      const names = kind === 'status' && model === 'smart' ? ['status-smart', 'status'] : [kind];
      const found = names.map((name) => files.get(`${name}.${locale}.html`)).find((text) => text !== undefined);
      return found ?? null;
    },
  };
}

// Saves the responses of the web UI with secrets masked, to report and test a changed product.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { Failure, messageOf } from './failure.ts';
import { replaceFile } from './files.ts';
import { items } from './items.ts';
import { type Page, parsePage } from './page.ts';
import { findLoginField, isLoginPage, isStatusPage, isTakenPage, loginFields } from './page-kind.ts';
import type { WebAnswer, WebRequest } from './web-client.ts';
import { barePath } from './web-ui.ts';

export interface Snapshot {
  add(request: WebRequest, answer: WebAnswer): void;
  /** Writes pages, `exchanges.json` and `meta.json`. Throws a Failure when the folder cannot be written. */
  save(): void;
}

export interface SnapshotOptions {
  folder: string;
  /** Texts to mask: user name, password, and those of --mask. */
  secrets: readonly string[];
  version: string;
}

interface Exchange {
  request: { method: string; path: string; form?: Record<string, string> };
  response: { status: number; headers: Record<string, string>; page: string | null; lang: string | null };
}

export function createSnapshot({ folder, secrets, version }: SnapshotOptions): Snapshot {
  const pages = new Map<string, string>();
  const exchanges: Exchange[] = [];
  const languages = new Set<string>();
  const found = new Set<string>();
  const mask = createMask(secrets);
  return {
    add(request, answer) {
      const page = parsePage(answer.body);
      const name = answer.body.trim() === '' ? null : toFileName(page, pages.size + 1);
      if (name !== null && !pages.has(name)) {
        pages.set(name, mask(maskTokens(answer.body, page)));
      }
      if (page.lang !== null) {
        languages.add(page.lang);
      }
      for (const id of page.values.keys()) {
        found.add(id);
      }
      exchanges.push({
        request: {
          method: request.method,
          path: barePath(request.path),
          ...(request.form ? { form: maskForm(request.form) } : {}),
        },
        response: { status: answer.status, headers: maskHeaders(answer, mask), page: name, lang: page.lang },
      });
    },
    save() {
      const meta = {
        upsget: version,
        languages: [...languages],
        ids: [...found],
        missing: items.flatMap(({ elementIds }) => (elementIds.some((id) => found.has(id)) ? [] : elementIds)),
      };
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        const write = (name: string, text: string) => replaceFile(path.join(folder, name), text, 0o600);
        for (const [name, text] of pages) {
          write(name, text);
        }
        write('exchanges.json', `${JSON.stringify({ snapshot: exchanges }, null, 1)}\n`);
        write('meta.json', `${JSON.stringify(meta, null, 1)}\n`);
      } catch (error) {
        throw new Failure(`the snapshot cannot be written to ${folder}: ${messageOf(error)}`, { cause: error });
      }
    },
  };
}

/** File names as in the fixtures: `status.ja.html`; a page without a language counts as English. */
function toFileName(page: Page, number: number): string {
  const language = `.${(page.lang ?? 'en').replace(/[^\w-]/g, '')}`;
  if (isStatusPage(page)) {
    return `status${language}.html`;
  }
  if (isLoginPage(page)) {
    return `${isTakenPage(page) ? 'logon-already' : 'logon'}${language}.html`;
  }
  const looksLikeStatus = page.values.size > 0;
  return looksLikeStatus ? `status${language}.html` : `page-${number}${language}.html`;
}

/** Masks form tokens and the sessions in addresses too. A new version of the product may have a new name for its token. */
function maskTokens(body: string, page: Page): string {
  const known = findLoginField(page, 'token');
  const isToken = ([name, value]: [string, string]) => value !== '' && (name === known || likeToken.test(value));
  const tokens = [...page.fields].filter(isToken).map(([, value]) => value);
  return maskSessions(tokens.reduce((masked, token) => masked.replaceAll(token, 'TOKEN'), body));
}

/** Twelve characters or more with a digit, and no blank: no path and no text of a button. */
const likeToken = /^(?=.*\d)[\w+=-][\w+/=-]{11,}$/;

/** A session parameter such as `/logon;jsessionid=…`; not `text/html;charset=…`. */
function maskSessions(text: string): string {
  return text.replace(/(;(?!charset=)[\w-]{1,64}=)[\w.-]+/gi, '$1SESSION');
}

function maskForm(form: Readonly<Record<string, string>>): Record<string, string> {
  const secret = new Set<string>([...loginFields.username, ...loginFields.password, ...loginFields.token]);
  return Object.fromEntries(Object.entries(form).map(([name, value]) => [name, secret.has(name) ? '***' : value]));
}

function maskHeaders({ headers }: WebAnswer, mask: (text: string) => string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const text = Array.isArray(value) ? value.join(', ') : (value ?? '');
      const shown = name === 'set-cookie' ? text.replace(/^([^=;]*=)[^;]*/, '$1***') : text;
      return [name, mask(maskSessions(shown))];
    }),
  );
}

/** Whole words only, longest first: the user name `ups` must not change an id that contains it. */
function createMask(secrets: readonly string[]): (text: string) => string {
  const words = secrets
    .filter((secret) => secret !== '')
    .sort((a, b) => b.length - a.length)
    .map((secret) => secret.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const any = words.length === 0 ? null : new RegExp(`(?<![\\w-])(?:${words.join('|')})(?![\\w-])`, 'g');
  return (text) => (any ? text.replace(any, '***') : text);
}

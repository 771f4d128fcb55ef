// The page of the web UI, and what somebody is told who takes no HTML.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import type { frontRoutes } from '#contract/front.ts';
import { type BodyStream, bodyStream } from '#kernel/http/ready-body.ts';
import type { RequestFacts } from '#kernel/http/request-facts.ts';
import { type Handlers, reply } from '#kernel/http/route.ts';
import type { ServeOptions } from '#kernel/http/serve.ts';

const words = `Gatehouse hub

Knows where the data of this network goes. A browser shows it here; programs ask its API.

The API       /api, described by /api/openapi.json
A credential  the header X-Admin-Token with the admin token: the first start shows it on a
              terminal, or leaves it in the file initial-admin-token of the data folder;
              "gatehouse reset-token" makes a new one
For example   curl -H "X-Admin-Token: TOKEN" http://HOST:PORT/api/status
Health        /healthz and /readyz, without a credential
Assistants    "gatehouse mcp" lets an AI assistant ask: gatehouse mcp --help
Documents     README.md and the folder docs of the program
`;

const notBuilt = `
The pages of the web UI are not built: run "npm run build:web" in the folder of the program,
and start the hub again.
`;

/** Nothing but what this hub serves; no script or style within the page, no text made into HTML. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "object-src 'none'",
  "require-trusted-types-for 'script'",
  // Makes one thing: the address of the worker of the map (decision 028).
  'trusted-types gatehouse-worker',
].join('; ');

/** A cache in between must not give the page to who asked for words. */
const vary = { Vary: 'Accept' };
const pageHeaders = { 'Cache-Control': 'no-cache', 'Content-Security-Policy': policy, ...vary };

/** The page of the web UI for a path below the root: its addresses are relative, because a proxy may add a path before it. */
export type PageAt = (path: string) => string;

/** Loads the page in `folder`. */
export function loadPage(folder: string): PageAt {
  const page = readFileSync(path.join(folder, 'index.html'), 'utf8');
  return (asked) => page.replaceAll('="./', `="${'../'.repeat(asked.split('/').length - 2) || './'}`);
}

/** Answers before the hub is ready. `pageAt` null: the pages are not built. */
export function frontHandlers<P>(pageAt: PageAt | null): Handlers<typeof frontRoutes, P> {
  const answer = ({ request }: { request: RequestFacts }) => {
    const Location = withoutSlash(request.target);
    return Location === null ? answerWithPage(request, pageAt) : reply(308, null, { headers: { Location } });
  };
  return {
    page: answer,
    connections: answer,
    map: answer,
    devices: answer,
    device: answer,
    act: answer,
    alerts: answer,
    insights: answer,
    docs: answer,
    settings: answer,
  };
}

/** Answers an address that no page has with the page itself, which says so. Programs and the API get JSON. */
export function createLostPage(pageAt: PageAt): NonNullable<ServeOptions<never, never>['lostPage']> {
  return ({ path: asked, accept }) =>
    !/^text\/html\b/.test(accept) || /^\/(?:api|assets)(?:\/|$)/.test(asked)
      ? null
      : { html: pageAt(asked), headers: pageHeaders };
}

/** The page for a browser, else words. */
function answerWithPage({ target, headers: { accept = '' } }: RequestFacts, pageAt: PageAt | null): BodyStream {
  if (pageAt !== null && /\btext\/html\b/.test(accept)) {
    const html = pageAt(target.replace(/\?.*/, ''));
    return bodyStream({ type: 'text/html; charset=utf-8', headers: pageHeaders, body: Readable.from([html]) });
  }
  const text = pageAt === null ? words + notBuilt : words;
  return bodyStream({ type: 'text/plain; charset=utf-8', headers: vary, body: Readable.from([text]) });
}

/**
 * Where a path with a slash at its end belongs: relative, because a proxy may serve the page below another path. Null for
 * one without, and for the root.
 */
function withoutSlash(target: string): string | null {
  const [, name, query = ''] = /^\/(?:devices\/)?([^/?]+)\/(\?.*)?$/.exec(target) ?? [];
  return name === undefined ? null : `../${name}${query}`;
}

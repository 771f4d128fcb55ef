// The front page: this hub has no pages of its own, and says where to go.
import { Readable } from 'node:stream';
import type { frontRoutes } from '#contract/front.ts';
import { bodyStream } from '#kernel/http/ready-body.ts';
import type { Handlers } from '#kernel/http/route.ts';

const page = `Gatehouse hub

Knows where the data of this network goes. It has no pages for a browser: programs ask its API.

The API       /api, described by /api/openapi.json
A credential  the header X-Admin-Token with the admin token: the first start shows it on a
              terminal, or leaves it in the file initial-admin-token of the data folder;
              "gatehouse reset-token" makes a new one
For example   curl -H "X-Admin-Token: TOKEN" http://HOST:PORT/api/status
Health        /healthz and /readyz, without a credential
Assistants    "gatehouse mcp" lets an AI assistant ask: gatehouse mcp --help
Documents     README.md and the folder docs of the program
`;

/** Answers before the hub is ready. */
export function frontHandlers<P>(): Handlers<typeof frontRoutes, P> {
  return {
    page: () => bodyStream({ type: 'text/plain; charset=utf-8', headers: {}, body: Readable.from([page]) }),
  };
}

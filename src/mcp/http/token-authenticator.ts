// Token mode: one shared token for all clients of a trusted network, in X-Admin-Token or as a Bearer token.
import type { IncomingHttpHeaders } from 'node:http';
import { hashToken, matchesHash } from '#kernel/text/secret.ts';
import { type Authenticator, type Caller, readBearer } from './caller.ts';
import { refuse } from './refusal.ts';

const challenge = 'Bearer';

/** All holders of the token are one subject and client (docs/reference/wire-contract/7-mcp-http.md#73-audit-rows). */
export function createTokenAuthenticator(token: string): Authenticator {
  const hash = hashToken(token);
  const caller: Caller = {
    subject: 'private-token',
    client: 'private-http',
    granted: new Set(['network.read', 'notes.write']),
  };
  const givenIn = (headers: IncomingHttpHeaders) => {
    const header = headers['x-admin-token'];
    return typeof header === 'string' ? header : readBearer(headers);
  };
  return {
    isPresented: (headers) => givenIn(headers) !== null,
    authenticate(headers) {
      const given = givenIn(headers);
      return given !== null && matchesHash(given, hash)
        ? caller
        : refuse.unauthorized('give the MCP token in X-Admin-Token or as a Bearer token', challenge);
    },
    insufficient: () => refuse.insufficientScope('this token may not do that', challenge),
  };
}

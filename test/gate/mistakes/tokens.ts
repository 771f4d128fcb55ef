// How the mistakes of gate/mistakes/tokens.ts are made on the stage.
import http from 'node:http';
import { isoTime, parseIsoTime, systemClock } from '#kernel/clock.ts';
import { close, listen } from '#kernel/listening.ts';
import { otherClient, type TokenWish, takeToken } from '../../../scripts/stage-tokens.ts';
import type { Made } from './made.ts';

/** Another token of the issuer under this name; the users of the issuer are in its simulator. */
const token =
  (name: string, wish: TokenWish): Made['make'] =>
  async (stage) =>
    stage.set({ [`MCP_GATE_${name}_TOKEN`]: await takeToken(stage.tokenSource, wish) });

const elsewhere = 'https://elsewhere.gatehouse.test/mcp';
const expiredForMs = 120_000;
const write = ['notes.write'];

/** The hub as the gate sees it, whose routers delivered at another time. */
const hubWith =
  (lastSuccessAt: () => number): Made['make'] =>
  async (stage, after) => {
    const server = http.createServer((request, response) => {
      const { hostname, port } = stage.hub.url;
      http.get({ hostname, port, path: request.url, headers: request.headers }, (answer) => {
        void answer.toArray().then((chunks) => {
          const text = Buffer.concat(chunks).toString('utf8');
          const { 'content-length': _length, ...headers } = answer.headers;
          response.writeHead(answer.statusCode ?? 502, headers);
          response.end(
            text.replaceAll(/("lastSuccessAt":)("?)[^",}]+"?/g, (_all, name: string, quote: string) =>
              quote === '' ? `${name}${lastSuccessAt()}` : `${name}"${isoTime(lastSuccessAt())}"`,
            ),
          );
        });
      });
    });
    stage.set({ MCP_GATE_MONITOR_URL: `http://${await listen(server)}` });
    after.defer(() => close(server));
  };

export const tokensMade: Readonly<Record<string, Made>> = {
  'operator.wrong-audience-of-other-user': {
    make: token('WRONG_AUDIENCE', { resource: elsewhere, user: 'user-2' }),
    because: /^the wrong-audience token has another subject than the read token$/,
  },
  'operator.wrong-audience-of-other-client': {
    make: token('WRONG_AUDIENCE', { resource: elsewhere, clientId: otherClient.id }),
    because: /^the wrong-audience token has another client than the read token$/,
  },
  'operator.wrong-audience-without-scope': {
    make: token('WRONG_AUDIENCE', { resource: elsewhere, scopes: write }),
    because: /^the wrong-audience token lacks a scope/,
  },
  'operator.expired-of-other-user': {
    make: token('EXPIRED', { expiredForMs, user: 'user-2' }),
    because: /^the expired token has another subject/,
  },
  'operator.revoked-of-other-client': {
    make: token('REVOKED_EXPIRED', { expiredForMs, clientId: otherClient.id, revoked: true }),
    because: /^the revoked token has another client/,
  },
  'operator.expired-just-now': {
    make: token('EXPIRED', { expiredForMs: 10_000 }),
    because: /^the expired token expired less than a minute ago/,
  },
  'operator.revoked-just-now': {
    make: token('REVOKED_EXPIRED', { expiredForMs: 10_000, revoked: true }),
    because: /^the revoked token expired less than a minute ago/,
  },
  'operator.expired-long-ago': {
    make: token('EXPIRED', { expiredForMs: 3_600_000 }),
    because: /^the expired token expired more than 15 minutes ago/,
  },
  'operator.wrong-audience-expired': {
    make: token('WRONG_AUDIENCE', { resource: elsewhere, expiredForMs }),
    because: /^the wrong-audience token has expired$/,
  },
  'operator.near-audience-far-away': {
    make: token('NEAR_AUDIENCE', { resource: elsewhere }),
    because: /^the near-audience token has no audience that begins like the resource$/,
  },
  'operator.audience-list-of-one': {
    make: token('AUDIENCE_LIST', {}),
    because: /^the audience-list token is not for several resources/,
  },
  'operator.write-only-reads': {
    make: token('WRITE_ONLY', { scopes: ['network.read', ...write] }),
    because: /^the write-only token has the read scope$/,
  },
  'operator.other-issuer-is-ours': {
    make: token('OTHER_ISSUER', {}),
    because: /^the other-issuer token is of the issuer of the gate$/,
  },

  'issuer.keys-down': {
    make: ({ issuer }) => issuer.control.fail('jwks-down'),
    because: /^the key set is answered with 503$/,
  },
  'issuer.keys-not-rsa': {
    make: ({ issuer }) => issuer.control.fail('wrong-keys', { value: 'ec' }),
    because: /^the key set has no RSA key/,
  },
  'issuer.keys-page': {
    make: ({ issuer }) => issuer.control.fail('wrong-keys', { value: 'page' }),
    because: /^the key set has no RSA key/,
  },
  'issuer.keys-of-others': {
    make: ({ issuer }) => issuer.control.fail('wrong-keys'),
    because: /^the read token: valid expected, signature found/,
  },
  'issuer.plain-pkce-only': {
    make: ({ issuer }) => issuer.control.fail('pkce-contradiction'),
    because: /does not list S256/,
  },

  'operator.hub-clock-ahead': {
    make: hubWith(() => parseIsoTime('2099-01-01T00:00:00Z') ?? 0),
    because: /^1 of 1 enabled routers delivered in the future/,
  },
  'operator.hub-clock-minutes-ahead': {
    make: hubWith(() => systemClock.now() + 180_000),
    because: /^1 of 1 enabled routers delivered in the future/,
  },
};

// Mistakes with tokens, and of the authorization server that makes them.
import type { Collector } from '#gate/collect/collector.ts';
import { recordItem } from '#gate/collect/record-item.ts';
import { refreshReplay } from '#gate/collect/refresh-replay.ts';
import { revocation } from '#gate/collect/revocation.ts';
import { readGateConfig } from '#gate/config.ts';
import { readJson, writeJson } from '#kernel/files/files.ts';
import { isoTime, parseIsoTime, systemClock } from '#kernel/time/clock.ts';
import type { IssuerFault } from '#simulators/oidc/faults.ts';
import { stagedOperator } from '../../../scripts/stage.ts';
import { otherClient, type TokenWish, takeToken, unattended } from '../../../scripts/stage-tokens.ts';
import { collectedOn, collectItem } from '../collected.ts';
import { gateSeesHub } from '../other-hubs.ts';
import type { Making, Mistake } from './mistake.ts';

/** Another token of the issuer under this name; the users of the issuer are in its simulator. */
const token =
  (name: string, wish: TokenWish): Making['make'] =>
  async (stage) =>
    stage.set({ [`MCP_GATE_${name}_TOKEN`]: await takeToken(stage.tokenSource, wish) });

/** Another revoked token, and the evidence of its revocation. */
const revokedToken =
  (wish: TokenWish): Making['make'] =>
  async (stage) => {
    const revoked = await takeToken(stage.tokenSource, { ...wish, revoked: true });
    stage.set({ MCP_GATE_REVOKED_EXPIRED_TOKEN: revoked });
    collectItem(collectedOn(stage), 'revocation');
  };

const elsewhere = 'https://elsewhere.gatehouse.test/mcp';
const expiredForMs = 120_000;
const write = ['notes.write'];

/** The hub with routers that delivered at another time. */
const deliveredAt =
  (at: () => number): Making['make'] =>
  (stage, after) =>
    gateSeesHub(stage, after, {
      change(asked, body) {
        if (asked !== '/api/routers') {
          return body;
        }
        const document = JSON.parse(body) as { routers: Record<string, unknown>[] };
        const routers = document.routers.map((router) => ({
          ...router,
          lastSuccessAt: typeof router.lastSuccessAt === 'string' ? isoTime(at()) : at(),
        }));
        return JSON.stringify({ ...document, routers });
      },
    });

/** Runs the collector against the issuer of the stage, which misbehaves. */
const collected =
  (collector: Collector, fault?: IssuerFault): Making['make'] =>
  async (stage) => {
    const { file, revokedTokenJti: _jti, ...context } = collectedOn(stage);
    const run = unattended(readGateConfig(stage.gateEnv), stage.tokenSource.ca);
    if (fault !== undefined) {
      stage.issuer.fail(fault);
    }
    const { fields, objections } = await collector.run(run);
    stage.issuer.clearFaults();
    recordItem({
      evidencePath: file,
      item: collector.item,
      fields,
      objections,
      partial: collector.partial ?? false,
      source: { how: 'measured', by: stagedOperator, collector: collector.name, transcript: run.transcript },
      context: { ...context, now: systemClock.now() },
    });
  };

/** A token that the endpoint would refuse for more than the one thing that a probe asks about. */
const unlike: readonly Mistake[] = [
  {
    id: 'operator.wrong-audience-of-other-user',
    sentence: 'the wrong-audience token is of another user',
    red: ['tokens.alike'],
    make: token('WRONG_AUDIENCE', { resource: elsewhere, user: 'user-2' }),
    because: /^the wrong-audience token has another subject than the read token$/,
  },
  {
    id: 'operator.wrong-audience-of-other-client',
    sentence: 'the wrong-audience token was taken with another client',
    red: ['tokens.alike'],
    make: token('WRONG_AUDIENCE', { resource: elsewhere, clientId: otherClient.id }),
    because: /^the wrong-audience token has another client than the read token$/,
  },
  {
    id: 'operator.wrong-audience-without-scope',
    sentence: 'the wrong-audience token has the write scope alone, and would be refused for that',
    red: ['tokens.alike'],
    make: token('WRONG_AUDIENCE', { resource: elsewhere, scopes: write }),
    because: /^the wrong-audience token lacks a scope/,
  },
  {
    id: 'operator.expired-of-other-user',
    sentence: 'the expired token is of another user',
    red: ['tokens.alike'],
    make: token('EXPIRED', { expiredForMs, user: 'user-2' }),
    because: /^the expired token has another subject/,
  },
  {
    id: 'operator.revoked-of-other-client',
    sentence: 'the revoked token was taken with another client',
    red: ['tokens.alike'],
    make: revokedToken({ expiredForMs, clientId: otherClient.id }),
    because: /^the revoked token has another client/,
  },
  {
    id: 'operator.expired-just-now',
    sentence: 'the expired token expired a few seconds ago, within the leeway of a right endpoint',
    red: ['tokens.alike'],
    make: token('EXPIRED', { expiredForMs: 10_000 }),
    because: /^the expired token expired less than a minute ago/,
  },
  {
    id: 'operator.revoked-just-now',
    sentence: 'the revoked token expired a few seconds ago',
    red: ['tokens.alike'],
    make: revokedToken({ expiredForMs: 10_000 }),
    because: /^the revoked token expired less than a minute ago/,
  },
  {
    id: 'operator.expired-long-ago',
    sentence: 'the expired token expired an hour ago, and would show no clock that is slow',
    red: ['tokens.alike'],
    make: token('EXPIRED', { expiredForMs: 3_600_000 }),
    because: /^the expired token expired more than 15 minutes ago/,
  },
  {
    id: 'operator.wrong-audience-expired',
    sentence: 'the wrong-audience token has expired too',
    red: ['tokens.claims'],
    make: token('WRONG_AUDIENCE', { resource: elsewhere, expiredForMs }),
    because: /^the wrong-audience token has expired$/,
  },
  {
    id: 'operator.near-audience-far-away',
    sentence: 'the near-audience token is for a resource on another host',
    red: ['tokens.claims'],
    make: token('NEAR_AUDIENCE', { resource: elsewhere }),
    because: /^the near-audience token has no audience that begins like the resource$/,
  },
  {
    id: 'operator.audience-list-of-one',
    sentence: 'the audience-list token is for this resource alone',
    red: ['tokens.claims'],
    make: token('AUDIENCE_LIST', {}),
    because: /^the audience-list token is not for several resources/,
  },
  {
    id: 'operator.write-only-reads',
    sentence: 'the write-only token has the read scope as well',
    red: ['tokens.claims'],
    make: token('WRITE_ONLY', { scopes: ['network.read', ...write] }),
    because: /^the write-only token has the read scope$/,
  },
  {
    id: 'operator.other-issuer-is-ours',
    sentence: 'the token of another issuer is one of the issuer itself',
    red: ['tokens.claims'],
    make: token('OTHER_ISSUER', {}),
    because: /^the other-issuer token is of the issuer of the gate$/,
  },
];

const issuer: readonly Mistake[] = [
  {
    id: 'issuer.keys-down',
    sentence: 'discovery works, and the key set is answered with 503',
    red: ['issuer.keys'],
    make: ({ issuer }) => issuer.fail('jwks-down'),
    because: /^the key set is answered with 503$/,
  },
  {
    id: 'issuer.keys-not-rsa',
    sentence: 'the key set holds no RSA key',
    red: ['issuer.keys'],
    make: ({ issuer }) => issuer.fail('wrong-keys', { value: 'ec' }),
    because: /^the key set has no RSA key/,
  },
  {
    id: 'issuer.keys-page',
    sentence: 'the key set is a page of HTML',
    red: ['issuer.keys'],
    make: ({ issuer }) => issuer.fail('wrong-keys', { value: 'page' }),
    because: /^the key set has no RSA key/,
  },
  {
    id: 'issuer.keys-of-others',
    sentence: 'the key set holds RSA keys, and not the one that signed the tokens',
    red: ['tokens.signatures'],
    make: ({ issuer }) => issuer.fail('wrong-keys'),
    because: /^the read token: valid expected, signature found/,
  },
  {
    id: 'issuer.plain-pkce-only',
    sentence: 'the discovery document offers PKCE with plain challenges alone',
    red: ['issuer.pkce'],
    make: ({ issuer }) => issuer.fail('pkce-contradiction'),
    because: /does not list S256/,
  },
];

/** Seen by the experiment of the item alone. */
const grants: readonly Mistake[] = [
  {
    id: 'issuer.verifier-not-enforced',
    sentence: 'PKCE S256 is advertised, and codes are redeemed with any verifier',
    red: ['evidence.refreshRevocation'],
    make: collected(refreshReplay, 'any-verifier'),
    because: /its transcript says why it must not pass/,
  },
  {
    id: 'issuer.revocation-ignored',
    sentence: 'the revocation is answered, and the refresh token goes on working',
    red: ['evidence.revocation'],
    make: collected(revocation, 'revocation-ignored'),
    because: /its transcript says why it must not pass/,
  },
  {
    id: 'operator.revoked-is-merely-expired',
    sentence: 'the revoked token has expired, and its grant was never revoked',
    red: ['evidence.revocation'],
    make: token('REVOKED_EXPIRED', { expiredForMs }),
    because: /^tokenJti must be that of MCP_GATE_REVOKED_EXPIRED_TOKEN$/,
  },
  {
    id: 'operator.revocation-not-collected',
    sentence: 'nothing shows that the grant of the revoked token was revoked',
    red: ['evidence.revocation'],
    make({ evidence }) {
      const { revocation: _dropped, ...rest } = readJson(evidence) as Record<string, unknown>;
      writeJson(evidence, rest);
    },
    because: /^it is missing$/,
  },
  {
    id: 'operator.revoked-twice-collected',
    sentence: 'the revocation was collected again, and the gate still has the token of the time before',
    red: ['evidence.revocation'],
    make: collected(revocation),
    because: /^tokenJti must be that of MCP_GATE_REVOKED_EXPIRED_TOKEN$/,
  },
];

const hub: readonly Mistake[] = [
  {
    id: 'operator.hub-clock-ahead',
    sentence: 'the hub says that a router delivered in 2099',
    red: ['hub.routers'],
    make: deliveredAt(() => parseIsoTime('2099-01-01T00:00:00Z') ?? 0),
    because: /^1 of 1 enabled routers delivered in the future/,
  },
  {
    id: 'operator.hub-clock-minutes-ahead',
    sentence: 'the hub says that a router delivered in three minutes',
    red: ['hub.routers'],
    make: deliveredAt(() => systemClock.now() + 180_000),
    because: /^1 of 1 enabled routers delivered in the future/,
  },
];

export const tokensMistakes: readonly Mistake[] = [...unlike, ...issuer, ...grants, ...hub];

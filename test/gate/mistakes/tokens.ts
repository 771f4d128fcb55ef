// How the mistakes of gate/mistakes/tokens.ts are made on the stage.
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
import type { Made } from './made.ts';

/** Another token of the issuer under this name; the users of the issuer are in its simulator. */
const token =
  (name: string, wish: TokenWish): Made['make'] =>
  async (stage) =>
    stage.set({ [`MCP_GATE_${name}_TOKEN`]: await takeToken(stage.tokenSource, wish) });

/** Another revoked token, and the evidence of its revocation. */
const revokedToken =
  (wish: TokenWish): Made['make'] =>
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
  (at: () => number): Made['make'] =>
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
  (collector: Collector, fault?: IssuerFault): Made['make'] =>
  async (stage) => {
    const { file, revokedTokenJti: _jti, ...context } = collectedOn(stage);
    const run = unattended(readGateConfig(stage.gateEnv), stage.tokenSource.ca);
    if (fault !== undefined) {
      stage.issuer.control.fail(fault);
    }
    const { fields, objections } = await collector.run(run);
    stage.issuer.control.clearFaults();
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
    make: revokedToken({ expiredForMs, clientId: otherClient.id }),
    because: /^the revoked token has another client/,
  },
  'operator.expired-just-now': {
    make: token('EXPIRED', { expiredForMs: 10_000 }),
    because: /^the expired token expired less than a minute ago/,
  },
  'operator.revoked-just-now': {
    make: revokedToken({ expiredForMs: 10_000 }),
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

  'issuer.verifier-not-enforced': {
    make: collected(refreshReplay, 'any-verifier'),
    because: /its transcript says why it must not pass/,
  },
  'issuer.revocation-ignored': {
    make: collected(revocation, 'revocation-ignored'),
    because: /its transcript says why it must not pass/,
  },
  'operator.revoked-is-merely-expired': {
    make: token('REVOKED_EXPIRED', { expiredForMs }),
    because: /^tokenJti must be that of MCP_GATE_REVOKED_EXPIRED_TOKEN$/,
  },
  'operator.revocation-not-collected': {
    make({ evidence }) {
      const { revocation: _dropped, ...rest } = readJson(evidence) as Record<string, unknown>;
      writeJson(evidence, rest);
    },
    because: /^it is missing$/,
  },
  'operator.revoked-twice-collected': {
    make: collected(revocation),
    because: /^tokenJti must be that of MCP_GATE_REVOKED_EXPIRED_TOKEN$/,
  },

  'operator.hub-clock-ahead': {
    make: deliveredAt(() => parseIsoTime('2099-01-01T00:00:00Z') ?? 0),
    because: /^1 of 1 enabled routers delivered in the future/,
  },
  'operator.hub-clock-minutes-ahead': {
    make: deliveredAt(() => systemClock.now() + 180_000),
    because: /^1 of 1 enabled routers delivered in the future/,
  },
};

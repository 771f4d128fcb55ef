// The items of evidence schema v3, field by field (docs/reference/wire-contract/8-gate.md#82-evidence).
import { limits } from '#contract/limits.ts';
import { toMembers } from '../json.ts';
import {
  type EvidenceContext,
  type FieldRule,
  type Item,
  isCommit,
  isFalse,
  isRecent,
  isText,
  isTrue,
  matchesGateSetting,
  oneOf,
  optional,
  type Profile,
  unlessDeclared,
} from './context.ts';

export interface ItemRule {
  /** Key in the document; the id of its check is `evidence.` and this key. */
  name: string;
  shows: string;
  requiredBy: readonly Profile[];
  /** Gatehouse added the item: it is optional under the policy `declared`. */
  isOurs?: boolean;
  /** The collector of `gate collect NAME`; null when a person attests the item. */
  collector: string | null;
  /** Collectors that measure some of its fields after the first one. */
  partialCollectors?: readonly string[];
  /** The experiment starts a separate MCP process, which reports its commit. */
  startsProcess?: boolean;
  fields: Readonly<Record<string, FieldRule>>;
}

/** Fields of every item: successful, of the exact commit, at most 30 days old. */
export const commonFields: Readonly<Record<string, FieldRule>> = {
  passed: isTrue,
  testedAt: isRecent,
  commit: isCommit,
  endpoint: unlessDeclared(matchesGateSetting('endpoint')),
  issuer: unlessDeclared(matchesGateSetting('issuer')),
  resource: unlessDeclared(matchesGateSetting('resource')),
};

const both: readonly Profile[] = ['strict', 'cloud_idp'];
const eras = ['2025-11-25', '2026-07-28'];
export const callbackLimitation = 'unsupported-random-loopback-port';

const isReplay = (item: Item) => item.mode === 'reject-replay';
const isFamily = (item: Item) => item.mode === 'revoke-family';
/** Marks clients whose release cannot use a fixed callback; cloud_idp only. */
const isLimited = (item: Item, { profile }: EvidenceContext) =>
  profile === 'cloud_idp' && item.clientBStatus === callbackLimitation;

const lifetime: FieldRule = (value) =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= limits.gateTokenLifetimeSeconds
    ? null
    : `must be a whole number from 1 to ${limits.gateTokenLifetimeSeconds}`;

/** Requires the configured ports among those that were tried. */
const coversIngress: FieldRule = (value, _item, { ingressPorts = [] }) => {
  const tried: readonly unknown[] = Array.isArray(value) ? value : [];
  const isList = tried.length > 0 && tried.every((port) => Number.isInteger(port));
  const missing = ingressPorts.filter((port) => !tried.includes(port));
  return !isList ? 'must be port numbers' : missing.length === 0 ? null : `lacks ${missing.join(', ')}`;
};

const clientB =
  (rule: FieldRule, limited: FieldRule): FieldRule =>
  (value, item, context) =>
    isLimited(item, context) ? limited(value, item, context) : rule(value, item, context);

const absent: FieldRule = (value) => (value === undefined || value === '' ? null : 'must be left out');

/** Whether client B has the limitation, according to `clientCompatibility`. */
const ofClientB =
  (rule: FieldRule, limited: FieldRule): FieldRule =>
  (value, item, context) => {
    const clientRuns = toMembers(context.document?.clientCompatibility);
    return (isLimited(clientRuns, context) ? limited : rule)(value, item, context);
  };

export const items: readonly ItemRule[] = [
  {
    name: 'directIngress',
    shows: 'the ports of hub and MCP server and 443 cannot be reached past the proxy',
    requiredBy: both,
    collector: 'direct-ingress',
    fields: { portsClosed: isTrue, address: optional(isText), ports: optional(coversIngress) },
  },
  {
    name: 'reverseProxyLimits',
    shows: 'limits of body, rate, concurrency and time were exercised through the proxy',
    requiredBy: both,
    collector: 'reverse-proxy-limits',
    fields: {},
  },
  {
    name: 'rollback',
    shows: 'the rollback of the staged application was exercised',
    requiredBy: both,
    collector: null,
    fields: {},
  },
  {
    name: 'credentialRotation',
    shows: 'the service identity was rotated: the new one works, the old one does not',
    requiredBy: both,
    collector: 'credential-rotation',
    startsProcess: true,
    fields: {},
  },
  {
    name: 'authorizationServerRestore',
    shows: "the authorization server's database was restored into a throw-away environment",
    requiredBy: ['strict'],
    collector: null,
    fields: {},
  },
  {
    name: 'jwksOutage',
    shows: 'without the key set a cold MCP process refuses everybody, and collection goes on',
    requiredBy: both,
    collector: 'jwks-outage',
    startsProcess: true,
    fields: {
      coldProcess: isTrue,
      mcpFailedClosed: isTrue,
      localCollectionContinued: isTrue,
      healthz: isTrue,
      readyz: isTrue,
      routerCollectionHealthy: isTrue,
    },
  },
  {
    name: 'refreshRevocation',
    shows: 'a refresh token used again is refused, in the recorded mode; access tokens live 15 minutes at most',
    requiredBy: both,
    collector: 'refresh-replay',
    partialCollectors: ['access-token-lifetime'],
    fields: {
      mode: oneOf('reject-replay', 'revoke-family'),
      accessTokenLifetimeSeconds: lifetime,
      replayRequestRejected: (value, item, context) =>
        isReplay(item) ? isTrue(value, item, context) : optional(isTrue)(value, item, context),
      currentFamilyUsable: (value, item, context) =>
        isReplay(item) ? isTrue(value, item, context) : isFalse(value, item, context),
      familyRevoked: (value, item, context) =>
        isFamily(item) ? isTrue(value, item, context) : optional(isFalse)(value, item, context),
    },
  },
  {
    name: 'revocation',
    shows: 'the grant of the revoked token was revoked, and its refresh token is refused',
    requiredBy: both,
    isOurs: true,
    collector: 'revocation',
    fields: {
      revokedRefreshRejected: isTrue,
      tokenJti: (value, item, context) =>
        context.revokedTokenJti === undefined || context.revokedTokenJti === value
          ? isText(value, item, context)
          : 'must be that of MCP_GATE_REVOKED_EXPIRED_TOKEN',
    },
  },
  {
    name: 'clientCompatibility',
    shows: 'clients of both protocol eras listed tools after a sign-in; the SDK clients also called one',
    requiredBy: both,
    collector: 'client-runs',
    fields: {
      clientA: isTrue,
      clientAProtocolVersion: oneOf(...eras),
      clientB: clientB(isTrue, isFalse),
      clientBProtocolVersion: clientB(oneOf(...eras), absent),
      clientBStatus: clientB(absent, oneOf(callbackLimitation)),
      legacyClient: isTrue,
      legacyProtocolVersion: oneOf('2025-11-25'),
    },
  },
  {
    name: 'idpCompatibility',
    shows: 'the cloud identity provider did on the wire what its metadata does not say',
    requiredBy: ['cloud_idp'],
    collector: 'idp-compatibility',
    fields: {
      issuer: matchesGateSetting('issuer'),
      resource: matchesGateSetting('resource'),
      pkceMethod: oneOf('S256'),
      authorizationRequestResource: isTrue,
      tokenRequestResource: isTrue,
      accessTokenAudienceMatched: isTrue,
      refreshAudiencePreserved: isTrue,
      testedClientCallbacksMatched: isTrue,
      oldRefreshRejected: isTrue,
      revokedRefreshRejected: isTrue,
      inspectorVersion: isText,
      clientAVersion: isText,
      clientBVersion: isText,
      clientBCallbackCompatible: ofClientB(isTrue, isFalse),
      clientBCallbackStatus: ofClientB(absent, oneOf(callbackLimitation)),
    },
  },
];

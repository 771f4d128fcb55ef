// How the mistakes of gate/mistakes/endpoint.ts are made on the stage.
import { membersOf } from '#gate/json.ts';
import { systemClock } from '#kernel/time/clock.ts';
import type { Stage } from '../../../scripts/stage.ts';
import {
  type Answered,
  type Call,
  type Hostile,
  putHostileEndpoint,
  scopesOf,
  type Token,
} from '../hostile-endpoint.ts';
import type { Made } from './made.ts';
import { embeddedKeyVerifies, fetchedKeysVerify, hmacVerifies, issuerSigned } from './signatures.ts';

const hostile =
  (misbehaviour: (stage: Stage) => Hostile): Made['make'] =>
  (stage, after) =>
    putHostileEndpoint(stage, after, misbehaviour(stage));

const isOfIssuer = ({ claims }: Token, { issuer }: Stage) => claims.iss === issuer.issuer;
const isForResource = ({ claims }: Token, { settings }: Stage) => claims.aud === settings.MCP_GATE_RESOURCE;
const isLive = ({ claims: { exp = 0 } }: Token, leewayMs = 0) => exp * 1000 + leewayMs > systemClock.now();
const isRightButForSignature = (token: Token, stage: Stage) =>
  isOfIssuer(token, stage) && isForResource(token, stage) && isLive(token);

/** Believes tokens whose claims are right and that `also` finds good. */
const claimsRight = (also: (token: Token, call: Call, stage: Stage) => boolean | Promise<boolean>) =>
  hostile((stage) => ({
    believes: async (token, call) => isRightButForSignature(token, stage) && (await also(token, call, stage)),
  }));

/** Believes tokens that the issuer signed and that `also` finds good: all but one claim is checked. */
const signedAnd = (also: (token: Token, call: Call, stage: Stage) => boolean) =>
  hostile((stage) => ({
    believes: async (token, call) => also(token, call, stage) && (await issuerSigned(token, stage)),
  }));

const audienceOf = ({ claims: { aud = '' } }: Token) => (typeof aud === 'string' ? aud : '');
/** Believes a live token of the issuer whose audience `isGood`. */
const audience = (isGood: (token: Token, resource: string, call: Call) => boolean) =>
  signedAnd(
    (token, call, stage) =>
      isOfIssuer(token, stage) && isLive(token) && isGood(token, stage.settings.MCP_GATE_RESOURCE ?? '', call),
  );

/** Changes the tools that `tools/list` shows. */
const tools = (change: (tools: Record<string, unknown>[]) => Record<string, unknown>[]) =>
  hostile(() => ({
    answer: (answered, call) =>
      answered.status === 200 && call.method === 'tools/list'
        ? resultWith(answered, ({ tools: listed }) => ({ tools: change(listed as Record<string, unknown>[]) }))
        : undefined,
  }));

/** Changes the result of calls of the read tool. */
const readResult = (result: Record<string, unknown>) =>
  hostile(() => ({
    answer: (answered, call) =>
      call.tool === 'get_devices'
        ? resultWith(answered, () => ({ structuredContent: undefined, ...result }))
        : undefined,
  }));

function resultWith(
  { message }: Answered,
  change: (result: Readonly<Record<string, unknown>>) => Record<string, unknown>,
): Partial<Answered> {
  const whole = membersOf(message);
  const result = membersOf(whole.result);
  return { message: { ...whole, result: { ...result, ...change(result) } } };
}

/** Calls the write tool with the write token, whoever asks. */
const writeOpen = (era: Call['era']) =>
  hostile(({ settings }) => ({
    tokenFor: (call) =>
      call.era === era && call.tool === 'set_device_note' && call.token ? settings.MCP_GATE_WRITE_TOKEN : undefined,
  }));

const isLegacyWrite = (call: Call) => call.era === 'legacy' && call.tool === 'set_device_note';

const foreignServer = (isThere: (path: string) => boolean) =>
  hostile(({ issuer }) => ({
    answer: ({ message }, { path }) =>
      path.startsWith('/.well-known/') && isThere(path)
        ? {
            message: {
              ...membersOf(message),
              authorization_servers: [issuer.issuer, 'https://login.elsewhere.example'],
            },
          }
        : undefined,
  }));

/** Tools under the names that a colleague found better. */
const renamed = ({ name, ...rest }: Record<string, unknown>) => ({
  ...rest,
  name: name === 'get_new_nodes' ? 'list_new_nodes' : name,
});

const accepted = /era 20\d\d-\d\d-\d\d: it answers 200/;

export const endpointMade: Readonly<Record<string, Made>> = {
  'endpoint.signature-unchecked': { make: claimsRight(() => true), because: accepted },
  'endpoint.any-issuer': {
    make: hostile((stage) => ({ believes: (token) => isForResource(token, stage) && isLive(token) })),
    because: accepted,
  },
  'endpoint.issuer-unchecked': {
    make: signedAnd((token, _call, stage) => isForResource(token, stage) && isLive(token)),
    because: accepted,
  },
  'endpoint.follows-issuer': {
    make: hostile((stage) => ({
      believes: (token) =>
        isForResource(token, stage) &&
        isLive(token) &&
        fetchedKeysVerify(token, `${token.claims.iss}/.well-known/openid-configuration`, stage),
    })),
    because: /the endpoint connected to the issuer that the token names/,
  },
  'endpoint.unsigned-in-one-era': { make: claimsRight((_token, { era }) => era === 'legacy'), because: accepted },
  'endpoint.unsigned-in-modern-era': { make: claimsRight((_token, { era }) => era === 'modern'), because: accepted },
  'endpoint.alg-none': { make: claimsRight(({ header }) => header.alg === 'none'), because: accepted },
  'endpoint.hs256-pem': {
    make: claimsRight((token, _call, stage) => hmacVerifies(token, 'pem', stage)),
    because: accepted,
  },
  'endpoint.hs256-der': {
    make: claimsRight((token, _call, stage) => hmacVerifies(token, 'der', stage)),
    because: accepted,
  },
  'endpoint.hs256-jwk': {
    make: claimsRight((token, _call, stage) => hmacVerifies(token, 'jwk', stage)),
    because: accepted,
  },
  'endpoint.follows-jku': {
    make: claimsRight((token, _call, stage) => fetchedKeysVerify(token, token.header.jku, stage)),
    because: /the endpoint connected to the address in the token/,
  },
  'endpoint.embedded-jwk': { make: claimsRight((token) => embeddedKeyVerifies(token)), because: accepted },
  'endpoint.forged-crash': {
    make: hostile(() => ({
      answer: ({ status }, { token }) =>
        status === 401 && token && token.header.alg !== 'RS256' ? { status: 500 } : undefined,
    })),
    because: /it answers 500/,
  },
  'endpoint.forged-is-403': {
    make: hostile((stage) => ({
      answer: ({ status }, { token }) =>
        status === 401 &&
        token &&
        token.header.alg === 'RS256' &&
        isRightButForSignature(token, stage) &&
        !token.header.jku &&
        !token.header.jwk
          ? { status: 403 }
          : undefined,
    })),
    because: /it answers 403/,
  },

  'endpoint.audience-ignored': { make: audience(() => true), because: accepted },
  'endpoint.audience-ignored-in-one-era': {
    make: audience((_token, _resource, { era }) => era === 'legacy'),
    because: /^era 2025-11-25: it answers 200; era 2025-11-25: the challenge/,
  },
  'endpoint.audience-list': {
    make: audience(({ claims: { aud } }, resource) => Array.isArray(aud) && aud.includes(resource)),
    because: accepted,
  },
  'endpoint.audience-prefix': {
    make: audience((token, resource) => audienceOf(token).startsWith(resource)),
    because: accepted,
  },
  'endpoint.audience-origin': {
    make: audience(
      (token, resource) =>
        URL.canParse(audienceOf(token)) && new URL(audienceOf(token)).host === new URL(resource).host,
    ),
    because: accepted,
  },
  'endpoint.audience-reverse-prefix': {
    make: audience((token, resource) => audienceOf(token) !== '' && resource.startsWith(audienceOf(token))),
    because: accepted,
  },
  'endpoint.clock-slow': {
    make: signedAnd(
      (token, _call, stage) => isOfIssuer(token, stage) && isForResource(token, stage) && isLive(token, 1_800_000),
    ),
    because: accepted,
  },
  'endpoint.expiry-ignored-in-one-era': {
    make: signedAnd(
      (token, { era }, stage) => era === 'legacy' && isOfIssuer(token, stage) && isForResource(token, stage),
    ),
    because: accepted,
  },

  'endpoint.legacy-write-open': { make: writeOpen('legacy'), because: /^era 2025-11-25: it answers 200/ },
  'endpoint.modern-write-open': { make: writeOpen('modern'), because: /^era 2026-07-28: it answers 200/ },
  'endpoint.legacy-lists-write': {
    make: hostile(({ settings }) => ({
      tokenFor: ({ era, method, token }) =>
        era === 'legacy' && method === 'tools/list' && token?.text === settings.MCP_GATE_READ_TOKEN
          ? settings.MCP_GATE_WRITE_TOKEN
          : undefined,
    })),
    because: /^era 2025-11-25: set_device_note is listed$/,
  },
  'endpoint.legacy-challenge-missing': {
    make: hostile(() => ({
      answer({ headers }, call) {
        const { 'www-authenticate': _challenge, ...rest } = headers;
        return isLegacyWrite(call) ? { headers: rest } : undefined;
      },
    })),
    because: /^era 2025-11-25: the challenge does not say insufficient_scope/,
  },
  'endpoint.write-refused-as-error': {
    make: hostile(() => ({
      answer: (_answered, call) =>
        isLegacyWrite(call)
          ? {
              status: 200,
              headers: { 'content-type': 'application/json' },
              message: { jsonrpc: '2.0', id: 1, result: { isError: true, content: [{ type: 'text', text: 'no' }] } },
            }
          : undefined,
    })),
    because: /^era 2025-11-25: it answers 200/,
  },
  'endpoint.legacy-read-fails': {
    make: hostile(() => ({
      answer: (answered, { era, tool }) =>
        era === 'legacy' && tool === 'get_devices' ? resultWith(answered, () => ({ isError: true })) : undefined,
    })),
    because: /^era 2025-11-25: the tool failed$/,
  },
  'endpoint.no-read-scope': {
    make: hostile(({ settings, tokenSource: { scopes } }) => ({
      tokenFor: ({ token }) =>
        token && !scopesOf(token.claims).includes(scopes.read) ? settings.MCP_GATE_READ_TOKEN : undefined,
    })),
    because: /it answers 200/,
  },

  'endpoint.other-tool-names': {
    make: tools((all) => all.map(renamed)),
    because: /1 of the 11 tools is not listed; era 2025-11-25: 1 tool is unknown/,
  },
  'endpoint.tool-twice': {
    make: tools((all) => all.map((tool) => (tool.name === 'get_new_nodes' ? { ...tool, name: 'get_devices' } : tool))),
    because: /1 of the 11 tools is not listed; era 2025-11-25: a tool is listed twice/,
  },
  'endpoint.tool-too-many': {
    make: tools((all) => (all.length === 0 ? all : [...all, { ...all[0], name: 'reboot_router' }])),
    because: /1 tool is unknown/,
  },
  'endpoint.empty-content': { make: readResult({ content: [] }), because: /the tool answers with nothing/ },
  'endpoint.empty-text': {
    make: readResult({ content: [{ type: 'text', text: ' ' }] }),
    because: /the tool answers with nothing/,
  },
  'endpoint.foreign-authorization-server': {
    make: foreignServer(() => true),
    because: /2 authorization servers are listed/,
  },
  'endpoint.foreign-authorization-server-by-path': {
    make: foreignServer((path) => path.endsWith('/mcp')),
    because: /2 authorization servers are listed/,
  },
};

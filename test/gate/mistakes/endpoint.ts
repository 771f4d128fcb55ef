// Mistakes of the endpoint in what it accepts, answers and lists.
import { toMembers } from '#gate/json.ts';
import { systemClock } from '#kernel/time/clock.ts';
import type { Stage } from '../../../scripts/stage.ts';
import {
  type Answered,
  type Call,
  type Hostile,
  putHostileEndpoint,
  type Token,
  toScopes,
} from '../hostile-endpoint.ts';
import type { Making, Mistake } from './mistake.ts';
import { embeddedKeyVerifies, fetchedKeysVerify, hmacVerifies, issuerSigned } from './signatures.ts';

const hostile =
  (misbehaviour: (stage: Stage) => Hostile): Making['make'] =>
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
  const whole = toMembers(message);
  const result = toMembers(whole.result);
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
              ...toMembers(message),
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

const forged = ['token.forged-key', 'token.alg-none', 'token.alg-confusion', 'token.jku', 'token.jwk'];

/** Tokens that were never signed by the issuer. */
const believed: readonly Mistake[] = [
  {
    id: 'endpoint.signature-unchecked',
    sentence: 'tokens are decoded, and their signatures never verified',
    red: forged,
    make: claimsRight(() => true),
    because: accepted,
  },
  {
    id: 'endpoint.any-issuer',
    sentence: 'tokens are decoded, whoever issued them',
    red: ['token.other-issuer', ...forged],
    make: hostile((stage) => ({ believes: (token) => isForResource(token, stage) && isLive(token) })),
    because: accepted,
  },
  {
    id: 'endpoint.issuer-unchecked',
    sentence: 'signatures are verified, but a token of another issuer with the same keys is accepted',
    red: ['token.other-issuer'],
    make: signedAnd((token, _call, stage) => isForResource(token, stage) && isLive(token)),
    because: accepted,
  },
  {
    id: 'endpoint.follows-issuer',
    sentence: 'the keys are fetched from whatever issuer the token names',
    red: ['token.other-issuer'],
    make: hostile((stage) => ({
      believes: (token) =>
        isForResource(token, stage) &&
        isLive(token) &&
        fetchedKeysVerify(token, `${token.claims.iss}/.well-known/openid-configuration`, stage),
    })),
    because: /the endpoint connected to the issuer that the token names/,
  },
  {
    id: 'endpoint.unsigned-in-one-era',
    sentence: 'signatures are not verified in era 2025-11-25',
    red: ['token.forged-key', 'token.alg-none', 'token.jwk'],
    make: claimsRight((_token, { era }) => era === 'legacy'),
    because: accepted,
  },
  {
    id: 'endpoint.unsigned-in-modern-era',
    sentence: 'signatures are not verified in era 2026-07-28',
    red: ['token.forged-key', 'token.alg-confusion', 'token.jku'],
    make: claimsRight((_token, { era }) => era === 'modern'),
    because: accepted,
  },
  {
    id: 'endpoint.alg-none',
    sentence: 'unsigned tokens (alg none) are accepted',
    red: ['token.alg-none'],
    make: claimsRight(({ header }) => header.alg === 'none'),
    because: accepted,
  },
  {
    id: 'endpoint.hs256-pem',
    sentence: 'HS256 is accepted, keyed with the public key in PEM',
    red: ['token.alg-confusion'],
    make: claimsRight((token, _call, stage) => hmacVerifies(token, 'pem', stage)),
    because: accepted,
  },
  {
    id: 'endpoint.hs256-der',
    sentence: 'HS256 is accepted, keyed with the public key in DER',
    red: ['token.alg-confusion'],
    make: claimsRight((token, _call, stage) => hmacVerifies(token, 'der', stage)),
    because: accepted,
  },
  {
    id: 'endpoint.hs256-jwk',
    sentence: 'HS256 is accepted, keyed with the text of the JWK',
    red: ['token.alg-confusion'],
    make: claimsRight((token, _call, stage) => hmacVerifies(token, 'jwk', stage)),
    because: accepted,
  },
  {
    id: 'endpoint.follows-jku',
    sentence: 'keys are fetched from the jku of the token',
    red: ['token.jku'],
    make: claimsRight((token, _call, stage) => fetchedKeysVerify(token, token.header.jku, stage)),
    because: /the endpoint connected to the address in the token/,
  },
  {
    id: 'endpoint.embedded-jwk',
    sentence: 'the key in the token itself (jwk) is used',
    red: ['token.jwk'],
    make: claimsRight((token) => embeddedKeyVerifies(token)),
    because: accepted,
  },
  {
    id: 'endpoint.forged-crash',
    sentence: 'a token with an unknown algorithm makes the endpoint answer 500',
    red: ['token.alg-none', 'token.alg-confusion'],
    make: hostile(() => ({
      answer: ({ status }, { token }) =>
        status === 401 && token && token.header.alg !== 'RS256' ? { status: 500 } : undefined,
    })),
    because: /it answers 500/,
  },
  {
    id: 'endpoint.forged-is-403',
    sentence: 'a forged token is answered 403, as if it only lacked a scope',
    red: ['token.forged-key'],
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
];

/** Tokens of the issuer that are not for here, or not any more. */
const stale: readonly Mistake[] = [
  {
    id: 'endpoint.audience-ignored',
    sentence: 'the audience is not looked at',
    red: ['token.wrong-audience', 'token.near-audience', 'token.audience-list'],
    make: audience(() => true),
    because: accepted,
  },
  {
    id: 'endpoint.audience-ignored-in-one-era',
    sentence: 'the audience is not looked at in era 2025-11-25',
    red: ['token.wrong-audience', 'token.near-audience'],
    make: audience((_token, _resource, { era }) => era === 'legacy'),
    because: /^era 2025-11-25: it answers 200; era 2025-11-25: the challenge/,
  },
  {
    id: 'endpoint.audience-list',
    sentence: 'a token for several resources, this one among them, is accepted',
    red: ['token.audience-list'],
    make: audience(({ claims: { aud } }, resource) => Array.isArray(aud) && aud.includes(resource)),
    because: accepted,
  },
  {
    id: 'endpoint.audience-prefix',
    sentence: 'an audience that begins like the resource is accepted',
    red: ['token.near-audience'],
    make: audience((token, resource) => audienceOf(token).startsWith(resource)),
    because: accepted,
  },
  {
    id: 'endpoint.audience-origin',
    sentence: 'the audience is compared by its host alone',
    red: ['token.wrong-audience', 'token.near-audience'],
    make: audience(
      (token, resource) =>
        URL.canParse(audienceOf(token)) && new URL(audienceOf(token)).host === new URL(resource).host,
    ),
    because: accepted,
  },
  {
    id: 'endpoint.audience-reverse-prefix',
    sentence: 'an audience that the resource begins with is accepted',
    red: ['token.wrong-audience'],
    make: audience((token, resource) => audienceOf(token) !== '' && resource.startsWith(audienceOf(token))),
    because: accepted,
  },
  {
    id: 'endpoint.clock-slow',
    sentence: 'the clock of the endpoint is 30 minutes slow',
    red: ['token.expired', 'token.revoked'],
    make: signedAnd(
      (token, _call, stage) => isOfIssuer(token, stage) && isForResource(token, stage) && isLive(token, 1_800_000),
    ),
    because: accepted,
  },
  {
    id: 'endpoint.expiry-ignored-in-one-era',
    sentence: 'the expiry is not looked at in era 2025-11-25',
    red: ['token.revoked'],
    make: signedAnd(
      (token, { era }, stage) => era === 'legacy' && isOfIssuer(token, stage) && isForResource(token, stage),
    ),
    because: accepted,
  },
];

const scopes: readonly Mistake[] = [
  {
    id: 'endpoint.legacy-write-open',
    sentence: 'the scope of a tool is not looked at in era 2025-11-25',
    red: ['scope.write-denied'],
    make: writeOpen('legacy'),
    because: /^era 2025-11-25: it answers 200/,
  },
  {
    id: 'endpoint.modern-write-open',
    sentence: 'the scope of a tool is not looked at in era 2026-07-28',
    red: ['scope.write-denied'],
    make: writeOpen('modern'),
    because: /^era 2026-07-28: it answers 200/,
  },
  {
    id: 'endpoint.legacy-lists-write',
    sentence: 'era 2025-11-25 lists the write tool to a read token',
    red: ['scope.write-hidden'],
    make: hostile(({ settings }) => ({
      tokenFor: ({ era, method, token }) =>
        era === 'legacy' && method === 'tools/list' && token?.text === settings.MCP_GATE_READ_TOKEN
          ? settings.MCP_GATE_WRITE_TOKEN
          : undefined,
    })),
    because: /^era 2025-11-25: set_device_note is listed$/,
  },
  {
    id: 'endpoint.legacy-challenge-missing',
    sentence: 'era 2025-11-25 refuses the write tool without a challenge',
    red: ['scope.write-denied'],
    make: hostile(() => ({
      answer({ headers }, call) {
        const { 'www-authenticate': _challenge, ...rest } = headers;
        return isLegacyWrite(call) ? { headers: rest } : undefined;
      },
    })),
    because: /^era 2025-11-25: the challenge does not say insufficient_scope/,
  },
  {
    id: 'endpoint.write-refused-as-error',
    sentence: 'era 2025-11-25 refuses the write tool with 200 and an error in the result',
    red: ['scope.write-denied'],
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
  {
    id: 'endpoint.legacy-read-fails',
    sentence: 'a read tool fails in era 2025-11-25',
    red: ['scope.read'],
    make: hostile(() => ({
      answer: (answered, { era, tool }) =>
        era === 'legacy' && tool === 'get_devices' ? resultWith(answered, () => ({ isError: true })) : undefined,
    })),
    because: /^era 2025-11-25: the tool failed$/,
  },
  {
    id: 'endpoint.no-read-scope',
    sentence: 'any token of the issuer reads, also one without the read scope',
    red: ['scope.read-required'],
    make: hostile(({ settings, tokenSource: { scopes } }) => ({
      tokenFor: ({ token }) =>
        token && !toScopes(token.claims).includes(scopes.read) ? settings.MCP_GATE_READ_TOKEN : undefined,
    })),
    because: /it answers 200/,
  },
];

const answers: readonly Mistake[] = [
  {
    id: 'endpoint.other-tool-names',
    sentence: 'both eras list a tool under another name',
    red: ['era.sameTools'],
    make: tools((all) => all.map(renamed)),
    because: /1 of the 11 tools is not listed; era 2025-11-25: 1 tool is unknown/,
  },
  {
    id: 'endpoint.tool-twice',
    sentence: 'both eras list ten tools, and one of them twice',
    red: ['era.sameTools'],
    make: tools((all) => all.map((tool) => (tool.name === 'get_new_nodes' ? { ...tool, name: 'get_devices' } : tool))),
    because: /1 of the 11 tools is not listed; era 2025-11-25: a tool is listed twice/,
  },
  {
    id: 'endpoint.tool-too-many',
    sentence: 'both eras list a twelfth tool',
    red: ['era.sameTools'],
    make: tools((all) => (all.length === 0 ? all : [...all, { ...all[0], name: 'reboot_router' }])),
    because: /1 tool is unknown/,
  },
  {
    id: 'endpoint.empty-content',
    sentence: 'the read tool answers with no content',
    red: ['scope.read'],
    make: readResult({ content: [] }),
    because: /the tool answers with nothing/,
  },
  {
    id: 'endpoint.empty-text',
    sentence: 'the read tool answers with an empty text',
    red: ['scope.read'],
    make: readResult({ content: [{ type: 'text', text: ' ' }] }),
    because: /the tool answers with nothing/,
  },
  {
    id: 'endpoint.foreign-authorization-server',
    sentence: 'the metadata lists a foreign authorization server as well as the right one',
    red: ['metadata.root', 'metadata.path'],
    make: foreignServer(() => true),
    because: /2 authorization servers are listed/,
  },
  {
    id: 'endpoint.foreign-authorization-server-by-path',
    sentence: 'only the metadata at the path of the resource lists a foreign authorization server',
    red: ['metadata.path'],
    make: foreignServer((path) => path.endsWith('/mcp')),
    because: /2 authorization servers are listed/,
  },
];

export const endpointMistakes: readonly Mistake[] = [...believed, ...stale, ...scopes, ...answers];

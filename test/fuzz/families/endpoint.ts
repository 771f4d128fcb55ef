// What the MCP server and the gate read: envelopes, tokens, an issuer's documents, evidence, signatures, settings.
import { generateKeyPairSync } from 'node:crypto';
import { decode } from 'dns-packet';
import { SignJWT } from 'jose';
import { parseNameServers } from '#gate/dns-question.ts';
import { evidenceChecks } from '#gate/evidence/rules.ts';
import { summarizeEvidence } from '#gate/evidence/summary.ts';
import { transcriptFaults } from '#gate/evidence/transcripts.ts';
import { toObject } from '#gate/json.ts';
import { isReport } from '#gate/report.ts';
import { createKeyPair, signatureFault, signFile } from '#gate/signature.ts';
import { parseIssuer, requireUsable } from '#hub/base/auth/oidc/metadata.ts';
import { AppError } from '#kernel/errors.ts';
import { parseJson } from '#kernel/text/json.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { readBearer } from '#mcp/http/caller.ts';
import { createNameCheck } from '#mcp/http/host-check.ts';
import { parseMessage } from '#mcp/http/message.ts';
import { verifyAccessToken } from '#mcp/oauth/access-token.ts';
import { keysAddress, signingKeys } from '#mcp/oauth/issuer-metadata.ts';
import { createContext } from '../../gate/passing-evidence.ts';
import { toJson, toText } from '../checks.ts';
import { defineTarget } from '../target.ts';

const oauth = {
  issuer: 'https://issuer.example/realm',
  compatibility: 'strict',
  resource: 'https://mcp.example/mcp',
  readScope: 'net:read',
  writeScope: 'notes:write',
} as const;
const now = 1_790_000_000;
const clock = { ...systemClock, now: () => now * 1000 };
const never = new AbortController().signal;
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** A token with these claims, signed. */
const tokenOf = (claims: Record<string, unknown>) =>
  new SignJWT({
    iss: oauth.issuer,
    aud: oauth.resource,
    sub: 'user',
    client_id: 'c',
    scope: 'net:read',
    exp: now + 60,
    ...claims,
  })
    .setProtectedHeader({ alg: 'RS256', kid: 'k' })
    .sign(privateKey);
const good = await tokenOf({});

const mcp = [
  defineTarget({
    name: 'mcp-envelope',
    modules: ['src/mcp/http/message.ts'],
    isJson: true,
    seeds: [
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_devices","arguments":{"a":1}}}',
      '{"jsonrpc":"2.0","method":"notifications/initialized"}',
      '[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
    ],
    parse(input) {
      const read = parseMessage(input);
      return 'message' in read
        ? { method: read.message.method, tool: read.message.tool, isRequest: read.message.isRequest }
        : read;
    },
    fault: (read) =>
      'tool' in read && read.tool !== null && read.method !== 'tools/call' ? 'a tool without a call' : null,
  }),
  defineTarget({
    name: 'mcp-headers',
    modules: ['src/mcp/http/caller.ts', 'src/mcp/http/host-check.ts'],
    seeds: [
      'Bearer abc\nlocalhost:3001\nhttp://localhost',
      'bearer  x y\n[::1]:3001\nnull',
      'Basic x\nmcp.example\nhttps://mcp.example',
    ],
    words: ['Bearer ', '\n', 'localhost', '@', '#', '//', 'http://', '[::1]', '127.1'],
    parse(input) {
      const [authorization = '', host = '', origin] = toText(input).split('\n');
      const check = createNameCheck({ auth: { mode: 'oauth', ...oauth } as never, bind: '127.0.0.1', trustProxy: [] });
      return {
        bearer: readBearer({ authorization }),
        host,
        origin,
        fault: check({ host, ...(origin === undefined ? {} : { origin }) }),
      };
    },
    fault: ({ bearer }) => (/\s/.test(bearer ?? '') ? 'a token with a blank' : null),
  }),
  defineTarget(
    {
      name: 'mcp-token',
      modules: ['src/mcp/oauth/access-token.ts'],
      seeds: [good, await tokenOf({ aud: ['other'] }), await tokenOf({ exp: 1 }), 'a.b.c'],
      words: ['.', 'eyJhbGciOiJub25lIn0', 'eyJhbGciOiJSUzI1NiIsImtpZCI6ImsifQ', '..', '=', '-', '_'],
      // Whatever is wrong with a token is one refusal: any Error is declared.
      declares: (error) => error instanceof Error && !(error instanceof RangeError),
      parse: (input) => verifyAccessToken(toText(input), { key: async () => publicKey as never }, oauth, clock, never),
      // Only the signature may be spelled otherwise: base64 is read with what does not belong to it.
      fault: (_token, input) =>
        toText(input).startsWith(good.slice(0, good.lastIndexOf('.') + 1))
          ? null
          : 'another text than the signed one is believed',
    },
    true,
  ),
  defineTarget({
    name: 'mcp-issuer',
    modules: ['src/mcp/oauth/issuer-metadata.ts', 'src/hub/base/auth/oidc/metadata.ts'],
    isJson: true,
    seeds: [
      JSON.stringify({
        ...{
          issuer: oauth.issuer,
          jwks_uri: 'https://issuer.example/jwks',
          code_challenge_methods_supported: ['S256'],
        },
        ...{ authorization_endpoint: 'https://issuer.example/a', token_endpoint: 'https://issuer.example/t' },
      }),
      '{"keys":[{"kty":"RSA","kid":"k","n":"AQAB","e":"AQAB","use":"sig","alg":"RS256"}]}',
      '"https://issuer.example/realm"',
    ],
    declares: () => false,
    parse(input) {
      const document = toJson(input);
      return {
        keys: attempt(() => signingKeys(document), Error),
        address: attempt(() => keysAddress(document, oauth), Error),
        issuer: typeof document === 'string' ? attempt(() => parseIssuer(document).href, AppError) : null,
        usable:
          (toObject(document)?.issuer === oauth.issuer
            ? attempt(() => requireUsable(document as never), AppError)
            : null) ?? null,
      };
    },
    fault: ({ address, issuer }) =>
      (address instanceof Error || new URL(address).origin === 'https://issuer.example'
        ? null
        : `keys at ${address}`) ??
      (typeof issuer === 'string' && !/^https:|^http:\/\/(?:localhost|127\.|\[::1\])/.test(issuer)
        ? `an issuer at ${issuer}`
        : null),
  }),
];

function attempt<T, E extends Error>(read: () => T, kind: new (...values: never[]) => E): T | E {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof kind) || error instanceof TypeError || error instanceof RangeError) {
      throw error;
    }
    return error;
  }
}

const pair = createKeyPair();
const evidenceText = '{"schemaVersion":3}';
const envelope = JSON.stringify(signFile(pair.privatePem, 'evidence', 'evidence.json', evidenceText, {}));

const gate = [
  defineTarget({
    name: 'gate-evidence',
    modules: ['rules', 'items', 'provenance', 'summary', 'transcripts', 'context'].map(
      (one) => `gate/evidence/${one}.ts`,
    ),
    fixtures: ['evidence/v3.strict.json', 'evidence/v3.cloud-idp.json'],
    isJson: true,
    parse(input) {
      const document = toObject(parseJson(toText(input)));
      const contexts = (['strict', 'cloud_idp'] as const).flatMap((profile) =>
        (['declared', 'provenance'] as const).map((policy) => ({
          ...createContext(profile, document as never),
          policy,
        })),
      );
      return {
        verdicts: contexts.map((context) => evidenceChecks.map((check) => check.judge(context))),
        summary: contexts.map((context) => summarizeEvidence(context, 'Some Body')),
        faults: transcriptFaults(document, new Map()),
        isReport: isReport(parseJson(toText(input))),
      };
    },
    growth: 400,
    readings: 4,
    fault: ({ verdicts }) =>
      verdicts.flat().length === evidenceChecks.length * 4 ? null : 'a check without a verdict',
  }),
  defineTarget({
    name: 'gate-envelope',
    modules: ['gate/signature.ts', 'gate/json.ts'],
    isJson: true,
    seeds: [envelope],
    words: ['"payload":', '"sig":', 'application/vnd.in-toto+json'],
    parse: (input) => signatureFault(pair.publicPem, 'evidence', evidenceText, parseJson(toText(input))),
    fault(because, input) {
      const signed = toObject(toJson(Buffer.from(envelope))) as { payload: string };
      const given = toObject(toJson(input));
      const bytes = (text: unknown) => Buffer.from(String(text), 'base64').toString('hex');
      return because === null && bytes(given?.payload) !== bytes(signed.payload)
        ? 'another statement is believed'
        : null;
    },
  }),
  defineTarget({
    name: 'gate-name-servers',
    modules: ['gate/dns-question.ts'],
    seeds: ['192.0.2.53', '192.0.2.53:5353, [2001:db8::53]:53', '2001:db8::53'],
    words: [',', ':', '[', ']', '0', '65536', '...'],
    parse: (input) => parseNameServers(toText(input)),
    fault: (servers) => (servers?.some(({ port }) => port < 1 || port > 65_535) ? 'a port that is none' : null),
  }),
  defineTarget({
    name: 'gate-dns-answer',
    modules: ['gate/dns-question.ts'],
    seeds: [
      Buffer.from('123481800001000100000000076578616d706c6503636f6d0000010001c00c00010001000000e100045db8d822', 'hex'),
      Buffer.from('123481830001000000000000076578616d706c6503636f6d0000410001', 'hex'),
    ],
    words: ['\xc0\x0c', '\x00\x01', '\xff'],
    // As gate/dns-question.ts takes it: any Error is a datagram that is none.
    declares: (error) => error instanceof Error && !error.message.includes('call stack'),
    growth: 2000,
    parse: (input) => decode(input),
  }),
];

export const endpointTargets = [...mcp, ...gate];

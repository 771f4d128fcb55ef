// Mistakes of the TLS proxy in front of the endpoint.
import http from 'node:http';
import { close, listen } from '#kernel/http/listening.ts';
import type { EdgeFault } from '#simulators/edge/faults.ts';
import { createAuthority, createSelfSigned } from '#simulators/support/certificates.ts';
import { stagedName } from '../../../scripts/stage.ts';
import type { Making, Mistake } from './mistake.ts';

const hourMs = 3_600_000;

const edge = (because: RegExp, fault: EdgeFault, value?: string | number): Making => ({
  make: (stage) => stage.edge.fail(fault, value === undefined ? {} : { value }),
  because,
});

const certificate = (because: RegExp, validity: { validFromMs: number; validToMs: number }): Making => ({
  make: async ({ edge, authority }) => edge.setCertificate(await authority.issue([stagedName], validity)),
  because,
});

const everyModern = ['era.modern', 'scope.read', 'scope.write-visible', 'scope.write-hidden'];

/** What tool calls are needed for. */
const everyLimit = ['limit.concurrency', 'limit.subject', 'limit.client', 'limit.global'];

export const proxyMistakes: readonly Mistake[] = [
  {
    id: 'proxy.drops-mcp-method',
    sentence: 'it drops the Mcp-Method header',
    red: ['error.mismatch', 'error.unsupported', ...everyModern, ...everyLimit],
    ...edge(/right headers is answered with 400/, 'strip-header', 'Mcp-Method'),
  },
  {
    id: 'proxy.drops-mcp-name',
    sentence: 'it drops the Mcp-Name header',
    red: ['error.mismatch', 'error.unsupported', 'scope.read', ...everyLimit],
    ...edge(/right headers is answered with 400/, 'strip-header', 'Mcp-Name'),
  },
  {
    id: 'proxy.drops-protocol-version',
    sentence: 'it drops the MCP-Protocol-Version header',
    red: ['error.mismatch', 'error.unsupported', ...everyModern, ...everyLimit],
    ...edge(/right headers is answered with 400/, 'strip-header', 'MCP-Protocol-Version'),
  },
  {
    id: 'proxy.repairs-mcp-method',
    sentence: 'it sets Mcp-Method to what the body says',
    red: ['error.mismatch'],
    ...edge(/Mcp-Method: it answers 200/, 'repair-header', 'Mcp-Method'),
  },
  {
    id: 'proxy.repairs-mcp-name',
    sentence: 'it sets Mcp-Name to what the body says',
    red: ['error.mismatch'],
    ...edge(/Mcp-Name: it answers 200/, 'repair-header', 'Mcp-Name'),
  },
  {
    id: 'proxy.repairs-protocol-version',
    sentence: 'it sets MCP-Protocol-Version to what the body says',
    red: ['error.mismatch'],
    ...edge(/MCP-Protocol-Version: it answers 200/, 'repair-header', 'MCP-Protocol-Version'),
  },
  {
    id: 'proxy.buffers',
    sentence: 'it holds answers back until they are whole',
    red: ['era.stream'],
    ...edge(/the head of the answer came with its body/, 'buffer'),
  },
  {
    id: 'proxy.labels-gzip',
    sentence: 'it labels answers as compressed and does not compress them',
    red: ['era.stream'],
    ...edge(/it is no tool result/, 'label-gzip'),
  },
  {
    id: 'proxy.truncates',
    sentence: 'it cuts answers off after 4 KB',
    red: ['era.sameTools', 'era.stream', 'scope.read', 'scope.write-visible', 'scope.write-hidden'],
    ...edge(/11 of the 11 tools are not listed/, 'truncate', 4096),
  },
  {
    id: 'proxy.limits-bodies',
    sentence: 'it takes smaller bodies than the endpoint',
    red: ['proxy.large-body'],
    ...edge(/answered with 413/, 'body-limit', 65_536),
  },
  {
    id: 'proxy.strips-challenge',
    sentence: 'it removes WWW-Authenticate from answers',
    red: [
      'token.missing',
      'token.malformed',
      'token.expired',
      'token.wrong-audience',
      'token.revoked',
      'token.near-audience',
      'token.audience-list',
      'token.forged-key',
      'token.alg-none',
      'token.alg-confusion',
      'token.other-issuer',
      'token.jku',
      'token.jwk',
      'scope.read-required',
      'scope.write-denied',
    ],
    ...edge(/resource_metadata names another address/, 'strip-challenge'),
  },
  {
    id: 'proxy.strips-retry-after',
    sentence: 'it removes Retry-After from answers',
    red: ['limit.burst'],
    ...edge(/without Retry-After/, 'strip-retry-after'),
  },
  {
    id: 'proxy.swallows-429',
    sentence: 'it turns 429 into 401',
    red: ['limit.burst'],
    ...edge(/all let through/, 'swallow-429'),
  },
  {
    id: 'proxy.own-request-ids',
    sentence: 'it replaces the request ids that come with its own',
    red: ['audit.refusals', 'audit.success'],
    ...edge(/malformed: no row/, 'new-request-id'),
  },
  {
    id: 'proxy.drops-request-ids',
    sentence: 'it removes X-Request-Id from requests',
    red: ['audit.refusals', 'audit.success'],
    ...edge(/malformed: no row/, 'strip-header', 'X-Request-Id'),
  },
  {
    id: 'proxy.rewrites-host',
    sentence: 'it names the upstream in the Host header',
    red: ['target.answers'],
    ...edge(/it answers 4\d\d/, 'set-header', 'Host: backend.gatehouse.example'),
  },
  {
    id: 'proxy.adds-a-path',
    sentence: 'it puts a path in front of /mcp',
    red: ['target.answers', 'metadata.path'],
    ...edge(/it answers 404/, 'rewrite-path', '/mcp => /app/mcp'),
  },
  {
    id: 'proxy.loses-the-path',
    sentence: 'it passes /mcp on as /',
    red: ['target.answers'],
    ...edge(/it answers 404/, 'rewrite-path', '/mcp => /'),
  },
  {
    id: 'proxy.caches-answers',
    sentence: 'it answers a body it has seen from its cache, whoever asks',
    red: ['scope.write-hidden', 'scope.read-required', 'error.mismatch', 'limit.burst', 'audit.success'],
    ...edge(/set_device_note is listed/, 'cache-answers'),
  },
  {
    id: 'proxy.opens-to-pages',
    sentence: 'it adds Access-Control-Allow-Origin: * to every answer',
    red: ['proxy.pages'],
    ...edge(/pages of another origin/, 'set-answer-header', 'Access-Control-Allow-Origin: *'),
  },
  {
    id: 'proxy.answers-preflights',
    sentence: 'it answers OPTIONS itself, and lets pages of every origin in',
    red: ['proxy.pages'],
    ...edge(/pages of another origin/, 'answer-preflight'),
  },
  {
    id: 'proxy.drops-origin',
    sentence: 'it drops the Origin header, so that the endpoint cannot refuse pages',
    red: ['proxy.pages'],
    ...edge(/answered with 401/, 'strip-header', 'Origin'),
  },
  {
    id: 'proxy.own-error-pages',
    sentence: 'it replaces errors of the endpoint with its own pages',
    red: ['target.answers'],
    ...edge(/the answer is no JSON/, 'error-pages'),
  },
  {
    id: 'proxy.own-page-for-400',
    sentence: 'it replaces 400 with its own page',
    red: ['error.mismatch', 'error.unsupported'],
    ...edge(/the code is not -32020/, 'error-pages', 400),
  },
  {
    id: 'proxy.bad-gateway',
    sentence: 'it does not reach the endpoint',
    red: ['target.answers', 'metadata.root', 'metadata.path', 'proxy.paths'],
    ...edge(/it answers 502/, 'bad-gateway'),
  },
  {
    id: 'proxy.redirects',
    sentence: 'it redirects every request to another host',
    red: ['target.answers', 'metadata.root', 'metadata.path', 'proxy.paths'],
    ...edge(/it answers 302/, 'redirect-to-other-host'),
  },
  {
    id: 'proxy.asks-for-password',
    sentence: 'it asks for a password of its own, as a staging site does',
    red: ['target.answers', 'metadata.root', 'metadata.path', 'proxy.paths'],
    ...edge(/the answer is no JSON/, 'ask-for-password'),
  },
  {
    id: 'proxy.without-metadata-root',
    sentence: 'it does not pass the root path of the metadata',
    red: ['metadata.root'],
    ...edge(/it answers 404/, 'drop-metadata-root'),
  },
  {
    id: 'proxy.without-metadata-path',
    sentence: 'it does not pass the path form of the metadata',
    red: ['metadata.path'],
    ...edge(/it answers 404/, 'drop-metadata-path'),
  },
  {
    id: 'proxy.metadata-as-page',
    sentence: 'it serves its own page under the metadata paths',
    red: ['metadata.root', 'metadata.path'],
    ...edge(/it is not application\/json/, 'html-metadata'),
  },
  {
    id: 'proxy.serves-the-hub',
    sentence: 'it passes every other path on to the hub',
    red: ['proxy.paths'],
    make: ({ edge, hub }) => edge.setUpstreams({ ...edge.upstreams, '/': hub.url }),
    because: /\/healthz is answered with 200/,
  },
  {
    id: 'proxy.serves-plain-http',
    sentence: 'it serves the endpoint without TLS on another port',
    red: ['proxy.plain-http'],
    make: async (stage, after) => {
      const upstream = stage.edge.upstreams['/mcp'];
      const server = http.createServer((request, response) => {
        const onward = http.request(
          {
            host: upstream?.hostname,
            port: upstream?.port,
            method: request.method,
            path: request.url,
            headers: request.headers,
          },
          (answer) => {
            response.writeHead(answer.statusCode ?? 502, answer.headers);
            answer.pipe(response);
          },
        );
        request.pipe(onward);
      });
      const address = await listen(server);
      after.defer(() => close(server));
      stage.set({ MCP_GATE_HTTP_PORT: address.slice(address.lastIndexOf(':') + 1) });
    },
    because: /answered with 401 without TLS/,
  },
  {
    id: 'proxy.other-certificate',
    sentence: 'it presents the certificate of another name',
    red: ['target.certificate'],
    ...edge(/it is for another name/, 'wrong-certificate'),
  },
  {
    id: 'proxy.expired-certificate',
    sentence: 'its certificate expired yesterday',
    red: ['target.certificate'],
    ...certificate(/it has expired/, { validFromMs: -48 * hourMs, validToMs: -24 * hourMs }),
  },
  {
    id: 'proxy.certificate-ends-today',
    sentence: 'its certificate expires within hours',
    red: ['target.certificate'],
    ...certificate(/it expires within 24 hours/, {
      validFromMs: -hourMs,
      validToMs: 2 * hourMs,
    }),
  },
  {
    id: 'proxy.early-certificate',
    sentence: 'its certificate is not valid yet',
    red: ['target.certificate'],
    ...certificate(/it is not valid yet/, { validFromMs: hourMs, validToMs: 48 * hourMs }),
  },
  {
    id: 'proxy.self-signed',
    sentence: 'its certificate is signed by its own key',
    red: ['target.certificate'],
    make: async ({ edge }) => edge.setCertificate(await createSelfSigned([stagedName])),
    because: /no CA that is trusted here/,
  },
  {
    id: 'proxy.unknown-ca',
    sentence: 'its certificate is issued by a CA that nobody trusts',
    red: ['target.certificate'],
    make: async ({ edge }) => {
      const stranger = await createAuthority('Another CA');
      edge.setCertificate(await stranger.issue([stagedName]));
    },
    because: /no CA that is trusted here/,
  },
];

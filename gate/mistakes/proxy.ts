// Mistakes of the TLS proxy in front of the endpoint.
import type { Mistake } from './mistake.ts';

const everyModern = ['era.modern', 'scope.read', 'scope.write-visible', 'scope.write-hidden'];

/** What tool calls are needed for. */
const everyLimit = ['limit.concurrency', 'limit.subject', 'limit.client', 'limit.global'];

export const proxyMistakes: readonly Mistake[] = [
  {
    id: 'proxy.drops-mcp-method',
    sentence: 'it drops the Mcp-Method header',
    red: ['error.mismatch', 'error.unsupported', ...everyModern, ...everyLimit],
  },
  {
    id: 'proxy.drops-mcp-name',
    sentence: 'it drops the Mcp-Name header',
    red: ['error.mismatch', 'error.unsupported', 'scope.read', ...everyLimit],
  },
  {
    id: 'proxy.drops-protocol-version',
    sentence: 'it drops the MCP-Protocol-Version header',
    red: ['error.mismatch', 'error.unsupported', ...everyModern, ...everyLimit],
  },
  {
    id: 'proxy.repairs-mcp-method',
    sentence: 'it sets Mcp-Method to what the body says',
    red: ['error.mismatch'],
  },
  {
    id: 'proxy.repairs-mcp-name',
    sentence: 'it sets Mcp-Name to what the body says',
    red: ['error.mismatch'],
  },
  {
    id: 'proxy.repairs-protocol-version',
    sentence: 'it sets MCP-Protocol-Version to what the body says',
    red: ['error.mismatch'],
  },
  {
    id: 'proxy.buffers',
    sentence: 'it holds answers back until they are whole',
    red: ['era.stream'],
  },
  {
    id: 'proxy.labels-gzip',
    sentence: 'it labels answers as compressed and does not compress them',
    red: ['era.stream'],
  },
  {
    id: 'proxy.truncates',
    sentence: 'it cuts answers off after 4 KB',
    red: ['era.sameTools', 'era.stream', 'scope.read', 'scope.write-visible', 'scope.write-hidden'],
  },
  {
    id: 'proxy.limits-bodies',
    sentence: 'it takes smaller bodies than the endpoint',
    red: ['proxy.large-body'],
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
  },
  {
    id: 'proxy.strips-retry-after',
    sentence: 'it removes Retry-After from answers',
    red: ['limit.burst'],
  },
  {
    id: 'proxy.swallows-429',
    sentence: 'it turns 429 into 401',
    red: ['limit.burst'],
  },
  {
    id: 'proxy.own-request-ids',
    sentence: 'it replaces the request ids that come with its own',
    red: ['audit.refusals', 'audit.success'],
  },
  {
    id: 'proxy.drops-request-ids',
    sentence: 'it removes X-Request-Id from requests',
    red: ['audit.refusals', 'audit.success'],
  },
  {
    id: 'proxy.rewrites-host',
    sentence: 'it names the upstream in the Host header',
    red: ['target.answers'],
  },
  {
    id: 'proxy.adds-a-path',
    sentence: 'it puts a path in front of /mcp',
    red: ['target.answers', 'metadata.path'],
  },
  {
    id: 'proxy.loses-the-path',
    sentence: 'it passes /mcp on as /',
    red: ['target.answers'],
  },
  {
    id: 'proxy.caches-answers',
    sentence: 'it answers a body it has seen from its cache, whoever asks',
    red: ['scope.write-hidden', 'scope.read-required', 'error.mismatch', 'limit.burst', 'audit.success'],
  },
  {
    id: 'proxy.opens-to-pages',
    sentence: 'it adds Access-Control-Allow-Origin: * to every answer',
    red: ['proxy.pages'],
  },
  {
    id: 'proxy.answers-preflights',
    sentence: 'it answers OPTIONS itself, and lets pages of every origin in',
    red: ['proxy.pages'],
  },
  {
    id: 'proxy.drops-origin',
    sentence: 'it drops the Origin header, so that the endpoint cannot refuse pages',
    red: ['proxy.pages'],
  },
  {
    id: 'proxy.own-error-pages',
    sentence: 'it replaces errors of the endpoint with its own pages',
    red: ['target.answers'],
  },
  {
    id: 'proxy.own-page-for-400',
    sentence: 'it replaces 400 with its own page',
    red: ['error.mismatch', 'error.unsupported'],
  },
  {
    id: 'proxy.bad-gateway',
    sentence: 'it does not reach the endpoint',
    red: ['target.answers', 'metadata.root', 'metadata.path', 'proxy.paths'],
  },
  {
    id: 'proxy.redirects',
    sentence: 'it redirects every request to another host',
    red: ['target.answers', 'metadata.root', 'metadata.path', 'proxy.paths'],
  },
  {
    id: 'proxy.asks-for-password',
    sentence: 'it asks for a password of its own, as a staging site does',
    red: ['target.answers', 'metadata.root', 'metadata.path', 'proxy.paths'],
  },
  {
    id: 'proxy.without-metadata-root',
    sentence: 'it does not pass the root path of the metadata',
    red: ['metadata.root'],
  },
  {
    id: 'proxy.without-metadata-path',
    sentence: 'it does not pass the path form of the metadata',
    red: ['metadata.path'],
  },
  {
    id: 'proxy.metadata-as-page',
    sentence: 'it serves its own page under the metadata paths',
    red: ['metadata.root', 'metadata.path'],
  },
  {
    id: 'proxy.serves-the-hub',
    sentence: 'it passes every other path on to the hub',
    red: ['proxy.paths'],
  },
  {
    id: 'proxy.serves-plain-http',
    sentence: 'it serves the endpoint without TLS on another port',
    red: ['proxy.plain-http'],
  },
  {
    id: 'proxy.other-certificate',
    sentence: 'it presents the certificate of another name',
    red: ['target.certificate'],
  },
  {
    id: 'proxy.expired-certificate',
    sentence: 'its certificate expired yesterday',
    red: ['target.certificate'],
  },
  {
    id: 'proxy.certificate-ends-today',
    sentence: 'its certificate expires within hours',
    red: ['target.certificate'],
  },
  {
    id: 'proxy.early-certificate',
    sentence: 'its certificate is not valid yet',
    red: ['target.certificate'],
  },
  {
    id: 'proxy.self-signed',
    sentence: 'its certificate is signed by its own key',
    red: ['target.certificate'],
  },
  {
    id: 'proxy.unknown-ca',
    sentence: 'its certificate is issued by a CA that nobody trusts',
    red: ['target.certificate'],
  },
];

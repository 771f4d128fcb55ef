// How the mistakes of gate/mistakes/proxy.ts are made on the stage.
import http from 'node:http';
import { close, listen } from '#kernel/http/listening.ts';
import type { EdgeFault } from '#simulators/edge/faults.ts';
import { createAuthority, createSelfSigned } from '#simulators/support/certificates.ts';
import { stagedName } from '../../../scripts/stage.ts';
import type { Made } from './made.ts';

const hourMs = 3_600_000;

const edge = (because: RegExp, fault: EdgeFault, value?: string | number): Made => ({
  make: (stage) => stage.edge.control.fail(fault, value === undefined ? {} : { value }),
  because,
});

const certificate = (because: RegExp, validity: { validFromMs: number; validToMs: number }): Made => ({
  make: async ({ edge: { control }, authority }) =>
    control.setCertificate(await authority.issue([stagedName], validity)),
  because,
});

export const proxyMade: Readonly<Record<string, Made>> = {
  'proxy.drops-mcp-method': edge(/right headers is answered with 400/, 'strip-header', 'Mcp-Method'),
  'proxy.drops-mcp-name': edge(/right headers is answered with 400/, 'strip-header', 'Mcp-Name'),
  'proxy.drops-protocol-version': edge(/right headers is answered with 400/, 'strip-header', 'MCP-Protocol-Version'),
  'proxy.repairs-mcp-method': edge(/Mcp-Method: it answers 200/, 'repair-header', 'Mcp-Method'),
  'proxy.repairs-mcp-name': edge(/Mcp-Name: it answers 200/, 'repair-header', 'Mcp-Name'),
  'proxy.repairs-protocol-version': edge(
    /MCP-Protocol-Version: it answers 200/,
    'repair-header',
    'MCP-Protocol-Version',
  ),
  'proxy.buffers': edge(/the head of the answer came with its body/, 'buffer'),
  'proxy.labels-gzip': edge(/it is no tool result/, 'label-gzip'),
  'proxy.truncates': edge(/11 of the 11 tools are not listed/, 'truncate', 4096),
  'proxy.limits-bodies': edge(/answered with 413/, 'body-limit', 65_536),
  'proxy.strips-challenge': edge(/resource_metadata names another address/, 'strip-challenge'),
  'proxy.strips-retry-after': edge(/without Retry-After/, 'strip-retry-after'),
  'proxy.swallows-429': edge(/all let through/, 'swallow-429'),
  'proxy.own-request-ids': edge(/malformed: no row/, 'new-request-id'),
  'proxy.drops-request-ids': edge(/malformed: no row/, 'strip-header', 'X-Request-Id'),
  'proxy.rewrites-host': edge(/it answers 4\d\d/, 'set-header', 'Host: backend.gatehouse.example'),
  'proxy.adds-a-path': edge(/it answers 404/, 'rewrite-path', '/mcp => /app/mcp'),
  'proxy.loses-the-path': edge(/it answers 404/, 'rewrite-path', '/mcp => /'),
  'proxy.caches-answers': edge(/set_device_note is listed/, 'cache-answers'),
  'proxy.opens-to-pages': edge(/pages of another origin/, 'set-answer-header', 'Access-Control-Allow-Origin: *'),
  'proxy.answers-preflights': edge(/pages of another origin/, 'answer-preflight'),
  'proxy.drops-origin': edge(/answered with 401/, 'strip-header', 'Origin'),
  'proxy.own-error-pages': edge(/the answer is no JSON/, 'error-pages'),
  'proxy.own-page-for-400': edge(/the code is not -32020/, 'error-pages', 400),
  'proxy.bad-gateway': edge(/it answers 502/, 'bad-gateway'),
  'proxy.redirects': edge(/it answers 302/, 'redirect-to-other-host'),
  'proxy.asks-for-password': edge(/the answer is no JSON/, 'ask-for-password'),
  'proxy.without-metadata-root': edge(/it answers 404/, 'drop-metadata-root'),
  'proxy.without-metadata-path': edge(/it answers 404/, 'drop-metadata-path'),
  'proxy.metadata-as-page': edge(/it is not application\/json/, 'html-metadata'),
  'proxy.serves-the-hub': {
    make: ({ edge: { control }, hub }) => control.setUpstreams({ ...control.upstreams, '/': hub.url }),
    because: /\/healthz is answered with 200/,
  },
  'proxy.serves-plain-http': {
    make: async (stage, after) => {
      const upstream = stage.edge.control.upstreams['/mcp'];
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
  'proxy.other-certificate': edge(/it is for another name/, 'wrong-certificate'),
  'proxy.expired-certificate': certificate(/it has expired/, { validFromMs: -48 * hourMs, validToMs: -24 * hourMs }),
  'proxy.certificate-ends-today': certificate(/it expires within 24 hours/, {
    validFromMs: -hourMs,
    validToMs: 2 * hourMs,
  }),
  'proxy.early-certificate': certificate(/it is not valid yet/, { validFromMs: hourMs, validToMs: 48 * hourMs }),
  'proxy.self-signed': {
    make: async ({ edge: { control } }) => control.setCertificate(await createSelfSigned([stagedName])),
    because: /no CA that is trusted here/,
  },
  'proxy.unknown-ca': {
    make: async ({ edge: { control } }) => {
      const stranger = await createAuthority('Another CA');
      control.setCertificate(await stranger.issue([stagedName]));
    },
    because: /no CA that is trusted here/,
  },
};

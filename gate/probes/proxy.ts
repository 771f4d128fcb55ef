// Checks the proxy: it must serve only the endpoint, refuse foreign origins, and accept bodies that the endpoint
// accepts.
import { type Check, fail, pass, passUnless } from '../check.ts';
import { toMembers } from '../json.ts';
import { legacy, modern } from '../mcp-messages.ts';
import { createHttp } from '../target.ts';
import { getHeader } from './answer-headers.ts';
import type { ProbeContext } from './context.ts';

const otherPaths = ['/healthz', '/readyz', '/api/routers'];
/** Any page that is not of the endpoint. */
const origin = 'https://elsewhere.example';
/** Below MCP_MAX_BODY, 256 KiB unless set lower: then the endpoint itself says so. */
const bodyBytes = 250 * 1024;
/** A port that takes no connection by then is closed. */
const plainMs = 3000;

const paths: Check<ProbeContext> = {
  id: 'proxy.paths',
  asks: 'nothing of the hub is served under the canonical name',
  category: 'tlsAndMetadata',
  needs: ['target.certificate'],
  remedy: 'let the proxy pass /mcp and the two metadata paths, and answer 404 to everything else',
  async judge({ everywhere }) {
    const found = await Promise.all(otherPaths.map((path) => everywhere('other-path', path)));
    return passUnless(
      found.flatMap((answers, index) =>
        answers
          .filter(({ status }) => ![400, 403, 404, 410, 421].includes(status))
          .map(({ status }) => `${otherPaths[index]} is answered with ${status}, not 404`),
      ),
    );
  },
};

const pages: Check<ProbeContext> = {
  id: 'proxy.pages',
  asks: 'a page of another origin is refused with 403, and no browser is told that it may call the endpoint',
  category: 'tokenRejection',
  needs: ['target.answers'],
  remedy: 'let the proxy pass Origin and OPTIONS, and set no Access-Control headers for /mcp',
  async judge({ mcp }) {
    const headers = {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    };
    const preflight = await mcp('preflight', { method: 'OPTIONS', headers });
    const ask = modern('tools/list');
    const call = await mcp('foreign-page', { ...ask, headers: { ...ask.headers, origin } });
    const isOpen = [preflight, call].some((answer) => getHeader(answer, 'access-control-allow-origin') !== '');
    return passUnless([
      ...(isOpen ? ['pages of another origin are let in (Access-Control-Allow-Origin)'] : []),
      ...(call.status === 403 ? [] : [`a call of such a page is answered with ${call.status}`]),
    ]);
  },
};

const largeBody: Check<ProbeContext> = {
  id: 'proxy.large-body',
  asks: 'a body as large as the endpoint takes comes through',
  category: 'tlsAndMetadata',
  needs: ['era.legacy'],
  remedy: 'let the proxy take bodies of 256 KiB (nginx: client_max_body_size 1m)',
  async judge({ config, mcp }) {
    const ask = legacy('tools/list', { _meta: { 'gatehouse.gate/padding': 'x'.repeat(bodyBytes) } });
    const answer = await mcp('large', { ...ask, token: config.MCP_GATE_READ_TOKEN });
    const isOwnLimit = answer.status === 413 && toMembers(answer.json).error === 'payload_too_large';
    return answer.status === 200 || isOwnLimit
      ? pass
      : fail(`a body of ${bodyBytes / 1024} KiB is answered with ${answer.status}`);
  },
};

const plainHttp: Check<ProbeContext> = {
  id: 'proxy.plain-http',
  asks: 'without TLS the endpoint is not served: nothing listens, or it redirects to https, or refuses',
  category: 'tlsAndMetadata',
  needs: ['target.resolves'],
  remedy: 'close the port of plain HTTP (MCP_GATE_HTTP_PORT), or let it redirect to https and do nothing else',
  async judge({ addresses, config }) {
    const { hostname, pathname } = config.MCP_GATE_ENDPOINT.url;
    const url = new URL(`http://${hostname}:${config.MCP_GATE_HTTP_PORT}${pathname}`);
    const timeoutMs = Math.min(config.MCP_GATE_TIMEOUT_MS, plainMs);
    const reasons = await Promise.all(
      (await addresses()).map(async (address) => {
        await using http = createHttp({ timeoutMs }, address);
        try {
          const answer = await http.ask('plain', url, modern('tools/list'));
          const isRedirect = /^30[1278]$/.test(String(answer.status)) && isHttps(getHeader(answer, 'location'));
          const isRefusal = [400, 403, 404, 405, 410, 421, 426].includes(answer.status);
          return isRedirect || isRefusal ? [] : [`${pathname} is answered with ${answer.status} without TLS`];
        } catch {
          // Nothing there, or nothing that speaks HTTP: as it should be.
          return [];
        }
      }),
    );
    return passUnless(reasons.flat());
  },
};

function isHttps(location: string): boolean {
  return URL.parse(location)?.protocol === 'https:';
}

/** Before anything is asked with a token. */
export const proxyChecks: readonly Check<ProbeContext>[] = [paths, plainHttp, pages];
/** After the eras. */
export const proxyBodyChecks: readonly Check<ProbeContext>[] = [largeBody];

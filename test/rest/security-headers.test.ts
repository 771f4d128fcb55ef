// What browsers are told of every kind of answer: what may be loaded, who may frame it, where forms go.
import { expect, test } from 'vitest';
import { raw } from '../support/actors.ts';
import { startMcpLab } from '../support/mcp-lab.ts';
import { startWebLab } from '../support/web-lab.ts';

const ofTheEndpoint = ["default-src 'none'", "frame-ancestors 'none'"];
const ofTheHub = ["frame-ancestors 'none'", "object-src 'none'", "base-uri 'none'", "form-action 'self'"];

const policyOf = (headers: Record<string, unknown>) => String(headers['content-security-policy']).split(/; ?/);

test('the API, the page and the MCP endpoint have a policy without exceptions, and name no framework', async () => {
  await using web = await startWebLab();
  const api = await raw(web.url, { method: 'GET', path: '/api/routers' });
  const page = await raw(web.url, { method: 'GET', path: '/', headers: { accept: 'text/html' } });
  const gone = await raw(web.url, { method: 'GET', path: '/api/no-such' });
  for (const { headers } of [api, page, gone]) {
    expect(policyOf(headers)).toEqual(expect.arrayContaining(ofTheHub));
    expect(headers).not.toHaveProperty('server');
    expect(headers).not.toHaveProperty('x-powered-by');
    // On plain HTTP it would turn every address of the page into one that nobody serves.
    expect(policyOf(headers)).not.toContain('upgrade-insecure-requests');
  }
  await using mcp = await startMcpLab();
  for (const path of ['/mcp', '/elsewhere']) {
    const { headers } = await raw(new URL(mcp.url.origin), { method: 'POST', path, body: '{}' });
    expect(policyOf(headers)).toEqual(expect.arrayContaining(ofTheEndpoint));
    expect(headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'x-content-type-options': 'nosniff' });
  }
});

test('no answer of the hub lets a page of another origin read it, and no TRACE repeats what was sent', async () => {
  await using web = await startWebLab();
  await using mcp = await startMcpLab();
  const asks = {
    origin: 'https://evil.example',
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'x-admin-token',
    'x-marked': 'MARKED0header',
  };
  for (const [url, path] of [
    [web.url, '/api/auth/methods'],
    [web.url, '/'],
    [mcp.url, '/mcp'],
  ] as const) {
    for (const method of ['GET', 'OPTIONS', 'POST', 'TRACE'] as const) {
      const { status, headers, text } = await raw(url, { method, path, headers: asks });
      const said = { method, path, opened: Object.keys(headers).filter((name) => name.startsWith('access-control-')) };
      expect({ ...said, repeats: text.includes('MARKED0header') }).toEqual({
        method,
        path,
        opened: [],
        repeats: false,
      });
      expect(method === 'TRACE' ? status : 400, `${method} ${path}`).toBeGreaterThanOrEqual(400);
    }
  }
});

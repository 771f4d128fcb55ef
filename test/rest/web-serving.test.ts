// How the hub serves the web UI: policy, caching, compression, and words for who takes no HTML.
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { frontRoutes } from '#contract/front.ts';
import { raw } from '../support/actors.ts';
import { startLab } from '../support/lab.ts';
import { startWebLab } from '../support/web-lab.ts';

const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

/** The files that the page names, as paths. */
async function assetsOf(url: URL): Promise<string[]> {
  const { text } = await raw(url, { method: 'GET', path: '/', headers: html });
  return [...text.matchAll(/(?:src|href)="\.(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
}

/** The page at this path: its addresses lead up as many steps as the path is deep. */
const below = (text: string, path: string) => (path.split('/').length > 2 ? text.replaceAll('="./', '="../') : text);

async function bytesOf(url: URL, path: string, encoding: string) {
  const { statusCode, headers, body } = await request(new URL(path, url), { headers: { 'accept-encoding': encoding } });
  return { status: statusCode, headers, bytes: Buffer.from(await body.arrayBuffer()) };
}

test('each place is the same page, with a policy without exceptions, and asked for again each time', async () => {
  await using lab = await startWebLab();
  const pages = await Promise.all(
    Object.values(frontRoutes).map(({ path }) => raw(lab.url, { method: 'GET', path, headers: html })),
  );
  for (const [index, { path }] of Object.values(frontRoutes).entries()) {
    const { status = 0, headers = {}, text = '' } = pages[index] ?? {};
    expect({ status, text }).toEqual({ status: 200, text: below(pages[0]?.text ?? '', path) });
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'x-frame-options': 'DENY',
    });
    const policy = String(headers['content-security-policy']).split('; ');
    expect(policy).toEqual(expect.arrayContaining(["default-src 'none'", "script-src 'self'", "style-src 'self'"]));
    expect(policy).toEqual(
      expect.arrayContaining(["require-trusted-types-for 'script'", 'trusted-types gatehouse-worker']),
    );
    expect(policy.join()).not.toMatch(/unsafe|\*|https?:/);
    expect(String(headers.vary)).toMatch(/\baccept\b(?!-)/i);
  }
  const path = '/connections?fOrg=Cloud+One&fOrgMode=exact&open=192.0.2.1%2C198.51.100.7%2C443%2CTCP&more=1&more=2';
  expect(await raw(lab.url, { method: 'GET', path, headers: html })).toMatchObject({
    status: 200,
    text: pages[0]?.text,
  });
  const head = await raw(lab.url, { method: 'HEAD', path: '/connections', headers: html });
  expect(head).toMatchObject({ status: 200, text: '', headers: { 'content-type': 'text/html; charset=utf-8' } });
  const post = await raw(lab.url, { method: 'POST', path: '/connections', headers: html });
  expect(post).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
});

test('a slash at the end of a place is taken away, below any path of a proxy, and the view stays', async () => {
  await using lab = await startWebLab();
  for (const { path } of Object.values(frontRoutes).filter(({ path: one }) => one !== '/')) {
    const to = `../${path.split('/').at(-1)}`;
    for (const query of ['', '?fOrg=Cloud+One&open=192.0.2.1%2C198.51.100.7%2C443%2CTCP&to=//elsewhere.example']) {
      for (const method of ['GET', 'HEAD'] as const) {
        const { status, headers, text } = await raw(lab.url, { method, path: `${path}/${query}`, headers: html });
        expect({ status, text, to: headers.location }).toEqual({ status: 308, text: '', to: `${to}${query}` });
        expect(headers['cache-control']).toBe('no-store');
        const proxied = new URL(String(headers.location), `https://proxy.example/monitor${path}/${query}`);
        expect(proxied.href).toBe(`https://proxy.example/monitor${path}${query}`);
      }
    }
  }
  expect(await raw(lab.url, { method: 'GET', path: '/?a=/', headers: html })).toMatchObject({ status: 200 });
});

test('assets never change: cached for a year, compressed ahead where that is taken, the same in every form', async () => {
  await using lab = await startWebLab();
  const paths = await assetsOf(lab.url);
  expect(new Set(paths.map((path) => path.replace(/^.*\./, '')))).toEqual(new Set(['css', 'js', 'svg']));
  for (const path of paths) {
    const [plain, gzip, brotli] = await Promise.all(
      ['identity', 'gzip', 'gzip, deflate, br'].map((encoding) => bytesOf(lab.url, path, encoding)),
    );
    for (const answer of [plain, gzip, brotli]) {
      expect(answer).toMatchObject({ status: 200 });
      expect(answer?.headers).toMatchObject({ 'cache-control': 'public, max-age=31536000, immutable' });
      expect(answer?.headers['content-type']).toMatch(
        /^(?:(?:text|application)\/(?:javascript|css); charset=utf-8|image\/svg\+xml)/i,
      );
      expect(answer?.headers['x-content-type-options']).toBe('nosniff');
      expect(String(answer?.headers.vary)).toMatch(/accept-encoding/i);
    }
    expect(plain?.headers['content-encoding']).toBeUndefined();
    expect(gzip?.headers['content-encoding']).toBe('gzip');
    expect(brotli?.headers['content-encoding']).toBe('br');
    expect(gunzipSync(gzip?.bytes ?? '').equals(plain?.bytes ?? Buffer.alloc(0))).toBe(true);
    expect(brotliDecompressSync(brotli?.bytes ?? '').equals(plain?.bytes ?? Buffer.alloc(0))).toBe(true);
    const head = await raw(lab.url, { method: 'HEAD', path });
    expect(head).toMatchObject({ status: 200, text: '', headers: { 'content-length': String(plain?.bytes.length) } });
  }
});

test('an asset that is not there is a 404 that nobody caches; nothing outside of the folder is served', async () => {
  await using lab = await startWebLab();
  for (const path of ['/assets/gone-1a2b3c4d.js', '/assets/', '/assets/..%2findex.html', '/assets/%2e%2e/index.html']) {
    const answer = await raw(lab.url, { method: 'GET', path });
    expect(answer, path).toMatchObject({ headers: { 'cache-control': 'no-store' }, body: { code: 'not_found' } });
    expect(answer.status, path).toBe(404);
  }
  // A URL has no such path: as bytes on the wire it reaches the hub as it is.
  for (const path of [
    '/assets/%2e%2e/%2e%2e/package.json',
    '/assets/%2e%2e/index.html',
    '/assets/../../package.json',
  ]) {
    expect([path, await statusOfBytes(lab.url, path)]).toEqual([path, 404]);
  }
});

async function statusOfBytes({ hostname, port }: URL, path: string) {
  const [answer] = (await once(get({ hostname, port, path }), 'response')) as [IncomingMessage];
  answer.resume();
  return answer.statusCode;
}

test('who takes no HTML gets words; where the pages are not built, everybody does, and how to build them', async () => {
  await using lab = await startWebLab();
  const words = await raw(lab.url, { method: 'GET', path: '/', headers: { accept: '*/*' } });
  expect(words).toMatchObject({ status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' } });
  expect(words.text).toContain('A browser shows it here');
  expect(words.text).not.toContain('npm run build:web');
  await using bare = await startLab();
  const notBuilt = await raw(bare.url, { method: 'GET', path: '/connections', headers: html });
  expect(notBuilt).toMatchObject({ status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' } });
  expect(notBuilt.text).toContain('npm run build:web');
  expect(await raw(bare.url, { method: 'GET', path: '/assets/x.js' })).toMatchObject({ status: 404 });
});

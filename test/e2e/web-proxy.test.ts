// The page below a path of a real nginx, over TLS: assets, the API, live updates, and addresses that hold a view.
import { expect } from 'vitest';
import { freePort } from '#kernel/http/listening.ts';
import { createAuthority } from '#simulators/support/certificates.ts';
import { proxiedName, startNginx } from '../support/nginx.ts';
import { verifies } from '../support/verifies.ts';
import { openPage, startHousehold, withChromiumAnd } from '../support/web-lab.ts';

withChromiumAnd(['nginx-light'], ['nginx'], () => {
  const what = 'below /monitor/ the page works as at the root, also opened at a view, and asks for /monitor/api';
  verifies('rest.service.serves-web-ui rest.service.sub-path', what, async () => {
    const port = await freePort();
    const origin = `https://${proxiedName}:${port}`;
    await using lab = await startHousehold({ publicUrl: new URL(`${origin}/monitor`), trustProxy: ['127.0.0.1'] });
    const certificate = await (await createAuthority()).issue([proxiedName]);
    await using _nginx = await startNginx({
      ...{ port, certificate, mcp: lab.url, hub: lab.url },
      change: {
        '    location / {': '    location /monitor/ {',
        'proxy_pass              http://gatehouse_hub;': 'proxy_pass              http://gatehouse_hub/;',
      },
    });
    await using browser = await openPage(lab, {
      origin,
      ignoreHTTPSErrors: true,
      args: [`--host-resolver-rules=MAP ${proxiedName} 127.0.0.1`],
    });
    const { page } = browser;
    const asked = new Set<string>();
    page.on('request', (request) => void asked.add(new URL(request.url()).pathname));
    await browser.logIn('/monitor/');
    await page.locator('.ranked li').first().waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Connections', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: /^[1-9]\d* connections$/ }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/monitor/connections');
    await page.goto(browser.at('/monitor/connections?fOrg=Cloud+One&fOrgMode=exact'));
    await page.getByRole('button', { name: /^Remove the filter: Organisation is Cloud One/ }).waitFor();
    await page.locator('.log td button').first().click();
    await page.getByRole('dialog', { name: 'Connection' }).locator('dl').waitFor();
    await page.keyboard.press('Escape');
    const [request] = await Promise.all([
      page.waitForRequest(/\/export\?/),
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    expect(request.url()).toMatch(new RegExp(`^${origin}/monitor/api/connections/export\\?`));
    // A worker and a file of outlines are of this hub too.
    await page.goto(browser.at('/monitor/map?view=graph'));
    await page.locator('.graph[aria-busy="false"]').waitFor();
    await page.goto(browser.at('/monitor/map?view=world'));
    await page.getByRole('img', { name: /^A map of the world/ }).waitFor();
    // A page that lies a step deeper, opened at its address and left by a link.
    await page.goto(browser.at('/monitor/devices/192.168.100.33'));
    await page.getByRole('heading', { level: 1, name: '192.168.100.33' }).waitFor();
    await page
      .getByRole('main')
      .getByRole('link', { name: /^Connections: / })
      .click();
    await page.getByRole('heading', { level: 1, name: /^[1-9]\d* connections$/ }).waitFor();
    expect(
      [...asked].filter((path) => /^\/monitor\/devices\/(?!192\.168\.100\.33$|[0-9a-f-]{36}$)/.test(path)),
    ).toEqual([]);
    await page.goto(browser.at('/monitor'));
    await page.getByRole('heading', { level: 1, name: /devices reached/ }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/monitor/');
    expect([...asked].filter((path) => path !== '/monitor' && !path.startsWith('/monitor/'))).toEqual([]);
    expect([...asked]).toContain('/monitor/api/connections/summary');
  });
});

// Routers in the settings of the web UI, in a real browser: from the first start to the first rows, and what comes later.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { RouterSimulator } from '#simulators/router/router.ts';
import { startRouter } from '#simulators/router/start.ts';
import { recordOf, startLab } from '../support/lab.ts';
import { builtWeb } from '../support/web-build.ts';
import { openAt, openPage, startWebLab, withChromium } from '../support/web-lab.ts';

async function typeLogin(page: Page, { url, credentials }: RouterSimulator, password: string): Promise<void> {
  await page.getByLabel('Address of the router').fill(url.hostname);
  await page.getByLabel('SSH port').fill(url.port);
  await page.getByLabel('Login name').fill(credentials.user);
  await page.getByLabel('Password', { exact: true }).fill(password);
}

const testIt = (page: Page) => page.getByRole('button', { name: 'Test the connection' }).click();
const grouped = (fingerprint: string) => fingerprint.match(/.{1,8}/g)?.join('') ?? '';

withChromium(() => {
  test('first start: a wrong password in words, then the router, its key pinned, and its rows', async () => {
    await using lab = await startWebLab();
    await using router = await startRouter('vendor_a', { sessions: 30 });
    await using browser = await openPage(lab);
    const { page } = browser;
    await browser.logIn();
    await page.getByRole('heading', { name: 'Gatehouse is ready. Now add a router.' }).waitFor();
    await page.getByRole('link', { name: 'Add a router' }).click();
    expect(page.url()).toBe(browser.at('/settings?section=routers&add=1'));
    await page.getByRole('radio', { name: 'Cisco IOS' }).check();
    await page.getByText('crypto key generate rsa').waitFor();
    await page.getByRole('radio', { name: 'Yamaha RTX' }).check();
    await page.getByText('sshd service on').waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await typeLogin(page, router, 'not the password');
    await page.getByLabel('Name', { exact: true }).fill('Attic');
    await browser.expecting(/502/, async () => {
      await testIt(page);
      const alert = page.getByRole('alert');
      await alert.getByText('The router refused the login name or the password.').waitFor();
      await expect.poll(() => alert.getByText(router.url.hostname).count()).toBeGreaterThan(0);
      // Nothing is saved, so nothing waits to be corrected.
      expect(await alert.textContent()).not.toContain('tried again');
    });
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('not the password');
    expect((await lab.as.admin.routers.list({})).routers).toEqual([]);
    await typeLogin(page, router, router.credentials.password);
    await testIt(page);
    await page.getByText('The router answered.').waitFor();
    expect(await page.locator('.fingerprint').textContent()).toBe(grouped(router.hostKey));
    await page.getByText('30 sessions').waitFor();
    await page.getByRole('button', { name: 'Save this router' }).click();
    await page.getByRole('heading', { name: 'Attic was added.' }).waitFor();
    await lab.settled();
    const { routers } = await lab.as.admin.routers.list({});
    const nat = String(router.settings.natDescriptor);
    expect(routers).toMatchObject([{ displayName: 'Attic', nat, hostKeyPinned: true, state: 'ready' }]);
    const { total } = await lab.as.admin.connections.list({ query: {} });
    await page.getByRole('link', { name: `${total} connections recorded in the period shown above` }).click();
    await page.getByRole('heading', { name: `${total} connections` }).waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('region', { name: 'Collection' }).getByText('Attic').waitFor();
  });

  test('a device that took the address between test and saving is refused by its key', async () => {
    await using lab = await startWebLab();
    await using router = await startRouter('vendor_a');
    await using browser = await openPage(lab);
    const { page } = browser;
    await browser.logIn('/settings?section=routers&add=1');
    await page.getByRole('button', { name: 'Next' }).click();
    await typeLogin(page, router, router.credentials.password);
    await testIt(page);
    await page.getByText('The router answered.').waitFor();
    await router.rotateHostKey();
    await page.getByRole('button', { name: 'Save this router' }).click();
    await page.getByText(/^Needs attention: The host key of /).waitFor();
    await lab.settled();
    expect((await lab.as.admin.routers.list({})).routers).toMatchObject([{ failure: 'host_key_changed' }]);
  });

  test('a second router counts its own rows, not those of the first', async () => {
    const home = { kind: 'vendor_b', sessions: 5 } as const;
    await using lab = await startLab({ routers: { home }, hub: { webFolder: builtWeb() } });
    await lab.poll();
    await using router = await startRouter('vendor_a', { sessions: 3 });
    await using browser = await openPage(lab);
    const { page } = browser;
    await browser.logIn('/settings?section=routers&add=1');
    await page.getByRole('button', { name: 'Next' }).click();
    await typeLogin(page, router, router.credentials.password);
    await testIt(page);
    await page.getByRole('button', { name: 'Save this router' }).click();
    const link = page.getByRole('link', { name: /recorded in the period/ });
    expect(await link.textContent()).toBe('3 connections recorded in the period shown above');
    await link.click();
    await page.getByRole('heading', { level: 1, name: '3 connections' }).waitFor();
  });

  test('the rows of the first poll appear on an overview that was open already', async () => {
    await using site = await openAt(
      startLab({
        routers: { home: { kind: 'vendor_b', sessions: 0 } },
        hub: { webFolder: builtWeb() },
      }),
      '/',
    );
    const { lab, page } = site;
    await page.getByRole('heading', { name: 'No connection was recorded in this period.' }).waitFor();
    lab.routers.home.flow({ src: '192.168.100.31', dst: '198.51.100.7', dport: 443, proto: 'tcp' });
    await lab.poll();
    await page.getByRole('heading', { name: /^1 device reached 1 destination/ }).waitFor();
  });

  test('a changed host key shows both fingerprints, and is accepted', async () => {
    await using lab = await startLab({ routers: { home: 'vendor_b' }, hub: { webFolder: builtWeb() } });
    const known = lab.routers.home.hostKey;
    const presented = await lab.routers.home.rotateHostKey();
    await lab.poll();
    await using browser = await openPage(lab);
    const { page } = browser;
    await browser.logIn('/settings?section=routers');
    await page.getByText('The host key has changed').waitFor();
    await expect
      .poll(() => page.locator('.fingerprint').allTextContents())
      .toEqual([grouped(known), grouped(presented)]);
    await page.getByRole('button', { name: 'Accept the new key' }).click();
    await page.getByText('Connected', { exact: true }).waitFor();
    expect((await lab.as.admin.routers.list({})).routers).toMatchObject([{ state: 'ready', hostKeyChange: null }]);
  });

  test('in Japanese, what the hub says of a router is Japanese: a note, and a failure that waits for an edit', async () => {
    const row = 'TCP 192.168.100.2.5000-5010 *.*.*.*.* 5000-5010 static';
    await using lab = await startWebLab();
    await using noted = await startRouter('vendor_a', {
      clock: lab.clock,
      replay: { nat: Buffer.from(`Reference Descriptor : 1000, Assigned Interface : LAN2(1)\r\n${row}\r\n`) },
    });
    await using refusing = await startRouter('vendor_b', { clock: lab.clock });
    const { routers } = lab.as.admin;
    await routers.create({ body: recordOf(noted, 'noted') });
    await routers.create({ body: recordOf(refusing, 'refusing', { pass: 'not the password' }) });
    await lab.settled();
    await using browser = await openPage(lab);
    const { page } = browser;
    await browser.logIn();
    await page.evaluate("localStorage.setItem('gatehouse.language', 'ja')");
    await page.goto(browser.at('/settings?section=routers'));
    await page.getByText('NAT テーブルの 1 行は、対応していない形式').waitFor();
    const waits = /^ログイン名またはパスワードが拒否されました。.*再試行しません。$/;
    await page.getByText(waits).waitFor();
    await page.goto(browser.at('/'));
    await page.getByText(waits).waitFor();
  });

  test('edit says what was refused and what was saved; switch off and on; removal asks first', async () => {
    await using site = await openAt(startLab({ routers: { home: 'vendor_a' }, hub: { webFolder: builtWeb() } }), null);
    const { lab, browser, page } = site;
    const stored = async () => (await lab.as.admin.routers.list({})).routers[0];
    await browser.logIn('/settings?section=routers');
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Cellar');
    await page.getByLabel('SSH port').fill('2222');
    await browser.expecting(/400/, async () => {
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('pass must be given again').waitFor();
    });
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Cellar');
    await page.getByLabel('SSH port').fill(lab.routers.home.url.port);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect(await stored()).toMatchObject({ displayName: 'Cellar', enabled: true, passSet: true });
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByRole('button', { name: 'Switch off' }).click();
    await page.getByRole('button', { name: 'Switch on' }).waitFor();
    expect(await stored()).toMatchObject({ enabled: false });
    const remove = page.getByRole('button', { name: 'Remove' });
    await remove.click();
    const dialog = page.getByRole('dialog', { name: 'Remove Cellar?' });
    await dialog.getByText('Its connections are kept').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    const focused = () => page.evaluate('document.activeElement.textContent');
    expect(await focused()).toBe('Remove');
    await remove.click();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await focused()).toBe('Remove');
    expect(await stored()).toBeDefined();
    await remove.click();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No router is set up.').waitFor();
    expect(await stored()).toBeUndefined();
  });
});

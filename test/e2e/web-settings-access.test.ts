// Who may do what, in the settings of the web UI in a real browser: Agents, sessions, password, API identities, the issuer.
import { request } from 'undici';
import { expect, test } from 'vitest';
import { openAt, openPage, startWebLab, withChromium } from '../support/web-lab.ts';

const firefox = 'Mozilla/5.0 (Android 16; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0';
const machine = { hostName: 'kitchen-pc', platform: 'linux', osVersion: '6.12', agentVersion: '1.0.0' } as const;

withChromium(() => {
  test('an Agent: a code shown once, its request as a claim, approved, revoked after a question', async () => {
    await using site = await openAt(startWebLab(), null);
    const { lab, browser, page } = site;
    const { agents } = lab.as.admin;
    await browser.logIn('/settings?section=agents');
    await page.getByText('No pending requests.').waitFor();
    await page.getByRole('button', { name: 'Make a code' }).click();
    const code = await page.getByLabel('Code', { exact: true }).inputValue();
    expect(code).toMatch(/^[0-9A-Za-z]{6}$/);
    expect(await page.getByLabel('Run this on the machine').inputValue()).toBe(
      `gatehouse agent enroll --hub ${lab.url.origin} --code ${code}`,
    );
    await page.getByText('valid for another 10 min').waitFor();
    const { requestId, claimSecret } = await agents.enroll({ body: { code, agent: machine } });
    await page.getByRole('heading', { name: 'claims to be kitchen-pc' }).waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('kitchen-pc was approved.').waitFor();
    await page.getByText('No pending requests.').waitFor();
    expect(await agents.claim({ body: { requestId, claimSecret } })).toMatchObject({ status: 'approved' });
    await page.getByRole('heading', { name: 'kitchen-pc', exact: true }).waitFor();
    const states = async () => (await agents.list({})).agents.map(({ revokedAt }) => revokedAt !== null);
    expect(await states()).toEqual([false]);
    await page.getByRole('button', { name: 'Revoke' }).click();
    const dialog = page.getByRole('dialog', { name: 'Revoke the Agent of kitchen-pc?' });
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText(/^Revoked /).waitFor();
    expect(await states()).toEqual([true]);
  });

  test('sessions: another one is ended, and the password is changed; two that differ are refused', async () => {
    await using site = await openAt(startWebLab(), null);
    const { lab, browser, page } = site;
    const logIn = (password: string) =>
      request(new URL('/api/auth/login', lab.url), {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': firefox },
        body: JSON.stringify({ password, deviceLabel: 'old tablet' }),
      }).then(async ({ statusCode, body }) => {
        await body.dump();
        return statusCode;
      });
    expect(await logIn(lab.password)).toBe(200);
    await browser.logIn('/settings?section=sign-in');
    await page.getByText('Firefox · Android · 127.0.0.1').waitFor();
    await page.getByText('Chrome · Linux · 127.0.0.1').waitFor();
    const account = page.locator('details.account');
    await account.locator('summary').click();
    await account.getByText('Logged in with the password').waitFor();
    await account.getByText('Administrator').waitFor();
    await account.getByText(/^Valid until /).waitFor();
    await account.locator('summary').click();
    await page.getByRole('button', { name: 'Revoke: old tablet' }).click();
    await page.getByText('old tablet').waitFor({ state: 'detached' });
    expect((await lab.as.admin.auth.sessions({})).sessions).toHaveLength(1);
    const fresh = 'four words are long enough';
    await page.getByLabel('Current password').fill(lab.password);
    await page.getByLabel('New password', { exact: true }).fill(fresh);
    await page.getByLabel('New password again').fill('something else');
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByText('The two new passwords are different').waitFor();
    expect(await page.getByLabel('New password', { exact: true }).inputValue()).toBe(fresh);
    await page.getByLabel('New password again').fill(fresh);
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByText('The password was changed.').waitFor();
    expect(await page.getByLabel('New password', { exact: true }).inputValue()).toBe('');
    expect([await logIn(lab.password), await logIn(fresh)]).toEqual([401, 200]);
  });

  test('an API identity: its token is shown once and works, until it is revoked', async () => {
    await using site = await openAt(startWebLab(), '/settings?section=sign-in');
    const { lab, page } = site;
    const card = page.getByRole('region', { name: 'API identities' });
    await card.getByText(`Prometheus reads the state of the hub at ${new URL('/metrics', lab.url)}`).waitFor();
    await card.getByLabel('What it is for').fill('kitchen display');
    await card.getByLabel('Read connections, devices and states').uncheck();
    await card.getByRole('button', { name: 'Make an identity' }).click();
    await card.getByText('Choose at least one permission.').waitFor();
    expect(await card.getByLabel('What it is for').inputValue()).toBe('kitchen display');
    await card.getByLabel('Read connections, devices and states').check();
    await card.getByRole('button', { name: 'Make an identity' }).click();
    const token = await card.getByLabel('Token of kitchen display').inputValue();
    const asked = async () => {
      const answer = await request(new URL('/api/routers', lab.url), { headers: { 'x-admin-token': token } });
      await answer.body.dump();
      return answer.statusCode;
    };
    expect(await asked()).toBe(200);
    await card.getByRole('button', { name: 'Revoke' }).click();
    const dialog = page.getByRole('dialog', { name: 'Revoke kitchen display?' });
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await card.getByText('revoked').waitFor();
    expect(await asked()).toBe(401);
    await page.reload();
    await card.getByRole('heading', { name: 'kitchen display' }).waitFor();
    expect(await page.content()).not.toContain(token);
  });

  test('who may only read sees the buttons of routers disabled, with the reason, and elsewhere that the permission is missing', async () => {
    await using lab = await startWebLab();
    const body = { label: 'reader', permissions: ['network.read' as const], expiresInMs: 3_600_000 };
    const { token } = await lab.as.admin.auth.createIdentity({ body });
    await using browser = await openPage(lab, { extraHTTPHeaders: { 'X-Admin-Token': token } });
    const { page } = browser;
    await page.goto(browser.at('/'));
    await page.getByText('Somebody with the permission to change settings must add one.').waitFor();
    await page.goto(browser.at('/settings?section=routers&add=1'));
    await page.getByRole('navigation', { name: 'Settings' }).waitFor();
    await page.locator('details.account summary').click();
    await page.locator('details.account').getByText('reader').waitFor();
    await page.locator('details.account').getByText('1 permission').waitFor();
    await page.locator('details.account summary').click();
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Agents' }).click();
    await page.getByText('You do not have permission to see this.').waitFor();
    await page.getByRole('link', { name: 'Routers' }).click();
    await page.getByText('No router is set up.').waitFor();
    await page.getByRole('group', { name: 'Your role does not allow this.' }).waitFor();
    expect(await page.getByRole('button', { name: 'Add a router' }).isDisabled()).toBe(true);
    expect(await page.getByRole('main').getByRole('link', { name: 'Add a router' }).count()).toBe(0);
  });
});

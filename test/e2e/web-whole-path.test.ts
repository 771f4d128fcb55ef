import { expect, test } from 'vitest';
import type { RouterSimulator } from '#simulators/router/router.ts';
import { startRouter } from '#simulators/router/start.ts';
import { seriousFindings } from '../support/axe.ts';
import { createKeyboard, createMouse, type Hand } from '../support/hand.ts';
import type { Lab } from '../support/lab.ts';
import { type AtPage, openAt, openPage, shownTotal, startWebLab, withChromium } from '../support/web-lab.ts';

const minute = 60_000;
const device = '192.168.100.23';
const regular = '203.0.113.80';

interface Steps {
  lab: Lab<never>;
  browser: AtPage;
  hand: Hand;
  /** Called at each place where a person stops and looks. */
  look(where: string): Promise<void>;
}

async function logIn({ browser: { page }, lab, hand, look }: Steps): Promise<void> {
  await look('log-in');
  await hand.write(page.getByLabel('Password'), 'a wrong one');
  await hand.press(page.getByRole('button', { name: 'Log in' }));
  await page.getByRole('alert').waitFor();
  await look('log-in refused');
  await hand.write(page.getByLabel('Password'), lab.password);
  await hand.press(page.getByRole('button', { name: 'Log in' }));
}

/** Time goes on in the lab and in the page. */
async function advance({ lab, browser: { page } }: Steps, ms: number): Promise<void> {
  await lab.advance(ms);
  await page.clock.setFixedTime(lab.clock.now());
}

async function addRouter(steps: Steps, router: RouterSimulator): Promise<void> {
  const { browser, hand, look } = steps;
  const { page } = browser;
  await page.getByRole('heading', { name: 'Gatehouse is ready. Now add a router.' }).waitFor();
  await look('first start');
  await hand.press(page.getByRole('link', { name: 'Add a router' }));
  await hand.pick(page.getByRole('radio', { name: 'Cisco IOS' }));
  await page.getByText('crypto key generate rsa').waitFor();
  await look('commands for the router');
  await hand.press(page.getByRole('button', { name: 'Next' }));
  await hand.write(page.getByLabel('Address of the router'), router.url.hostname);
  await hand.write(page.getByLabel('SSH port'), router.url.port);
  await hand.write(page.getByLabel('Login name'), router.credentials.user);
  await hand.write(page.getByLabel('Password', { exact: true }), 'not the password');
  await hand.write(page.getByLabel('Name', { exact: true }), 'Attic');
  await browser.expecting(/502/, async () => {
    await hand.press(page.getByRole('button', { name: 'Test the connection' }));
    await page.getByRole('alert').getByText('The router refused the login name or the password.').waitFor();
  });
  await look('router refused');
  expect((await steps.lab.as.admin.routers.list({})).routers).toEqual([]);
  await hand.write(page.getByLabel('Password', { exact: true }), router.credentials.password);
  await hand.write(page.getByLabel('Enable secret'), router.credentials.enable ?? '');
  await hand.press(page.getByRole('button', { name: 'Test the connection' }));
  await page.getByText('The router answered.').waitFor();
  await look('router answered');
  await hand.press(page.getByRole('button', { name: 'Save this router' }));
  await page.getByRole('heading', { name: 'Attic was added.' }).waitFor();
  await steps.lab.settled();
  await look('router added');
}

async function workTheLog(steps: Steps): Promise<void> {
  const { browser, lab, hand, look } = steps;
  const { page } = browser;
  await hand.press(page.getByRole('link', { name: 'Connections', exact: true }));
  const before = await shownTotal(page);
  expect(before).toBeGreaterThanOrEqual(12);
  await look('log');
  await hand.press(page.getByRole('button', { name: '+ Filter' }));
  await hand.select(page.getByLabel('Column'), 'Destination');
  await hand.select(page.getByLabel('Condition'), 'is');
  await hand.write(page.getByLabel('Value', { exact: true }), regular);
  await look('filter');
  await hand.press(page.getByRole('button', { name: 'Apply' }));
  await expect.poll(() => shownTotal(page)).toBe(1);
  await hand.press(page.locator('tbody button[data-index="0"]'));
  const drawer = page.getByRole('dialog', { name: 'Connection' });
  await drawer.getByRole('heading', { level: 2 }).waitFor();
  await drawer.getByText(regular).first().waitFor();
  await look('drawer of a connection');
  await hand.press(drawer.getByRole('button', { name: 'Close' }));
  await drawer.waitFor({ state: 'detached' });
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    hand.press(page.getByRole('button', { name: 'Export CSV' })),
  ]);
  const file = Buffer.concat((await (await download.createReadStream()).toArray()) as Buffer[]).toString('utf8');
  expect(file.trim().split('\r\n')).toHaveLength(2);
  expect(file).toContain(regular);
  expect((await lab.as.admin.connections.list({ query: {} })).total).toBeGreaterThanOrEqual(before);
}

async function writeNote({ browser: { page }, lab, hand, look }: Steps, note: string): Promise<void> {
  await hand.press(page.getByRole('link', { name: 'Devices', exact: true }));
  const row = page.getByRole('row').filter({ hasText: device });
  await hand.press(row.getByRole('button', { name: /^(?:Add|Edit) Note of / }));
  await hand.write(row.getByRole('textbox', { name: /^Note of / }), note);
  await look('note');
  await hand.press(row.getByRole('button', { name: 'Save' }));
  await row.getByText(note).waitFor();
  expect(Object.values((await lab.as.admin.notes.list({})).notes)).toEqual([note]);
}

async function approveAgent({ browser: { page }, lab, hand, look }: Steps): Promise<void> {
  const { agents } = lab.as.admin;
  await hand.press(page.getByRole('link', { name: 'Settings', exact: true }));
  await hand.press(page.getByRole('link', { name: 'Agents', exact: true }));
  await hand.press(page.getByRole('button', { name: 'Make a code' }));
  const code = await page.getByLabel('Code', { exact: true }).inputValue();
  const agent = { hostName: 'kitchen-pc', platform: 'linux', osVersion: '6.12', agentVersion: '1.0.0' } as const;
  const { requestId, claimSecret } = await agents.enroll({ body: { code, agent } });
  await page.getByRole('heading', { name: 'claims to be kitchen-pc' }).waitFor();
  await look('Agent that waits');
  await hand.press(page.getByRole('button', { name: 'Approve' }));
  await page.getByText('kitchen-pc was approved.').waitFor();
  expect(await agents.claim({ body: { requestId, claimSecret } })).toMatchObject({ status: 'approved' });
}

async function expectAlert({ browser: { page }, lab, hand, look }: Steps): Promise<void> {
  await hand.press(page.getByRole('link', { name: /^Alerts/ }));
  await hand.press(page.locator('.alert-title a').filter({ hasText: regular }));
  const drawer = page.getByRole('dialog', { name: 'Alert' });
  await drawer.getByText(/^every 40 min, 11 times/).waitFor();
  await look('alert');
  await hand.press(drawer.getByRole('button', { name: 'Expected:' }));
  await look('details of an action');
  const dialog = page.locator('dialog.alert-action');
  await hand.write(dialog.getByLabel('Reason'), 'its maker');
  await hand.press(dialog.getByRole('button', { name: 'Mark as expected' }));
  await drawer.getByText(/^Expected, /).waitFor();
  expect((await lab.as.admin.alerts.list({})).counts.expected).toBe(1);
  await hand.press(drawer.getByRole('button', { name: 'Close' }));
}

async function backUpAndRestore(steps: Steps, note: string): Promise<void> {
  const { browser, lab, hand, look } = steps;
  const { page } = browser;
  const toBackups = async () => {
    await hand.press(page.getByRole('link', { name: 'Settings', exact: true }));
    await hand.press(page.getByRole('link', { name: 'Backups', exact: true }));
  };
  await toBackups();
  await hand.press(page.getByRole('button', { name: 'Make a backup now' }));
  await page.getByText(/was made and verified/).waitFor();
  const changed = 'changed after the backup';
  await lab.as.admin.notes.write({ body: { ip: device, note: changed } });
  expect(Object.values((await lab.as.admin.notes.list({})).notes)).toEqual([changed]);
  await look('backups');
  await hand.press(page.getByRole('button', { name: 'Restore' }).first());
  const dialog = page.getByRole('dialog', { name: /^Restore the backup of / });
  await look('question before restoring');
  await hand.write(dialog.getByLabel('Type restore to confirm'), 'restore');
  await hand.press(dialog.getByRole('button', { name: 'Restore' }));
  await page.getByText('All sessions have ended, including this one.').waitFor();
  await look('restored');
  expect(Object.values((await lab.as.admin.notes.list({})).notes)).toEqual([note]);
  await hand.press(page.getByRole('button', { name: 'Log in' }));
  await hand.write(page.getByLabel('Password'), lab.password);
  await hand.press(page.getByRole('button', { name: 'Log in' }));
  await page.getByRole('heading', { name: 'Backups' }).first().waitFor();
}

async function logOut({ browser: { page }, hand, look }: Steps): Promise<void> {
  await hand.press(page.locator('summary').filter({ hasText: 'Account' }));
  await look('account menu');
  await hand.press(page.getByRole('button', { name: 'Log out' }));
  await page.getByLabel('Password').waitFor();
}

async function walk(steps: Steps): Promise<void> {
  const { browser, lab } = steps;
  const { page } = browser;
  await page.goto(browser.at('/'));
  await browser.expecting(/401/, () => logIn(steps));
  await using router = await startRouter('vendor_b', { sessions: 12 });
  await addRouter(steps, router);
  // A device that calls home every forty minutes; then somebody comes back and looks.
  for (let contact = 0; contact < 11; contact += 1) {
    const flow = { src: device, dst: regular, dport: 443, proto: 'tcp', lastsMs: 25 * minute, ends: 'silent' } as const;
    router.flow(flow);
    await advance(steps, 20 * minute);
    await advance(steps, 20 * minute);
  }
  await lab.as.admin.beacons.saveConfig({ body: {} });
  await lab.settled();
  await page.goto(browser.at('/'));
  await page.getByRole('heading', { level: 1, name: /devices? reached/ }).waitFor();
  await steps.look('overview');
  await workTheLog(steps);
  const note = 'Camera in the attic';
  await writeNote(steps, note);
  await approveAgent(steps);
  await expectAlert(steps);
  await backUpAndRestore(steps, note);
  await logOut(steps);
}

withChromium(() => {
  test('by mouse: first start, router, rows, filter, export, note, Agent, alert, backup, restore, log out', async () => {
    await using lab = await startWebLab({ pollIntervalMs: 20 * minute });
    await using browser = await openPage(lab);
    const seen: string[] = [];
    await walk({ lab, browser, hand: createMouse(), look: async (where) => void seen.push(where) });
    expect(seen).toHaveLength(19);
  });

  test('by keyboard alone, and axe finds nothing serious at any stop', async () => {
    await using site = await openAt(startWebLab({ pollIntervalMs: 20 * minute }), null, { bypassCSP: true });
    const { lab, browser, page } = site;
    const look = async (where: string) => {
      expect([where, await seriousFindings(page)]).toEqual([where, []]);
    };
    await walk({ lab, browser, hand: createKeyboard(page), look });
  });
});

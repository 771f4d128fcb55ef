// The devices in a real browser: who is there, what is written and decided about them, which may be one.
import { expect, test } from 'vitest';
import { seeAsAgents } from '../support/seen-as-agents.ts';
import {
  type AtPage,
  isFocused,
  openAt,
  openPage,
  startHousehold,
  startWebLab,
  suspect,
  withChromium,
} from '../support/web-lab.ts';

/** The device at an address, and its row. */
async function rowOf(lab: Awaited<ReturnType<typeof startHousehold>>, { page }: AtPage, ip: string) {
  const { devices } = await lab.as.admin.devices.list({ query: { includeArchived: '1' } });
  const found = devices.find((one) => one.ip === ip);
  if (!found) {
    throw new Error(`there is no device at ${ip}`);
  }
  return { ...found, row: page.getByRole('row').filter({ has: page.getByText(ip, { exact: true }) }) };
}

withChromium(() => {
  test('the number of connections of a device leads to exactly these', async () => {
    await using lab = await startHousehold();
    // Its address is how those of others begin.
    const one = '192.168.100.3';
    lab.routers.home.flow({ src: one, dst: '198.51.100.100', dport: 443, proto: 'tcp' });
    await lab.poll();
    await using browser = await openPage(lab);
    const { page } = browser;
    await browser.logIn('/devices');
    const { devices } = await lab.as.admin.devices.list({});
    await page.getByRole('heading', { level: 1, name: `${devices.length} devices` }).waitFor();
    const single = await rowOf(lab, browser, one);
    await single.row.getByRole('link', { name: '1', exact: true }).click();
    await page.getByRole('heading', { name: '1 connection' }).waitFor();
    await page.goBack();
    const other = '192.168.100.33';
    const { row } = await rowOf(lab, browser, other);
    const day = { from: String(lab.clock.now() - 86_400_000), to: String(lab.clock.now()) };
    const { total } = await lab.as.admin.connections.summary({ query: { ...day, src: other } });
    expect(total).toBeGreaterThan(5);
    await row.getByRole('link', { name: String(total), exact: true }).click();
    await page.getByRole('heading', { name: `${total} connections` }).waitFor();
  });

  test('the list is searched, filtered and sorted; the address keeps it, and the strip shows when each was active', async () => {
    await using site = await openAt(startHousehold(), '/devices');
    const { lab, browser, page } = site;
    const rows = page.getByRole('table', { name: 'Devices' }).locator('tbody tr');
    const { devices } = await lab.as.admin.devices.list({});
    await expect.poll(() => rows.count()).toBe(devices.length);
    await page.getByLabel('Sort by').selectOption('Connections');
    await expect.poll(() => rows.first().textContent()).toContain('192.168.100.33');
    // It was seen two hours ago and now: in two of the twelve parts of a day.
    const strip = rows.first().getByRole('img', { name: /^Connections of .* in this period$/ });
    await expect.poll(() => strip.locator('.value[height]:not([height="0"])').count()).toBe(2);
    await page.getByLabel('Search').fill('100.32');
    await page.getByRole('heading', { level: 1, name: '1 device' }).waitFor();
    expect(new URL(page.url()).search).toBe('?sort=connections&q=100.32');
    await page.reload();
    await page.getByRole('heading', { level: 1, name: '1 device' }).waitFor();
    await page.getByRole('combobox', { name: /^State/ }).selectOption('not seen for a week');
    await page.getByText('No device matches.').waitFor();
    await page.getByRole('link', { name: 'Show all devices' }).click();
    await expect.poll(() => rows.count()).toBe(devices.length);
    // All of them were first seen within the day, and none of them before it.
    await page.getByLabel('New in this period').check();
    await page.waitForURL(/[?&]new=1/);
    await expect.poll(() => rows.count()).toBe(devices.length);
    const day = 86_400_000;
    const before = `from=${lab.clock.now() - 2 * day}&to=${lab.clock.now() - day}`;
    await page.goto(browser.at(`/devices?new=1&${before}`));
    await page.getByText('No device matches.').waitFor();
  });

  test('a note that cannot be saved stays as it was typed, and is saved then', async () => {
    await using site = await openAt(startHousehold(), '/devices');
    const { lab, browser } = site;
    const { row, deviceId } = await rowOf(lab, browser, suspect);
    const edit = row.getByRole('button', { name: /^(?:Add|Edit) Note of / });
    await edit.click();
    const field = row.getByRole('textbox', { name: /^Note of / });
    expect(await isFocused(field)).toBe(true);
    const note = `In the <b>attic</b>, ${'é'.repeat(600)}`;
    await field.fill(note.slice(0, 490));
    await row.getByText('10 characters left').waitFor();
    await browser.withoutAnswer('**/api/notes', async () => {
      await row.getByRole('button', { name: 'Save' }).click();
      expect(await row.getByRole('alert').textContent()).toMatch(/^The hub does not answer\./);
    });
    expect(await field.inputValue()).toBe(note.slice(0, 490));
    await row.getByRole('button', { name: 'Save' }).click();
    await row.getByText('In the <b>attic</b>').waitFor();
    await expect.poll(() => isFocused(edit)).toBe(true);
    expect((await lab.as.admin.notes.list({})).notes[deviceId]).toBe(note.slice(0, 490));
    // What somebody else writes shows by itself, and does not touch what is being typed.
    const another = await rowOf(lab, browser, '192.168.100.31');
    await edit.click();
    await lab.as.admin.notes.write({ body: { deviceId: another.deviceId, note: 'cellar' } });
    await another.row.getByText('cellar').waitFor();
    expect(await field.inputValue()).toBe(note.slice(0, 490));
  });

  test('a note that is still being saved when Escape closes its editor is not saved a second time', async () => {
    await using site = await openAt(startHousehold(), '/devices');
    const { lab, browser, page } = site;
    const { row, deviceId } = await rowOf(lab, browser, suspect);
    const edit = row.getByRole('button', { name: /^(?:Add|Edit) Note of / });
    const field = row.getByRole('textbox', { name: /^Note of / });
    const save = row.getByRole('button', { name: 'Save' });
    const held = Promise.withResolvers<void>();
    await page.route('**/api/notes', async (route) => {
      if (route.request().method() === 'POST') {
        await held.promise;
      }
      await route.continue();
    });
    await edit.click();
    await field.fill('In the attic.');
    await save.click();
    await field.press('Escape');
    await edit.click();
    expect(await save.isDisabled()).toBe(true);
    held.resolve();
    await row.getByText('In the attic.').waitFor();
    expect((await lab.as.admin.notes.list({})).notes[deviceId]).toBe('In the attic.');
  });

  test('a draft of a note is what the hub knows, behind what was typed; refused, nothing typed is lost', async () => {
    await using site = await openAt(startHousehold(), '/devices');
    const { lab, browser } = site;
    const { row } = await rowOf(lab, browser, suspect);
    await row.getByRole('button', { name: /^(?:Add|Edit) Note of / }).click();
    const field = row.getByRole('textbox', { name: /^Note of / });
    await field.fill('In the attic.');
    await browser.withoutAnswer('**/api/notes/draft', async () => {
      await row.getByRole('button', { name: 'Draft' }).click();
      await row.getByRole('alert').waitFor();
    });
    expect(await field.inputValue()).toBe('In the attic.');
    await row.getByRole('button', { name: 'Draft' }).click();
    const { draft } = await lab.as.admin.notes.draft({ body: { ip: suspect } });
    await expect.poll(() => field.inputValue()).toBe(`In the attic.\n${draft}`.slice(0, 500));
    expect(await isFocused(field)).toBe(true);
    expect((await lab.as.admin.notes.list({})).notes).toEqual({});
  });

  test('an archived device leaves the list, is shown on demand, and comes back', async () => {
    await using site = await openAt(startHousehold(), '/devices');
    const { lab, browser, page } = site;
    const { row } = await rowOf(lab, browser, suspect);
    await row.getByRole('rowheader').getByRole('link').click();
    const main = page.getByRole('main');
    await main.getByRole('button', { name: 'Archive' }).click();
    await main.getByRole('button', { name: 'Cancel' }).click();
    await main.getByRole('button', { name: 'Archive' }).click();
    await main.getByRole('group', { name: /Its connections are kept/ }).waitFor();
    await main.getByRole('button', { name: 'Archive' }).click();
    await main.getByRole('button', { name: 'Unarchive' }).waitFor();
    await main.getByRole('link', { name: 'All devices' }).click();
    await page.getByRole('heading', { level: 1, name: /^\d+ devices?$/ }).waitFor();
    expect(await row.count()).toBe(0);
    await page.getByLabel('Show archived devices (1)').check();
    await row.getByText('archived').waitFor();
    expect(new URL(page.url()).search).toBe('?archived=1');
    await row.getByRole('rowheader').getByRole('link').click();
    await main.getByRole('button', { name: 'Unarchive' }).click();
    await main.getByRole('button', { name: 'Unarchive' }).click();
    await main.getByRole('link', { name: 'All devices' }).click();
    await row.getByText('active').waitFor();
  });

  test('a pair is merged as chosen, made two again, and not proposed any more once it was rejected', async () => {
    await using lab = await startWebLab();
    await seeAsAgents(lab, ['den', 'den']);
    const all = async () => (await lab.as.admin.devices.list({ query: { includeArchived: '1' } })).devices;
    const before = await all();
    await using browser = await openPage(lab);
    const { page } = browser;
    await browser.logIn('/devices');
    const pair = page.getByRole('region', { name: /^den\.local .* and den\.local / });
    await pair.getByText('Both call themselves').waitFor();
    await pair.getByText('none found').waitFor();
    // The other one than what is proposed.
    const proposed = await pair
      .getByRole('radio', { checked: true })
      .evaluate((one) => one.closest('div')?.textContent);
    const kept = /192\.168\.7\.1/.test(proposed ?? '') ? '192.168.7.2' : '192.168.7.1';
    await pair.getByRole('radio', { checked: false }).check();
    await pair.getByRole('button', { name: 'Merge' }).click();
    await pair.getByRole('group', { name: `shown as part of den.local (${kept}). You can undo this.` }).waitFor();
    await pair.getByRole('button', { name: 'Merge' }).click();
    await page.getByText(`is now part of den.local (${kept}).`).waitFor();
    const merged = (await all()).find(({ mergedInto }) => mergedInto !== null);
    expect(merged?.mergedInto).toBe(before.find(({ ip }) => ip === kept)?.deviceId);
    await page.getByRole('heading', { level: 1, name: '1 device' }).waitFor();
    await page.getByRole('button', { name: 'Undo the merge' }).click();
    await page.getByRole('button', { name: 'Undo the merge' }).click();
    await page.getByRole('heading', { level: 1, name: '2 devices' }).waitFor();
    expect((await all()).every(({ mergedInto }) => mergedInto === null)).toBe(true);
    await pair.getByRole('button', { name: 'Keep separate' }).click();
    await pair.getByRole('button', { name: 'Keep separate' }).click();
    await expect.poll(() => pair.count()).toBe(0);
    const { candidates } = await lab.as.admin.devices.mergeCandidates({ query: { status: 'rejected' } });
    expect(candidates).toHaveLength(1);
  });

  test('who may only read can decide and write nothing', async () => {
    await using lab = await startWebLab();
    await seeAsAgents(lab, ['den', 'den']);
    await using browser = await openPage(lab);
    const { page } = browser;
    const [first] = (await lab.as.admin.devices.list({})).devices;
    await browser.enterAs('viewer', '/devices');
    await page.getByText('Both call themselves').waitFor();
    const main = page.getByRole('main');
    const reason = 'Your role does not allow this.';
    expect(await main.getByRole('button', { disabled: false }).count()).toBe(0);
    expect(await main.getByRole('radio', { disabled: false }).count()).toBe(0);
    await expect.poll(() => main.getByRole('button', { name: 'Keep separate' }).count()).toBe(1);
    expect(
      await main
        .getByRole('button', { name: /^Add.*note/i })
        .first()
        .getAttribute('title'),
    ).toBe(reason);
    await main.getByText(reason).waitFor();
    await page.goto(browser.at(`/devices/${first?.deviceId}`));
    await page.getByRole('region', { name: 'Who it is' }).waitFor();
    expect(await main.getByRole('button', { disabled: false }).count()).toBe(0);
    await expect.poll(() => main.getByRole('button', { name: 'Archive' }).count()).toBe(1);
    await main.getByText(reason).waitFor();
  });
});

// What came while the log is open, in a real browser: what is new and what was only seen again.
import { expect, test } from 'vitest';
import { openAt, shownTotal, startHousehold, withChromium } from '../support/web-lab.ts';

withChromium(() => {
  test('says how many are new and how many were seen again, and shows them when asked', async () => {
    await using site = await openAt(startHousehold(), '/connections');
    const { lab, page } = site;
    const before = await shownTotal(page);
    const openedAt = lab.clock.now();
    await page.getByText('Live', { exact: true }).waitFor();
    const source = { src: '192.168.100.31', dport: 443, proto: 'tcp' } as const;
    const button = page.getByRole('button', { name: /: show$/ });
    // Nothing is new.
    lab.routers.home.flow({ ...source, dst: '198.51.100.100' });
    await lab.poll();
    await expect.poll(() => button.textContent()).toMatch(/^\d+ seen again: show$/);
    lab.routers.home.flow({ ...source, dst: '203.0.113.200' });
    await lab.poll();
    await lab.poll();
    const { connections } = await lab.as.admin.connections.list({ query: { from: String(openedAt + 1) } });
    const added = connections.filter(({ firstSeen }) => firstSeen > openedAt).length;
    expect(added).toBe(1);
    await expect.poll(() => button.textContent()).toBe(`1 new, ${connections.length - 1} seen again: show`);
    await page.clock.setFixedTime(lab.clock.now());
    await button.click();
    await expect.poll(() => shownTotal(page)).toBe(before + 1);
    expect(await button.count()).toBe(0);
  });
});

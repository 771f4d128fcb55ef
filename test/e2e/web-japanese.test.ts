// The Japanese page is whole: what the hub says in English sentences is Japanese there too.
import { expect, test } from 'vitest';
import { englishLeft } from '../support/english-left.ts';
import { openAt, startHousehold, suspect, withChromium } from '../support/web-lab.ts';

withChromium(() => {
  test('gaps and blind spots are Japanese: why a router was not observed, and what it never shows', async () => {
    await using site = await openAt(startHousehold(), '/');
    const { lab, browser, page } = site;
    const { control } = lab.routers.home;
    control.fail('half-open');
    control.fail('hang');
    await lab.pollThroughSilence();
    await lab.pollThroughSilence();
    control.clearFaults();
    await lab.poll();
    await page.evaluate(`localStorage.setItem('gatehouse.language', 'ja')`);
    await page.goto(browser.at('/?range=7d&panel=coverage'));
    const gaps = page.getByRole('dialog', { name: '観測できなかった時間' });
    await gaps
      .getByText(/から .*、応答が遅すぎます/)
      .first()
      .waitFor();
    await gaps.getByText(/二回の読み取りの間に/).waitFor();
    expect(await englishLeft(page)).toEqual([]);
    await page.goto(browser.at(`/devices/${suspect}`));
    await page.getByText('観測できないもの').click();
    await page.getByText(/二回の読み取りの間に/).waitFor();
    expect(await englishLeft(page)).toEqual([]);
  });
});

// The demo as somebody sees it who opens the address that it prints: one click, and the household is there.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { root, startProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { withChromium } from '../support/web-lab.ts';

withChromium(() => {
  test('the link of the demo logs in without typing; two weeks were observed but for an hour of one router', async () => {
    using folder = temporaryFolder();
    const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
    const command = [...scripts.demo.split(' ').slice(2), '--free-ports'];
    await using demo = startProgram(command, { env: { TMPDIR: folder.path }, ownGroup: true });
    const [, origin = ''] = await demo.printed(/^ready (http:\/\/127\.0\.0\.1:\d+)$/m);
    const lines = demo
      .stdout()
      .slice(demo.stdout().indexOf('\n\n') + 2)
      .split('\n');
    expect(lines[0]).toMatch(new RegExp(`^page +${origin}/ `));
    const link = /^one click +(\S+)/.exec(lines[1] ?? '')?.[1] ?? '';
    await using browser = await openBrowser({ origin });
    const { page } = browser;
    await page.goto(link);
    await page.getByRole('heading', { level: 1, name: /^\d+ devices reached [\d,]+ destinations/ }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/');
    await page.getByRole('link', { name: '14 d' }).click();
    const meter = page.getByRole('button', { name: /^9\d(?:\.\d)?% observed$/ });
    await meter.click();
    const drawer = page.getByRole('dialog', { name: 'What was not observed' });
    await drawer.getByText(/Cisco IOS \(simulated\): .* the router could not be read/).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { level: 1, name: /need a look/ }).waitFor();
    // A page that is left asks nothing of a demo that has ended.
    await page.goto('about:blank');
    demo.killGroup('SIGINT');
    expect(await demo.ended).toEqual({ code: 0, signal: null });
  });
});

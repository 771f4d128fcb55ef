// The Japanese page is whole: what the hub says in English sentences is Japanese there too.
import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { authLimits } from '#contract/auth-limits.ts';
import { createGenerationName } from '#hub/base/storage/backup/generation-name.ts';
import { dayMs } from '#kernel/time/time.ts';
import { englishLeft, markedEnglish } from '../support/english-left.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { latinLabels, listed, openAt, startHousehold, suspect, withChromium } from '../support/web-lab.ts';

const sections = [
  'routers',
  'agents',
  'sign-in',
  'assistants',
  'sources',
  'feeds',
  'chat',
  'ai',
  'alerts',
  'general',
  'backups',
  'audit',
  'about',
];

withChromium(() => {
  test('gaps and blind spots are Japanese: why a router was not observed, and what it never shows', async () => {
    await using site = await openAt(startHousehold(), '/');
    const { lab, browser, page } = site;
    const router = lab.routers.home;
    router.fail('half-open');
    router.fail('hang');
    await lab.pollThroughSilence();
    await lab.pollThroughSilence();
    router.clearFaults();
    await lab.poll();
    await page.evaluate(`localStorage.setItem('gatehouse.language', 'ja')`);
    await page.goto(browser.at('/?range=7d&panel=coverage'));
    const gaps = page.getByRole('dialog', { name: '観測できなかった時間' });
    await gaps
      .getByText(/から .*、応答が遅すぎます/)
      .first()
      .waitFor();
    await gaps.getByText(/2回の読み取りの間に/).waitFor();
    expect(await englishLeft(page)).toEqual([]);
    await page.goto(browser.at(`/devices/${suspect}`));
    await page.getByText('観測できないもの').click();
    await page.getByText(/2回の読み取りの間に/).waitFor();
    expect(await englishLeft(page)).toEqual([]);
  });

  test('refusals are Japanese: a wrong password, too many of them, refused fields, and a code without words', async () => {
    await using site = await openAt(startHousehold(), null);
    const { lab, browser, page } = site;
    await page.goto(browser.at('/settings?section=alerts'));
    await page.evaluate(`localStorage.setItem('gatehouse.language', 'ja')`);
    await page.reload();
    const tryPassword = async (password: string) => {
      await page.getByLabel('パスワード').fill(password);
      await page.getByRole('button', { name: 'ログイン', exact: true }).click();
    };
    const expectJapanese = async (said: string | RegExp) => {
      await page.getByText(said).first().waitFor();
      expect(await englishLeft(page)).toEqual([]);
    };
    await browser.expecting(/status of 4\d\d/, async () => {
      await tryPassword('not the password');
      await expectJapanese('パスワードが正しくありません。');
      await tryPassword(lab.password);
      const names = page.getByLabel('無害な名前（1行に1つ）');
      await names.fill('example.org\nnot a name');
      await names.locator('xpath=ancestor::form').getByRole('button', { name: '保存', exact: true }).click();
      await expectJapanese(/^2 行目: /);
      await page.goto(browser.at('/settings?section=feeds'));
      const list = page.getByLabel('アドレス、範囲、名前（1行に1つ）');
      await list.fill('192.168.1.1');
      await list.locator('xpath=ancestor::form').getByRole('button', { name: '保存', exact: true }).click();
      await expectJapanese(/^1 行目: 公開アドレス、その範囲、名前のいずれかを入力してください。/);
      expect(await page.locator('.problem [lang=en]').count()).toBe(0);
      await page.context().clearCookies();
      await page.goto(browser.at('/'));
      for (let tries = 0; tries < authLimits.loginFailures + 1; tries += 1) {
        await page.getByRole('button', { name: 'ログイン', exact: true }).waitFor();
        await tryPassword(`not the password ${tries}`);
        await page.locator('button:not([disabled])', { hasText: /^ログイン$/ }).waitFor();
      }
      await expectJapanese(/^失敗が続きました。 \d+ 秒後に/);
    });
  });

  test('no place prints an English sentence of the hub: lists, a connection with its evidence, and each settings section', async () => {
    using folder = temporaryFolder();
    await using site = await openAt(startHousehold({ logPathPrefixes: [folder.path] }), '/');
    const { lab, browser, page } = site;
    const dns = { enabled: true, logFile: `${folder.path}/dns.log` };
    await lab.as.admin.config.saveDataSources({ body: { dns } });
    const oidc = { enabled: true, issuer: 'https://issuer.example', clientId: 'hub', clientSecret: 'secret' };
    await lab.as.admin.auth.saveSecurityConfig({ body: { ...oidc, allowedDomains: ['example.org'] } });
    await page.evaluate(`localStorage.setItem('gatehouse.language', 'ja')`);
    const open = encodeURIComponent([suspect, listed, 443, 'TCP'].join());
    const left: string[] = [];
    for (const [address, shown] of [
      ['/', '.ranked li'],
      [`/connections?open=${open}`, '.drawer .evidence'],
      ['/devices', 'tbody tr'],
      ['/alerts', '.alerts li'],
      ...sections.map((section) => [`/settings?section=${section}`, '.section .card']),
    ] as const) {
      await page.goto(browser.at(String(address)));
      await page.locator(String(shown)).first().waitFor();
      await expect.poll(() => page.getAttribute('html', 'lang')).toBe('ja');
      const texts = [...(await englishLeft(page)), ...(await markedEnglish(page))];
      left.push(...texts.map((text) => `${address}: ${text}`));
    }
    expect(left).toEqual([]);
  });

  test('what is wrong with a backup, and why a cleanup ended, is Japanese', async () => {
    await using site = await openAt(startHousehold(), '/');
    const { lab, browser, page } = site;
    const { name } = await lab.as.admin.backup.create({ body: {} });
    const folder = path.join(lab.dataDir, 'backups');
    const [damaged = '', oldest = '', ...others] = [5, 4, 3, 2].map((days) =>
      path.join(folder, createGenerationName(lab.clock.now() - days * dayMs)),
    );
    [damaged, oldest, ...others].forEach((copy) => void copyFileSync(path.join(folder, name), copy));
    writeFileSync(damaged, 'no database');
    await lab.as.admin.backup.config({ body: { maxGenerations: 2 } });
    await page.evaluate(`localStorage.setItem('gatehouse.language', 'ja')`);
    await page.goto(browser.at('/settings?section=backups'));
    await page.getByRole('button', { name: '削除対象を表示' }).click();
    await page.getByText('バックアップとして使えるファイルではありません。').waitFor();
    const remove = page.getByRole('button', { name: 'これらを削除' });
    await remove.waitFor();
    rmSync(oldest);
    await remove.click();
    await page.getByRole('dialog').getByRole('button', { name: 'これらを削除' }).click();
    await page.getByText('表示した後でバックアップが変わったため、何も削除していません。').waitFor();
    await page.getByText('0 件を削除し、').waitFor();
    expect([...(await englishLeft(page)), ...(await markedEnglish(page))]).toEqual([]);
  });

  test('why the hub refused is Japanese: a weak password, the chat, the issuer, a backup, and the test of a router', async () => {
    await using site = await openAt(startHousehold(), '/');
    const { lab, browser, page } = site;
    await lab.as.admin.chat.saveConfig({ body: { token: 'token-of-nobody' } });
    const oidc = { enabled: false, issuer: 'http://127.0.0.1:1', clientId: 'hub', clientSecret: 'secret' };
    await lab.as.admin.auth.saveSecurityConfig({ body: oidc });
    const backups = path.join(lab.dataDir, 'backups');
    rmSync(backups, { recursive: true, force: true });
    writeFileSync(backups, 'no folder');
    await page.evaluate(`localStorage.setItem('gatehouse.language', 'ja')`);
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    const expectWhole = async (sentences: string) => {
      const shown = page.locator('.problem, [role=alert]', { hasText: sentences });
      await shown.waitFor();
      expect([...(await englishLeft(page)), ...(await latinLabels(shown))]).toEqual([]);
    };
    await browser.expecting(/status of [45]\d\d/, async () => {
      await page.goto(browser.at('/settings?section=sign-in'));
      await page.getByLabel('現在のパスワード').fill(lab.password);
      await page.getByLabel('新しいパスワード', { exact: true }).fill('abababababababab');
      await page.getByLabel('新しいパスワード（確認）').fill('abababababababab');
      await press('パスワードを変更');
      await expectWhole('この新しいパスワードは使えません。同じ文字の繰り返しです。');
      await press('保存済みの設定をテスト');
      await expectWhole('発行者を使えません。127.0.0.1:1 に接続できません。接続を拒否されました。');
      await page.goto(browser.at('/settings?section=chat'));
      await press('テストメッセージを送る');
      await expectWhole('チャットに拒否されました。トークンが無効です。トークンを作り直して保存してください。');
      await page.goto(browser.at('/settings?section=backups'));
      await press('今すぐバックアップ');
      await expectWhole('バックアップできませんでした。何も保存していません。ファイルかフォルダーを開けません。');
      await page.goto(browser.at('/settings?section=routers&add=1'));
      await press('次へ');
      await page.getByLabel('ルーターのアドレス').fill('127.0.0.1');
      await page.getByLabel('SSH ポート').fill('1');
      await page.getByLabel('ログイン名').fill('monitor');
      await page.getByLabel('パスワード', { exact: true }).fill('not the password');
      await press('接続をテスト');
      await expectWhole('このアドレスとポートでは応答がありません。接続を拒否されました。');
    });
  });
});

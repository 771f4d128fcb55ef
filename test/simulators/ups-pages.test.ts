// Saved pages of another product version: served by the simulator, and compared by `gatehouse sim ups diff`.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { diffPages } from '#simulators/ups/diff/page-diff.ts';
import { root, runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { shownAt, startUpsLab } from '../support/ups-lab.ts';
import { verifies } from '../support/verifies.ts';

const frozen = path.join(root, 'fixtures/ups/1.4.0');
const frozenPage = (name: string) => readFileSync(path.join(frozen, name), 'utf8');

/** A folder as a developer makes it for a new version: a copy, edited. */
function newVersion(edit: (page: string) => string, keep = /^(status|logon)\.(en|ja)\.html$/) {
  const folder = temporaryFolder();
  for (const name of readdirSync(frozen).filter((one) => keep.test(one))) {
    writeFileSync(path.join(folder.path, name), edit(frozenPage(name)));
  }
  return folder;
}

const renamed = (page: string) => page.replaceAll('id="value_', 'id="metric_').replace('Battery Charge', 'Charge');

describe('serving', () => {
  verifies(
    'sim.ups.pages card.used-by.ups-html-change',
    'a folder of saved pages is the web UI: login, languages, sessions are alive',
    async () => {
      using folder = newVersion(renamed);
      await using lab = await startUpsLab({ pages: folder.path, settings: { locale: 'ja' } });
      const browser = lab.browser();
      const page = (await browser.logOn(lab.ups.credentials)).text;
      expect([shownAt(page, 'value_VoltageDC'), shownAt(page, 'metric_VoltageDC')]).toEqual([null, '13.7']);
      expect(page).toContain('<html lang="ja">');
      const english = (await browser.open('/setLocale', { newLocale: 'en', targetURL: '/status' })).text;
      expect(shownAt(english, 'metric_DeviceStatus')).toBe('On Line');
      await browser.send('/setLocale', { newLocale: 'de', targetURL: '/status' });
      expect(lab.ups.state()).toMatchObject({ locale: 'en', locales: ['en', 'ja'] });
      const second = (await lab.browser().open('/status')).text;
      expect(shownAt(second, 'alreadyLoggedOn')).toBe('Another user is already logged on.');
    },
  );

  test('a saved status page is served as it was saved', async () => {
    using folder = newVersion(renamed);
    await using lab = await startUpsLab({ pages: folder.path });
    const { text } = await lab.browser().logOn(lab.ups.credentials);
    expect(text).toBe(readFileSync(path.join(folder.path, 'status.en.html'), 'utf8'));
  });

  test('languages of saved pages that we have no words for, and English of a region', async () => {
    const italian = (page: string) =>
      page.replace('lang="en"', 'lang="it"').replace('value="Log On"', 'value="Accedi"');
    using folder = newVersion((page) => page, /^status\.en\.html$/);
    writeFileSync(path.join(folder.path, 'status.it.html'), italian(frozenPage('status.en.html')));
    writeFileSync(path.join(folder.path, 'logon.it.html'), italian(frozenPage('logon.en.html')));
    rmSync(path.join(folder.path, 'status.en.html'));
    writeFileSync(path.join(folder.path, 'status.en-US.html'), frozenPage('status-lang-enUS.html'));
    await using lab = await startUpsLab({ pages: folder.path, settings: { locale: 'it' } });
    const browser = lab.browser();
    expect((await browser.logOn(lab.ups.credentials)).text).toContain('<html lang="it">');
    const { text } = await browser.open('/setLocale', { newLocale: 'en', targetURL: '/status' });
    expect(text).toContain('<html lang="en-US">');
  });

  test('a folder without a status page, and a language it does not have, are refused', async () => {
    using folder = temporaryFolder();
    await expect(startUpsLab({ pages: folder.path })).rejects.toThrow(/holds no \.html file/);
    writeFileSync(path.join(folder.path, 'logon.en.html'), '<p>');
    await expect(startUpsLab({ pages: folder.path })).rejects.toThrow(/has no status page: it must be called/);
    cpSync(path.join(frozen, 'status.en.html'), path.join(folder.path, 'status.en.html'));
    await expect(startUpsLab({ pages: folder.path, settings: { locale: 'ja' } })).rejects.toThrow(/locale: one of en/);
    await using lab = await startUpsLab({ pages: folder.path });
    expect(() => lab.ups.patch({ locale: 'ja' })).toThrow(/locale: one of en, not "ja"/);
  });

  test.each([
    [['--version', '9.9.9'], '--version: there are pages of 1.4.0, not of "9.9.9"'],
    [['--version=9.9.9'], '--version: there are pages of 1.4.0'],
    [['--pages', '/nowhere'], '--pages: /nowhere does not exist'],
    [['--pages', frozen, '--locale', 'it'], '--locale must be de, en, es, fr or ja'],
  ])('gatehouse sim ups %j: one line on stderr, exit 2', async (args, naming) => {
    const { code, stderr } = await runProgram(['src/main.ts', 'sim', 'ups', '--port', '0', ...args]);
    expect([code, stderr.trimEnd().split('\n').length]).toEqual([2, 1]);
    expect(stderr).toContain(naming);
  });
});

describe('comparing', () => {
  const diff = (...args: string[]) => runProgram(['src/main.ts', 'sim', 'ups', 'diff', ...args]);

  verifies('sim.ups.diff', 'renamed ids are named with their new names, and it ends with 1', async () => {
    using folder = newVersion(renamed, /^(status|status-smart|logon)\.\w\w\.html$/);
    const { code, stdout } = await diff(frozen, folder.path);
    expect(code).toBe(1);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .filter((line) => !line.startsWith('not compared'));
    expect(lines).toHaveLength(12);
    for (const line of lines) {
      expect(line).toMatch(/^renamed {2}value_(\w+) -> metric_\1 {2}\(.*\) {2}in status/);
    }
    expect(lines.find((line) => line.includes('RealPowerPct'))).toContain(
      'same label "UPS Load", same end of the name, same unit "%"',
    );
    expect(lines.find((line) => line.includes('RealPowerPct'))).toMatch(/in status-smart\.de\.html, .* and 8 more$/);
    expect(stdout).toContain('not compared: error500.html is on one side only');
  });

  test('nothing differs: it says so and ends with 0', async () => {
    expect(await diff(frozen, frozen)).toMatchObject({ code: 0, stdout: 'no difference\n', stderr: '' });
  });

  verifies('sim.ups.diff', 'new ones, as JSON, of two files', async () => {
    const files = ['status.en.html', 'status-outlet.en.html'].map((name) => path.join(frozen, name));
    const { code, stdout } = await diff('--json', ...files);
    expect(code).toBe(1);
    const { changes } = JSON.parse(stdout) as { changes: { kind: string; from: string | null; to: string | null }[] };
    expect(changes.map(({ kind, from, to }) => `${kind} ${from ?? to}`)).toEqual([
      'new value_InternalTemp',
      'new value_ApparentPowerPct',
      'new value_LoadCurrent',
      'new value_OutputVoltage',
      'new value_InputFrequency',
      'new value_OutputFrequency',
      'new status0',
      'new status1',
    ]);
  });

  verifies('sim.ups.diff', 'one that is renamed altogether is found by its label; two are not taken for one', () => {
    const page = (rows: string) => new Map([['status.en.html', `<html><body>${rows}</body></html>`]]);
    const row = (label: string, id: string, text: string, unit: string) =>
      `<div><div class="label">${label}</div><div class="value" id="${id}">${text}</div><div class="unit">${unit}</div></div>`;
    const before = page(
      row('Load', 'value_A', '19.0', '%') + row('Charge', 'value_B', '100.0', '%') + row('Old', 'value_C', 'x', ''),
    );
    const after = page(
      row('Load', 'q1', '21,0', '%') + row('Battery', 'q2', '99.0', '%') + row('Charge', 'value_D', '55', ''),
    );
    expect(diffPages(before, after).changes).toEqual([
      {
        kind: 'renamed',
        from: 'value_A',
        to: 'q1',
        because: expect.stringContaining('same label "Load"'),
        pages: ['status.en.html'],
      },
      {
        kind: 'renamed',
        from: 'value_B',
        to: 'q2',
        because: 'same unit "%", same shape of text, similar value',
        pages: ['status.en.html'],
      },
      { kind: 'missing', from: 'value_C', to: null, because: 'label "Old"', pages: ['status.en.html'] },
      { kind: 'new', from: null, to: 'value_D', because: 'label "Charge"', pages: ['status.en.html'] },
    ]);
  });

  verifies('sim.ups.diff', 'the same id with another tag, unit or notation has changed', () => {
    const of = (name: string) => new Map([[name, frozenPage(name)]]);
    const { changes } = diffPages(of('status.en.html'), of('status.es.html'));
    const voltage = changes.find(({ from }) => from === 'value_InputVoltage');
    expect(voltage).toMatchObject({
      kind: 'changed',
      because: 'label "Input Voltage" -> "Voltaje de entrada", unit "VAC" -> "VCA", text "9.9" -> "9,9"',
    });
    const spans = diffPages(of('status.en.html'), of('status-span.en.html')).changes;
    expect(spans.map(({ because }) => because)).toEqual(Array.from({ length: 6 }, () => 'tag "div" -> "span"'));
  });

  test.each([
    [['one'], 'diff takes two folders, or two files: OLD and NEW'],
    [[frozen, '/nowhere'], '/nowhere does not exist'],
    [[frozen, frozen, '--unknown'], "Unknown option '--unknown'"],
  ])('%j: one line on stderr, exit 2', async (args, naming) => {
    const { code, stdout, stderr } = await diff(...args);
    expect({ code, stdout, lines: stderr.trimEnd().split('\n').length }).toEqual({ code: 2, stdout: '', lines: 1 });
    expect(stderr).toContain(naming);
  });

  test('a folder that holds no page cannot be compared', async () => {
    using folder = temporaryFolder();
    mkdirSync(path.join(folder.path, 'empty'));
    expect(await diff(frozen, path.join(folder.path, 'empty'))).toMatchObject({ code: 2 });
    expect(await diff('--help')).toMatchObject({ code: 0, stdout: expect.stringContaining('diff OLD NEW') });
  });
});

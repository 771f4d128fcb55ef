// Another version of the product: upsget fails naming the ids, a snapshot of it can be served again and compared.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { root, runProgram } from '../support/program.ts';
import { startUpsLab } from '../support/ups-lab.ts';
import { newHome, runUpsget } from '../support/upsget.ts';
import { verifies } from '../support/verifies.ts';

const known = path.join(root, 'fixtures/ups/1.4.0');
const diff = (before: string, after: string) => runProgram(['bin/gatehouse.js', 'sim', 'ups', 'diff', before, after]);

/** A folder with the pages of 1.4.0, changed. */
function changedPages(change: (page: string) => string): string {
  const folder = path.join(newHome(), '1.5.0');
  mkdirSync(folder);
  for (const name of readdirSync(known).filter((one) => /^(?:status|logon)\.\w+\.html$/.test(one))) {
    writeFileSync(path.join(folder, name), change(readFileSync(path.join(known, name), 'utf8')));
  }
  return folder;
}

verifies('ups.target.changed-ids', 'renamed ids: upsget fails naming them, the comparison names the new', async () => {
  const pages = changedPages((page) =>
    page.replaceAll('value_RealPowerPct', 'value_LoadPercent').replaceAll('value_VoltageDC', 'value_BatteryVoltage'),
  );
  await using lab = await startUpsLab({ pages, settings: { locale: 'ja' } });
  const { code, stdout, stderr } = await runUpsget(['--load', '--batteryvoltage'], { ups: lab.ups });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(
    /^Error: .*value_RealPowerPct.*value_VoltageDC.*value_LoadPercent, .*value_BatteryVoltage.*\n$/,
  );
  expect(lab.ups.state()).toMatchObject({ locale: 'ja', loggedOn: 0 });
  const compared = await diff(known, pages);
  expect(compared.code).toBe(1);
  expect(compared.stdout).toContain('value_RealPowerPct -> value_LoadPercent');
  expect(compared.stdout).toContain('value_VoltageDC -> value_BatteryVoltage');
});

test('a snapshot served again gives the same values, and differs in nothing from where it came', async () => {
  const folder = path.join(newHome(), 'snapshot');
  await using lab = await startUpsLab({ settings: { locale: 'ja' } });
  const first = await runUpsget(['--json', '--snapshot', folder], { ups: lab.ups });
  expect(readdirSync(folder).sort()).toEqual([
    'exchanges.json',
    'logon.ja.html',
    'meta.json',
    'status.en.html',
    'status.ja.html',
  ]);
  await using again = await startUpsLab({ pages: folder, settings: { locale: 'ja' }, values: { RealPowerPct: 99 } });
  expect(await runUpsget(['--json'], { ups: again.ups })).toEqual(first);
  const compared = await diff(known, folder);
  expect(compared.stdout).not.toMatch(/^(?:renamed|missing|new|changed)/m);
});

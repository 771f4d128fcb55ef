// General settings: read, saved in part, refused whole, and back after a restart.
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { startLab } from '../support/lab.ts';
import { verifies } from '../support/verifies.ts';

const defaults = { homeCountry: 'JP', language: 'ja', autoInvestigate: false, retentionDays: 730, retentionBytes: 0 };

verifies('rest.settings.general', 'what is sent is saved, what is absent stays, and a restart keeps it', async () => {
  await using lab = await startLab();
  const { config } = lab.as.admin;
  expect(await config.general({})).toEqual(defaults);
  expect(
    await config.saveGeneral({ body: { homeCountry: 'CH', retentionDays: '90', retentionBytes: '2000000000' } }),
  ).toEqual({
    success: true,
    ...defaults,
    homeCountry: 'CH',
    retentionDays: 90,
    retentionBytes: 2_000_000_000,
  });
  expect(await config.saveGeneral({ body: { language: 'en', autoInvestigate: true } })).toMatchObject({
    homeCountry: 'CH',
    language: 'en',
  });
  await lab.restart();
  expect(await lab.as.admin.config.general({})).toEqual({
    homeCountry: 'CH',
    language: 'en',
    autoInvestigate: true,
    retentionDays: 90,
    retentionBytes: 2_000_000_000,
  });
});

describe('general settings', () => {
  it.each([
    [{ homeCountry: 'ZZ' }, 'homeCountry'],
    [{ homeCountry: 'jp' }, 'homeCountry'],
    [{ homeCountry: ['JP'] }, 'homeCountry'],
    [{ language: 'fr' }, 'language'],
    [{ autoInvestigate: 'true' }, 'autoInvestigate'],
    [{ retentionDays: 8 }, 'retentionDays'],
    [{ retentionDays: '' }, 'retentionDays'],
    [{ retentionDays: '90 days' }, 'retentionDays'],
    [{ retentionDays: null }, 'retentionDays'],
    [{ retentionBytes: 9_999_999 }, 'retentionBytes'],
    [{ retentionBytes: -1 }, 'retentionBytes'],
    [{ retentionBytes: '2GB' }, 'retentionBytes'],
    [{ homeCountry: 'CH', somethingElse: 1 }, 'somethingElse'],
  ])('%j is refused by name, and nothing is saved', async (body, name) => {
    await using lab = await startLab();
    await expect(lab.as.admin.config.saveGeneral({ body: body as object })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining(name),
    });
    expect(await lab.as.admin.config.general({})).toEqual(defaults);
  });

  it('stay as they were when they cannot be saved', async () => {
    await using lab = await startLab();
    const file = path.join(lab.dataDir, 'monitor.json');
    rmSync(file);
    mkdirSync(path.join(file, 'in-the-way'), { recursive: true });
    await expect(lab.as.admin.config.saveGeneral({ body: { language: 'en' } })).rejects.toMatchObject({
      status: 500,
      code: 'save_failed',
    });
    expect(await lab.as.admin.config.general({})).toEqual(defaults);
  });
});

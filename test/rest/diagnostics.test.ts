// GET /api/diagnostics: each check by its real cause, the last errors, and no secret, whatever shows one.
import { chmodSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import type { CheckCode } from '#contract/diagnostics.ts';
import { createLog } from '#kernel/process/log.ts';
import { dayMs } from '#kernel/time/time.ts';
import { fakeDisk } from '../support/fake-disk.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { verifies } from '../support/verifies.ts';

const read = (lab: Lab<never> | Lab<'office'>) => lab.as.admin.diagnostics.read({});

async function checkOf(lab: Lab<never> | Lab<'office'>, code: CheckCode) {
  const { checks } = await read(lab);
  const found = checks.find((one) => one.code === code);
  return { state: found?.state, codes: found?.messageFacts.map((fact) => fact.code), advice: found?.advice };
}

const well = { state: 'ok', codes: [], advice: '' };

describe('checks', () => {
  verifies('rest.diagnostics.checks', 'the mode of the folder and of a file', async () => {
    await using lab = await startLab();
    expect(await checkOf(lab, 'permissions')).toEqual(well);
    chmodSync(lab.dataDir, 0o777);
    chmodSync(path.join(lab.dataDir, 'monitor.json'), 0o644);
    expect(await checkOf(lab, 'permissions')).toEqual({
      state: 'problem',
      codes: ['folder_exposed', 'path_exposed'],
      advice: expect.stringContaining('0700'),
    });
  });

  verifies('rest.diagnostics.checks', 'a clock that is set back', async () => {
    await using lab = await startLab();
    await lab.advance(60_000);
    expect(await checkOf(lab, 'clock')).toEqual(well);
    lab.clock.put(lab.clock.now() - 3 * dayMs);
    await lab.poll();
    expect(await checkOf(lab, 'clock')).toMatchObject({ state: 'problem', advice: expect.stringContaining('NTP') });
  });

  verifies('rest.diagnostics.checks', 'a router that is off, and a poll that failed', async () => {
    await using lab = await startLab({ routers: { office: 'vendor_a' } });
    expect(await checkOf(lab, 'routers')).toEqual(well);
    await lab.as.admin.routers.update({ params: { id: lab.routers.office.id }, body: { pass: 'another one' } });
    await lab.poll();
    expect(await checkOf(lab, 'routers')).toMatchObject({ state: 'problem', codes: ['router_read_failed'] });
    await lab.routers.office[Symbol.asyncDispose]();
    expect(await checkOf(lab, 'routers')).toMatchObject({ state: 'problem', codes: ['router_no_answer'] });
  });

  verifies('rest.diagnostics.checks', 'a disk with little room, with none, and one that cannot be asked', async () => {
    using disk = fakeDisk({ bavail: 900_000, blocks: 1_000_000, bsize: 4096 });
    await using lab = await startLab();
    expect(await checkOf(lab, 'disk')).toEqual(well);
    disk.says = { bavail: 2060, blocks: 1_000_000, bsize: 4096 };
    expect(await checkOf(lab, 'disk')).toMatchObject({ state: 'advice', codes: ['disk_low', 'room_short'] });
    disk.says = { bavail: 1, blocks: 1_000_000, bsize: 4096 };
    expect(await checkOf(lab, 'disk')).toMatchObject({ state: 'problem', codes: ['disk_full', 'room_short'] });
    disk.says = new Error('no such disk');
    expect(await checkOf(lab, 'disk')).toMatchObject({ state: 'unknown', codes: ['disk_unreadable', 'check_failed'] });
  });

  verifies('rest.diagnostics.checks', 'a backup that is missing, and one that is old', async () => {
    await using lab = await startLab();
    expect(await checkOf(lab, 'backups')).toEqual(well);
    await lab.skip(3 * dayMs);
    expect(await checkOf(lab, 'backups')).toMatchObject({ state: 'problem', codes: ['backup_missing'] });
    await lab.as.admin.backup.create({ body: {} });
    expect(await checkOf(lab, 'backups')).toEqual(well);
    await lab.skip(3 * dayMs);
    expect(await checkOf(lab, 'backups')).toMatchObject({ state: 'problem', codes: ['backup_old'] });
  });
});

const planted = {
  router: 'planted-router-password',
  chat: `xoxb-${'1'.repeat(12)}-planted`,
  geo: 'planted-geo-token',
  key: 'planted-threat-key',
  reputation: 'planted-reputation-key',
  ai: 'planted-ai-key-0123456789',
  oidc: 'planted-client-secret',
};

async function plant(lab: Lab<'office'>): Promise<void> {
  const { admin } = lab.as;
  await admin.chat.saveConfig({ body: { token: planted.chat } });
  await admin.config.saveLookups({ body: { geo: { token: planted.geo } } });
  await admin.threat.saveFeedsConfig({ body: { authKey: planted.key } });
  await admin.threat.saveManualThreat({ body: { keys: { rep_a: planted.reputation } } });
  await admin.ai.saveConfig({ body: { keys: { cloud_a: planted.ai } } });
  await admin.auth.saveSecurityConfig({ body: { enabled: false, clientId: '', clientSecret: planted.oidc } });
  await admin.routers.update({ params: { id: lab.routers.office.id }, body: { enablePass: planted.router } });
}

describe('secrets', () => {
  verifies('rest.diagnostics.no-secret', 'none is in the document, and one that a view shows is refused', async () => {
    await using lab = await startLab({ routers: { office: 'vendor_b' } });
    await plant(lab);
    const text = JSON.stringify(await read(lab));
    for (const secret of [...Object.values(planted), lab.adminToken, lab.password]) {
      expect(text).not.toContain(secret);
    }
    const rename = (displayName: string) =>
      lab.as.admin.routers.update({ params: { id: lab.routers.office.id }, body: { displayName } });
    for (const secret of [
      planted.chat,
      planted.geo,
      Buffer.from(planted.oidc).toString('base64'),
      'Bearer 0123456789abcdefgh',
    ]) {
      await rename(`office ${secret}`);
      const refused = await lab.as.raw({ method: 'GET', path: '/api/diagnostics' });
      expect(refused).toMatchObject({
        status: 500,
        body: { code: 'diagnostics_withheld', path: expect.stringContaining('displayName') },
      });
      expect(JSON.stringify(refused.body)).not.toContain(secret);
    }
    await rename('office');
    expect(await read(lab)).toMatchObject({ version: 1 });
  });

  verifies(
    'rest.diagnostics.protected rest.diagnostics.last-errors',
    'who may read, and the newest 200 warnings',
    async () => {
      const log = createLog('hub', 'silent');
      await using lab = await startLab({ hub: { log } });
      const { client } = await lab.as.identity(['network.read', 'settings.write']);
      await expect(client.diagnostics.read({})).rejects.toMatchObject({ status: 403 });
      for (let line = 0; line < 250; line += 1) {
        log.warn({ err: new Error('why'), token: 'hidden' }, `warning ${line}`);
      }
      log.info({}, 'not kept');
      const { lastErrors } = await read(lab);
      expect(lastErrors).toHaveLength(200);
      expect(lastErrors.at(-1)).toMatchObject({ level: 'warn', message: 'warning 249', error: 'why' });
      expect(JSON.stringify(lastErrors)).not.toContain('hidden');
    },
  );
});

// Data sources that are changed while something else is under way: nothing saved is lost, one failure stays one.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { holdFileWork } from '../support/held-files.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { replaceOpen } from '../support/replaced-open.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

function logIn(folder: string, name: string): string {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${name}.log`);
  writeFileSync(file, 'a line from before\n');
  return file;
}

const save = (lab: Lab<never>, body: object) => lab.as.admin.config.saveDataSources({ body });
const untilFollowed = (lab: Lab<never>, name: 'dns' | 'dhcp' | 'inspect') =>
  eventually(
    () => lab.as.admin.config.dataSources({}),
    (all) => (all[name].state === 'following' ? true : undefined),
  );

/** A disk that closes one file and then says that this failed, as network file systems do. */
const failsToClose = (failing: string) =>
  replaceOpen((open) => async (file, ...how) => {
    const handle = await open(file, ...how);
    const { close } = handle;
    handle.close = async () => {
      await close.call(handle);
      if (file === failing) {
        throw Object.assign(new Error('EIO: i/o error, close'), { code: 'EIO' });
      }
    };
    return handle;
  });

test('two saves at once of different fields are both kept', async () => {
  using folder = temporaryFolder();
  await using lab = await startLab({ hub: { logPathPrefixes: [folder.path] } });
  const [before, after] = [logIn(folder.path, 'before'), logIn(folder.path, 'after')];
  await save(lab, { dns: { enabled: false, logFile: before } });
  const letGo = holdFileWork(folder.path);
  const saves = [save(lab, { dns: { enabled: true } }), save(lab, { dns: { logFile: after } })];
  for (let asked = 0; asked < 3; asked += 1) {
    await lab.as.admin.config.dataSources({});
  }
  await letGo();
  await Promise.all(saves);
  expect((await lab.as.admin.config.dataSources({})).dns).toMatchObject({ enabled: true, logFile: after });
  await untilFollowed(lab, 'dns');
});

test('a save is checked against what another one saved in the meantime', async () => {
  using folder = temporaryFolder();
  await using lab = await startLab({ hub: { logPathPrefixes: [folder.path] } });
  await save(lab, { dns: { enabled: false, logFile: logIn(folder.path, 'before') } });
  const letGo = holdFileWork(folder.path);
  const switchedOn = save(lab, { dns: { enabled: true } });
  await lab.as.admin.config.dataSources({});
  await save(lab, { dns: { logFile: '' } });
  const refused = expect(switchedOn).rejects.toMatchObject({ status: 400, code: 'log_path_rejected' });
  await letGo();
  await refused;
  expect((await lab.as.admin.config.dataSources({})).dns).toMatchObject({ enabled: false, logFile: '', state: 'off' });
});

test('a log that cannot be closed fails its own save alone; what is chosen then is followed', async () => {
  using folder = temporaryFolder();
  await using lab = await startLab({ hub: { logPathPrefixes: [folder.path] } });
  const first = logIn(folder.path, 'first');
  using _disk = failsToClose(first);
  await save(lab, { dns: { enabled: true, logFile: first } });
  await untilFollowed(lab, 'dns');
  const [second, leases] = [logIn(folder.path, 'second'), logIn(folder.path, 'leases')];
  const both = { dns: { logFile: second }, dhcp: { enabled: true, logFile: leases } };
  await expect(save(lab, both)).rejects.toMatchObject({ status: 500 });
  await save(lab, { inspect: { enabled: true, logFile: logIn(folder.path, 'inspect') } });
  for (const name of ['dns', 'dhcp', 'inspect'] as const) {
    await untilFollowed(lab, name);
  }
  expect((await lab.as.admin.config.dataSources({})).dns).toMatchObject({ enabled: true, logFile: second });
});

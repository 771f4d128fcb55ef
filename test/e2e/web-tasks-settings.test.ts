// Three tasks in the settings: a second router; a machine with an Agent, up to its approval; a backup that is made, downloaded
// and restored from that file.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { startRouter } from '#simulators/router/start.ts';
import { agentFolder } from '../support/agent-program-lab.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { root, startProgram } from '../support/program.ts';
import { type Scene, testTasks } from '../support/tasks.ts';
import { builtWeb } from '../support/web-build.ts';
import { anything } from '../support/words.ts';

type Home = Lab<'home'>;

const device = '192.168.100.23';

/** A hub with one router already, and a device. */
async function startHome(): Promise<Home> {
  const lab = await startLab({ routers: { home: { kind: 'vendor_a', sessions: 5 } }, hub: { webFolder: builtWeb() } });
  lab.routers.home.flow({ src: device, dst: '198.51.100.7', dport: 443, proto: 'tcp' });
  await lab.poll();
  return lab;
}

async function addSecondRouter({ lab, person, index }: Scene<Home>): Promise<void> {
  const { page, settings } = person.words;
  const { routers: t } = settings;
  await using router = await startRouter('vendor_b', { sessions: 3 });
  const name = `Attic ${index}`;
  await person.goTo('settings');
  await person.press(t.add);
  await person.pick(t.kinds.vendor_b);
  await person.see('crypto key generate rsa');
  await person.press(t.next);
  await person.write(t.name, name);
  await person.write(t.ip, router.url.hostname);
  await person.write(t.port, router.url.port);
  await person.write(t.user, router.credentials.user);
  await person.write(t.pass, router.credentials.password);
  await person.write(t.enablePass, router.credentials.enable ?? '');
  await person.press(t.test);
  await person.see(t.tested);
  await person.see(t.sessionCount(3, '3'));
  await person.press(t.addIt);
  await person.see(t.added(name));
  await person.press(t.rowsCame(3, '3'));
  await person.see(page.connectionsTitle(3, '3'));
  const { routers } = await lab.as.admin.routers.list({});
  const added = routers.find(({ displayName }) => displayName === name);
  expect(added).toMatchObject({ kind: 'vendor_b', state: 'ready', hostKeyPinned: true });
  expect(routers).toHaveLength(2);
  await lab.as.admin.routers.remove({ params: { id: added?.id ?? '' } });
}

async function enrolAgent({ lab, person, index }: Scene<Home>): Promise<void> {
  const { agents: t, sections } = person.words.settings;
  const hostName = `kitchen-pc-${index}`;
  await person.goTo('settings');
  await person.press(sections.agents);
  await person.press(t.makeCode);
  const code = await person.read(t.code);
  const [program, ...typed] = (await person.read(t.command)).split(' ');
  expect([program, ...typed]).toEqual(['gatehouse', 'agent', 'enroll', '--hub', lab.url.origin, '--code', code]);
  using folder = agentFolder();
  const own = ['--data', folder.path, '--store', 'file', '--name', hostName];
  await using agent = startProgram([path.join(root, 'bin/gatehouse.js'), ...typed, ...own]);
  await agent.printed(/^waiting for approval of \S+ as (\S+) in the web UI/m);
  await person.see(t.claimed(hostName));
  await person.within('listitem', t.claimed(hostName)).press(t.approve);
  await person.see(t.approved(hostName));
  expect((await agent.ended).code).toBe(0);
  await person.within('region', t.list).within('listitem', hostName).see(t.active);
  expect(folder.json('record')).toMatchObject({ hubUrl: lab.url.href, hostName });
}

async function restoreDownloadedBackup({ lab, person, index }: Scene<Home>): Promise<void> {
  const { page, settings, restore } = person.words;
  const { backups: t, sections } = settings;
  const notes = async () => Object.values((await lab.as.admin.notes.list({})).notes);
  const [then, now] = [`before the backup ${index}`, `after the backup ${index}`];
  await lab.as.admin.notes.write({ body: { ip: device, note: then } });
  // The safety copies of other restores are older.
  await lab.skip(1000);
  await person.goTo('settings');
  await person.press(sections.backups);
  await person.press(t.create);
  await person.see(t.created(anything));
  // The list is read again after that, so its first entry may still be an older backup.
  const made = (await lab.as.admin.backup.list({})).backups.at(-1)?.name ?? '';
  const newest = person.within('region', t.list).within('listitem', made, 'first');
  const file = await newest.download(t.download);
  expect(readFileSync(file.path).equals(readFileSync(path.join(lab.dataDir, 'backups', file.name)))).toBe(true);
  await lab.as.admin.notes.write({ body: { ip: device, note: now } });
  await person.attach(restore.file, file.path);
  const found = person.within('status', restore.found);
  await found.see(restore.whole);
  await found.press(restore.restore);
  const question = person.within('dialog', restore.title(anything));
  await question.write(restore.typeWord(restore.word), restore.word);
  expect(await notes()).toEqual([now]);
  await question.press(restore.restore);
  await person.see(restore.result(anything, anything));
  expect(await notes()).toEqual([then]);
  await person.within('region', restore.restored).press(page.signIn.submit);
  await person.logIn(lab.password);
  await person.goTo('devices');
  await person.see(then);
}

testTasks(startHome, {
  'a second router is added': addSecondRouter,
  'a machine with an Agent is enrolled, up to its approval': enrolAgent,
  'a backup is made, downloaded, and restored from that file': restoreDownloadedBackup,
});

// What the soak compares with the hub's answers, against a real hub: as it should be, and with violations planted in it.
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { batchOf, enrolAgent, observation } from '../support/agents.ts';
import { startLab } from '../support/lab.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { createChance } from './chance.ts';
import { doubleProblem, lostProblem, readStored } from './invariants/stored.ts';
import type { Ack } from './world/agents.ts';
import { createLedger } from './world/ledger.ts';

test('a batch that was acknowledged is in the database; taken out of it, or cut short, it is lost', async () => {
  await using lab = await startLab();
  const { client } = await enrolAgent(lab);
  const at = lab.clock.now();
  const acks: Ack[] = [];
  for (let index = 0; index < 2; index += 1) {
    const body = batchOf(at, [observation(at), observation(at, { localPort: 50_300 + index })]);
    const { batchId, accepted, duplicate } = await client.agents.ingest({ body });
    acks.push({ batchId, accepted, duplicate, seenAt: at });
  }
  const judge = () => [lostProblem(acks, readStored(lab.dataDir)), doubleProblem(readStored(lab.dataDir))];
  expect(judge()).toEqual([null, null]);
  // In a copy: the hub goes on with its own.
  using folder = temporaryFolder();
  const whole = new Database(path.join(lab.dataDir, 'monitor.db'), { readonly: true });
  whole.prepare('VACUUM INTO ?').run(path.join(folder.path, 'monitor.db'));
  whole.close();
  const planted = () => [lostProblem(acks, readStored(folder.path)), doubleProblem(readStored(folder.path))];
  expect(planted()).toEqual([null, null]);
  const db = new Database(path.join(folder.path, 'monitor.db'));
  try {
    db.exec('DELETE FROM agent_observation WHERE batch = 1 AND place = 1');
    expect(planted()[0]).toBe(`of batch ${acks[0]?.batchId} 2 observations were accepted and 1 are in the database`);
    db.exec('DELETE FROM agent_observation WHERE batch = 2; DELETE FROM agent_batch WHERE id = 2');
    expect(planted()[0]).toMatch(/^1 of 2 batches were acknowledged and are not in the database/);
    // The schema holds each of these once: without its index they can be there twice.
    db.exec(`DROP INDEX agent_observation_id;
      CREATE TEMP TABLE one AS SELECT * FROM agent_observation LIMIT 1;
      UPDATE one SET place = 7; INSERT INTO agent_observation SELECT * FROM one`);
    expect(planted()[1]).toBe('1 observations of Agents are in the database more than once');
  } finally {
    db.close();
  }
});

test('notes and settings are as they were answered; what another hand changes behind the ledger is found', async () => {
  await using lab = await startLab();
  const ledger = createLedger({ admin: lab.as.admin }, createChance(1));
  const problems: string[] = [];
  for (let steps = 0; steps < 60; steps += 1) {
    problems.push(...((await ledger.step()) ?? []));
  }
  expect(problems).toEqual([]);
  expect(ledger.acknowledged).toBeGreaterThan(40);
  await lab.as.admin.config.saveGeneral({ body: { homeCountry: 'IT' } });
  for (let number = 1; number <= 12; number += 1) {
    await lab.as.admin.notes.write({ body: { ip: `10.99.0.${number}`, note: '' } });
  }
  const found = (await Promise.all(Array.from({ length: 4 }, () => ledger.step()))).flatMap((all) => all ?? []);
  expect(found).toEqual(
    expect.arrayContaining([expect.stringMatching(/^the setting general.homeCountry is "IT", but/)]),
  );
  expect(found).toEqual(expect.arrayContaining([expect.stringMatching(/^the note of 10\.99\.0\.\d+ is "", but/)]));
});

test.each([
  [true, 'right'],
  [false, 'found to be lost when nobody says that there was a restore'],
])('after a restore (announced: %s) the notes of the backup are %s', async (isAnnounced) => {
  await using lab = await startLab();
  const ledger = createLedger({ admin: lab.as.admin }, createChance(2));
  const steps = async (count: number) => {
    const found: string[] = [];
    for (let index = 0; index < count; index += 1) {
      found.push(...((await ledger.step()) ?? []));
    }
    return found;
  };
  expect(await steps(40)).toEqual([]);
  await ledger.hold();
  const forget = ledger.snapshot();
  const { name } = await lab.as.admin.backup.create({ body: {} });
  ledger.release();
  expect(await steps(40)).toEqual([]);
  await ledger.hold();
  await lab.as.admin.backup.restore({ body: { name } });
  if (isAnnounced) {
    forget();
  }
  ledger.release();
  const found = await steps(4);
  expect(found.length > 0 && found.every((problem) => problem.startsWith('the note of '))).toBe(!isAnnounced);
});

// What collectors leave behind, by `gatehouse gate` as its user types it: every run stored, under a name, and nothing better.
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { collectors } from '#gate/collect/collectors.ts';
import { items } from '#gate/evidence/items.ts';
import { sha256 } from '#kernel/text/digest.ts';
import { type GateDesk, openGateDesk } from '../support/gate-desk.ts';

const folderOf = (desk: GateDesk) => `${desk.evidence}.transcripts`;
const transcriptOf = (desk: GateDesk, number: number) =>
  readFileSync(`${folderOf(desk)}/refreshRevocation.${number}.json`, 'utf8');
const provenanceOf = (desk: GateDesk) =>
  desk.item('refreshRevocation').provenance as { by: string; attempts: string[]; transcriptSha256: string };

describe('a run', () => {
  it('is stored with its number, its name and what it was about, also when it failed', async () => {
    await using desk = await openGateDesk();
    desk.issuer.fail('replay-accepted');
    expect((await desk.collect('refresh-replay')).code).toBe(1);
    desk.issuer.clearFaults();
    expect((await desk.collect('refresh-replay', '--by', 'Ada Example')).code).toBe(0);
    expect(readdirSync(folderOf(desk)).sort()).toEqual(['refreshRevocation.1.json', 'refreshRevocation.2.json']);
    expect(statSync(folderOf(desk)).mode & 0o777).toBe(0o700);
    const [first, second] = [transcriptOf(desk, 1), transcriptOf(desk, 2)];
    expect(JSON.parse(first)).toMatchObject({ number: 1, by: 'Desk Operator', passed: false });
    expect(JSON.parse(second)).toMatchObject({
      item: 'refreshRevocation',
      collector: 'refresh-replay',
      by: 'Ada Example',
      commit: desk.settings.MCP_GATE_DEPLOYED_COMMIT,
      endpoint: desk.settings.MCP_GATE_ENDPOINT,
      issuer: desk.issuer.issuer,
      passed: true,
    });
    expect(desk.item('refreshRevocation')).toMatchObject({ passed: true, endpoint: desk.settings.MCP_GATE_ENDPOINT });
    expect(provenanceOf(desk)).toMatchObject({ by: 'Ada Example', attempts: [sha256(first), sha256(second)] });
  });

  it('of a part leaves what speaks against the rest, and the time of the rest', async () => {
    await using desk = await openGateDesk();
    desk.issuer.fail('two-audiences');
    expect((await desk.collect('refresh-replay')).code).toBe(1);
    desk.issuer.clearFaults();
    const { code, stdout } = await desk.collect('access-token-lifetime');
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining('says why it must not pass') });
    expect((await desk.collect('refresh-replay')).code).toBe(0);
    const { testedAt } = desk.item('refreshRevocation');
    expect((await desk.collect('access-token-lifetime')).code).toBe(0);
    expect(desk.item('refreshRevocation')).toMatchObject({ passed: true, testedAt });
    expect(provenanceOf(desk).attempts).toHaveLength(4);
  });

  it('needs the name of a person, before anything is asked', async () => {
    await using desk = await openGateDesk();
    const { MCP_GATE_OPERATOR: _, ...settings } = desk.settings;
    desk.settings = settings;
    desk.save();
    for (const args of [[], ['--by', '?']]) {
      expect(await desk.collect('refresh-replay', ...args)).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/--by/),
      });
    }
    expect(desk.issuer.journal()).toEqual([]);
    desk.settings = { ...settings, MCP_GATE_EVIDENCE_POLICY: 'declared' };
    desk.save();
    expect(await desk.gate('run', '--env', desk.env)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('needs MCP_GATE_OPERATOR'),
    });
  });

  it('whose transcript is gone is not signed, and its item never passes again', async () => {
    await using desk = await openGateDesk();
    const key = `${desk.folder}/operator.key`;
    await desk.gate('keygen', '--out', key);
    expect((await desk.collect('refresh-replay')).code).toBe(0);
    const sign = () => desk.gate('sign', 'evidence', desk.evidence, '--key', key);
    expect((await sign()).code).toBe(0);
    rmSync(`${folderOf(desk)}/refreshRevocation.1.json`);
    expect(await sign()).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/was not signed: refreshRevocation: 1 of 1 transcript/),
    });
    expect(await desk.collect('refresh-replay')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('1 of 2 transcript(s) it names are missing'),
    });
  });
});

it('the rules of the items name the collectors that there are', () => {
  const named = items.flatMap(({ name, collector, partialCollectors = [] }) => [
    ...(collector === null ? [] : [[collector, name, false]]),
    ...partialCollectors.map((one) => [one, name, true]),
  ]);
  expect(named.sort()).toEqual(collectors.map(({ name, item, partial = false }) => [name, item, partial]).sort());
});

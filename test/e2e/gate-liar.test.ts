// What a liar with a text editor can reach: a report that names who lied, and with a key nothing.
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { items } from '#gate/evidence/items.ts';
import { transcriptFolder, transcriptPath } from '#gate/evidence/transcripts.ts';
import { toRemarks } from '#gate/remarks.ts';
import { readyStatus } from '#gate/report.ts';
import { createKeyPair } from '#gate/signature.ts';
import { writeJson, writeText } from '#kernel/files/files.ts';
import { sha256 } from '#kernel/text/digest.ts';
import { stagedOperator } from '../../scripts/stage.ts';
import { collectedOn, collectItem } from '../gate/collected.ts';
import { type GateStage, startGateStage, withDependents } from '../support/gate-stage.ts';

let gate: GateStage;
beforeAll(async () => {
  gate = await startGateStage();
}, 120_000);
afterAll(() => gate[Symbol.asyncDispose]());
beforeEach(() => gate.restore());

const strict = items.filter(({ requiredBy }) => requiredBy.includes('strict'));
const liar = 'Mallory Example';

/** Makes every transcript and every item up, with digests that agree. */
function forge(name: string): void {
  const { evidence } = gate.stage;
  let document = readFileSync(evidence, 'utf8');
  for (const { name: item, collector } of strict) {
    if (collector !== null) {
      const file = transcriptPath(evidence, item, 1);
      const before = readFileSync(file, 'utf8');
      const forged = before.replace(`"by": "${stagedOperator}"`, `"by": "${name}"`).replace('saw it', 'made it up');
      writeText(file, forged);
      document = document.replaceAll(sha256(before), sha256(forged));
    }
  }
  writeText(evidence, document.replaceAll(`"by": "${stagedOperator}"`, `"by": "${name}"`));
}

test('everything made up, consistently: ready, under a name that report and table show', async () => {
  forge(liar);
  const report = await gate.run();
  expect(report).toMatchObject({
    status: readyStatus,
    evidenceSigned: false,
    evidence: { policy: 'provenance', measured: 7, attested: 2, declared: 0, signedBy: null },
  });
  expect(new Set(report.evidence.items.map(({ by }) => by))).toEqual(new Set([liar]));
  const said = toRemarks(report).join(' ');
  expect(said).toContain(`It is stated by ${liar}.`);
  expect(said).toContain(`rollback is attested by ${liar}`);
  expect(said).toContain('The evidence is not signed');
  expect(said).toContain('A private CA was trusted');
});

test('the same without a name, or where a key is configured: no report that is ready', async () => {
  forge('');
  expect((await gate.run()).failedChecks).toEqual(withDependents(strict.map(({ name }) => `evidence.${name}`)));
  await gate.restore();
  forge(liar);
  const key = path.join(gate.stage.folder, 'operator.pub');
  writeText(key, createKeyPair().publicPem);
  gate.stage.set({ MCP_GATE_EVIDENCE_KEY_PATH: key });
  expect((await gate.run()).failedChecks).toEqual(['evidence.signature']);
});

test("policy declared: the specification's minimum is enough, counted, under the name of the operator", async () => {
  const { evidence } = gate.stage;
  const document = JSON.parse(readFileSync(evidence, 'utf8')) as Record<string, unknown>;
  const bare = Object.entries(document).map(([name, value]) => {
    const { endpoint: _e, issuer: _i, resource: _r, provenance: _p, ...item } = Object(value);
    return [name, typeof value === 'object' ? item : value];
  });
  writeJson(evidence, Object.fromEntries(bare));
  rmSync(transcriptFolder(evidence), { recursive: true });
  gate.stage.set({ MCP_GATE_EVIDENCE_POLICY: 'declared' });
  const report = await gate.run();
  expect(report).toMatchObject({
    status: readyStatus,
    evidence: { policy: 'declared', measured: 0, attested: 0, declared: 9, declaredBy: stagedOperator },
  });
  expect(toRemarks(report).join(' ')).toContain(`9 item(s) say nothing of how they came about; ${stagedOperator}`);
});

test('runs that failed before one passed are counted in the report', async () => {
  collectItem(collectedOn(gate.stage), 'directIngress', { fields: { portsClosed: false } });
  collectItem(collectedOn(gate.stage), 'directIngress');
  const report = await gate.run();
  expect(report.status).toBe(readyStatus);
  const { items: statements } = report.evidence;
  expect(statements.find(({ item }) => item === 'directIngress')).toMatchObject({ attempts: 3, failedAttempts: 1 });
  expect(toRemarks(report)).toContain('directIngress: 1 of 3 runs did not pass.');
});

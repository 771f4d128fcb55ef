// `npm run demo:gate` as an operator starts it: all evidence collected, the gate passed, the report verified.
import { expect } from 'vitest';
import { readyStatus } from '#gate/report.ts';
import { startProgram } from '../support/program.ts';
import { verifies } from '../support/verifies.ts';

verifies('gate.run.ready-state gate.evidence.era-2025 gate.evidence.era-2026', 'ends ready and signed', async () => {
  await using program = startProgram(['scripts/demo-gate.ts']);
  const ending = await program.ended;
  const text = program.stdout();
  expect({ ...ending, failures: text.match(/^.*(?:NOT passed|FAIL |UNTESTABLE).*$/gm) }).toEqual({
    code: 0,
    signal: null,
    failures: null,
  });
  expect(text).toContain(readyStatus);
  expect(text).toContain('The evidence is signed.');
  expect(text).toContain('the report stands');
  const [, seconds = '999'] = /^finished after (\d+) s$/m.exec(text) ?? [];
  process.stdout.write(`demo:gate took ${seconds} s\n`);
  expect(text + program.stderr()).not.toMatch(/eyJ[\w-]{10}|svc_[0-9a-f]{64}/);
});

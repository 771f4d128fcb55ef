// A run of the gate where nothing is right: what its report says of the run itself.
import path from 'node:path';
import { expect, test } from 'vitest';
import { evidenceTemplate } from '#gate/evidence/template.ts';
import { runGate } from '#gate/run.ts';
import { writeJson, writeText } from '#kernel/files/files.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { startProbeLab } from '../support/probe-lab.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('the report says whether a private CA was trusted', async () => {
  await using lab = await startProbeLab();
  using folder = temporaryFolder();
  const file = (name: string) => path.join(folder.path, name);
  writeText(file('ca.pem'), lab.authority.cert);
  writeJson(file('evidence.json'), evidenceTemplate('strict', '0'.repeat(40)));
  const { config } = lab.context();
  const privateCa = async (caPath: string | undefined) => {
    lab.answers(() => ({ status: 500 }));
    const report = await runGate({
      config: { ...config, MCP_GATE_CA_PATH: caPath },
      evidencePath: file('evidence.json'),
      reportPath: file('report.json'),
      clock: systemClock,
      onFinding: () => {},
      onBurst: () => {},
    });
    expect(report.status).toBe('failed');
    // Without it nothing is asked of an endpoint that cannot be known.
    expect(lab.asked.length > 0).toBe(report.privateCa);
    return report.privateCa;
  };
  expect(await privateCa(file('ca.pem'))).toBe(true);
  expect(await privateCa(undefined)).toBe(false);
});

// The unit of the service: nothing in it blinds the Agent. test/packaging/units.test.ts has what all units must be.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../support/program.ts';

const unit = path.join(root, 'packaging/gatehouse-agent.service');

test('sets nothing that hides what the Agent watches, and names the key of the sealed store', () => {
  const lines = readFileSync(unit, 'utf8')
    .split('\n')
    .filter((line) => /^[A-Z]\w+=/.test(line));
  const blinding =
    /^(?:ProtectProc|ProcSubset|PrivateNetwork|PrivateUsers|ProtectKernelTunables|MemoryDenyWriteExecute)=/;
  expect(lines.filter((line) => blinding.test(line))).toEqual([]);
  expect(lines).toContain('DynamicUser=yes');
  expect(lines).toContain('CapabilityBoundingSet=CAP_SYS_PTRACE CAP_DAC_READ_SEARCH CAP_NET_ADMIN');
  expect(lines.find((line) => line.startsWith('LoadCredentialEncrypted=agent-key:'))).toBeDefined();
});

// The unit of the service: systemd accepts it, it is hardened, and nothing in it blinds the Agent.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../support/program.ts';
import { withPrograms } from '../support/real-programs.ts';

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

withPrograms('systemd', ['systemd-analyze'], () => {
  const analyze = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('systemd-analyze', [...args, unit], { encoding: 'utf8' });
    return { status, text: stdout + stderr };
  };

  test('verify finds nothing', () => {
    expect(analyze('verify')).toEqual({ status: 0, text: '' });
  });

  test('its exposure is at most 2.5', () => {
    const { text } = analyze('security', '--offline=true', '--no-pager');
    const level = Number(/Overall exposure level for \S+: (\d+\.\d+)/.exec(text)?.[1] ?? Number.NaN);
    expect(level).toBeLessThanOrEqual(2.5);
  });
});

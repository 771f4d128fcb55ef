// The client library of Prometheus for Python reads /metrics of a hub, in both formats, with its strict parsers.
import path from 'node:path';
import { expect } from 'vitest';
import { startLab } from '../support/lab.ts';
import { root, runProgram } from '../support/program.ts';
import { python, withPython } from '../support/real-programs.ts';
import { verifies } from '../support/verifies.ts';

withPython('python3-prometheus-client', ['prometheus_client'], () => {
  verifies('rest.metrics.parsed', 'OpenMetrics and text have the same series with the same labels', async () => {
    const displayName = 'Attic "A" \\ C, {x="1"} #';
    await using lab = await startLab({ routers: { a: 'vendor_a' }, records: { a: { displayName } } });
    const { token } = await lab.as.identity(['network.read']);
    const url = new URL('/metrics', lab.url).href;
    const { code, stdout, stderr } = await runProgram(
      [path.join(root, 'test/clients/with_prometheus_client.py'), url, token],
      { command: python },
    );
    expect(code, stderr).toBe(0);
    const [openMetrics, text] = JSON.parse(stdout) as [string, Record<string, string>][][];
    expect(openMetrics).toEqual(text);
    const labels = { router: lab.routers.a.id, name: displayName, outcome: 'complete' };
    expect(openMetrics).toContainEqual(['gatehouse_router_polls_total', labels]);
  });
});

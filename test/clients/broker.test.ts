// paho-mqtt publishes to and subscribes at the simulated broker over TLS.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { startBroker } from '#simulators/index.ts';
import { root, runProgram } from '../support/program.ts';
import { python, withPython } from '../support/real-programs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

withPython('python3-paho-mqtt', ['paho.mqtt.client'], () => {
  test('paho hears every quality of service, and the retained message, over TLS', async () => {
    using folder = temporaryFolder();
    const login = { user: 'ha', password: 'Broker-password-1' };
    await using broker = await startBroker(login);
    const ca = path.join(folder.path, 'ca.pem');
    writeFileSync(ca, broker.ca ?? '');
    const { code, stdout, stderr } = await runProgram(
      [path.join(root, 'test/clients/with_paho.py'), broker.tlsUrl.port, ca, login.user, login.password],
      { command: python },
    );
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toEqual([
      ['ups/kept', 'before', 1, true],
      ['ups/value', 'quality 0', 0, false],
      ['ups/value', 'quality 1', 1, false],
      ['ups/value', 'quality 2', 2, false],
      ['ups/value', 'end', 2, false],
    ]);
  });
});

// Runs the command of the sensor as Home Assistant does, against a simulated UPS, and looks for each of its attributes.
import assert from 'node:assert/strict';
import { exec } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startUps } from 'gatehouse-simulators';
import { parse } from 'yaml';

test('the sensor has its state and every attribute', async () => {
  const { sensor } = parse(readFileSync(new URL('configuration.yaml', import.meta.url), 'utf8')).command_line[0];
  const folder = mkdtempSync(path.join(tmpdir(), 'home-assistant-'));
  try {
    await using ups = await startUps({ seed: 0 });
    const { user, password } = ups.credentials;
    const file = path.join(folder, 'upsget.conf');
    writeFileSync(file, `[ups]\nip = ${ups.url.host}\nusername = ${user}\npassword = ${password}\n`, { mode: 0o600 });
    const command = sensor.command.replace('/config/upsget.conf', file);
    // npm has put node_modules/.bin, where upsget is, first in PATH.
    const { stdout } = await promisify(exec)(command);
    const values = JSON.parse(stdout);
    assert.equal(values.status, 'On Line');
    assert.deepEqual(
      sensor.json_attributes.filter((name) => typeof values[name] !== 'number'),
      [],
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

// What is refused of the settings before any connection, and what may just pass.
import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { Failure } from '#upsget/failure.ts';
import { parseOptions } from '#upsget/options.ts';
import { resolveSettings } from '#upsget/settings.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

function settingsOf(args: readonly string[], env: Record<string, string> = {}, warnings: string[] = []) {
  const options = parseOptions(args);
  if (typeof options === 'string') {
    throw new Error('these are no arguments for a reading');
  }
  return resolveSettings(options, env, (text) => void warnings.push(text));
}

const ups = ['--config', '/nonexistent/upsget.conf', 'ups.example', 'operator', 'Ups-password-1'];
const mqtt = [...ups, '--mqtt-send', 'broker.example'];

function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(Failure);
    return (error as Failure).message;
  }
  return 'not refused';
}

describe('user and password of the broker', () => {
  test.each([
    ['none', {}, { user: null, password: null }],
    ['a user alone', { UPSGET_MQTT_USER: 'ha' }, { user: 'ha', password: null }],
    ['both', { UPSGET_MQTT_USER: 'ha', UPSGET_MQTT_PASSWORD: 'r \t"n' }, { user: 'ha', password: 'r \t"n' }],
  ])('%s', (_what, env: Record<string, string>, expected) => {
    expect(settingsOf(mqtt, env).mqtt).toMatchObject({ broker: 'broker.example', ...expected });
  });

  test.each(['\r', '\n', '\0'])('neither may have a %j: the option file has one option a line', (end) => {
    const says = 'MQTT user and password must be one line each';
    const user = { UPSGET_MQTT_USER: `ha${end}-P x`, UPSGET_MQTT_PASSWORD: 'secret' };
    expect(refusal(() => settingsOf(mqtt, user))).toBe(says);
    expect(refusal(() => settingsOf([...mqtt, '--mqtt-user', 'ha', `--mqtt-password=${end}x`]))).toBe(says);
  });

  test('a password needs a user', () => {
    expect(refusal(() => settingsOf(mqtt, { UPSGET_MQTT_PASSWORD: 'secret' }))).toBe(
      'there is an MQTT password but no user; add --mqtt-user',
    );
  });
});

test('host names of trapper items are as long as the server allows, and end in no blank', () => {
  const hostOf = (name: string) =>
    settingsOf([...ups, '--trapper-send', 'zabbix.example', '--trapper-host', name]).trapper?.host;
  for (const name of ['my ups_1.2-3', 'x', 'x'.repeat(128)]) {
    expect(hostOf(name)).toBe(name);
  }
  for (const name of ['x'.repeat(129), ' x', 'x ', 'a:b', 'a"b']) {
    expect.soft(refusal(() => hostOf(name))).toContain('cannot be the host name of trapper items');
  }
  expect(refusal(() => settingsOf([...ups, '--trapper-send', 'zabbix.example:1']))).toBe(
    '--trapper-send takes an address alone; give the port with --trapper-port',
  );
});

test('what is quoted of a wrong value is one line, and not endless', () => {
  const refused = refusal(() => settingsOf([...ups.slice(0, 2), `${'x '.repeat(80)}\n`, 'u', 'p']));
  expect(refused).toBe(`"${'x '.repeat(50)}…" is not a valid IP address or host name`);
  expect(refusal(() => settingsOf([...ups.slice(0, 2), 'a\nb', 'u', 'p']))).toMatch(/^"a\\nb" is not a valid/);
});

test.runIf(process.platform !== 'win32')('a file with a password that others can read is warned of, once', () => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'conf');
  const warningsOf = (text: string, mode: number) => {
    writeFileSync(file, text);
    chmodSync(file, mode);
    const warnings: string[] = [];
    settingsOf(['--config', file, 'ups.example', '', 'p', '--mqtt-send', 'broker.example'], {}, warnings);
    return warnings;
  };
  const secret = '[ups]\nusername = u\n[mqtt]\nusername = ha\npassword = p\n';
  const warning = `${file} holds a password and others can read it; chmod 600 ${file}`;
  expect(warningsOf(secret, 0o640)).toEqual([warning]);
  expect(warningsOf(secret, 0o604)).toEqual([warning]);
  expect(warningsOf(secret, 0o700)).toEqual([]);
  expect(warningsOf('[ups]\nusername = u\n', 0o644)).toEqual([]);
});

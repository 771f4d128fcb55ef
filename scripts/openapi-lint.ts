// What the linter says of an OpenAPI document, by the rules of redocly.yaml.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { root } from './sources.ts';

/** Without its report of use and its look for a newer version: nothing leaves this machine. */
const env = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_NOTIFICATIONS: 'true' };

/** Violations of `file` as text; empty when there are none. */
export function openApiViolations(file: string): string {
  const cli = path.join(root, 'node_modules/@redocly/cli/bin/cli.js');
  const args = [cli, 'lint', file, '--config', path.join(root, 'redocly.yaml'), '--format', 'stylish'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', env });
  return status === 0 ? '' : `${stdout}${stderr}`;
}

// An operator's desk: private files for the gate, and `gatehouse gate` as a program, against a simulated issuer.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { evidenceTemplate } from '#gate/evidence/template.ts';
import { writeJson, writeText } from '#kernel/files/files.ts';
import { type IssuerOptions, type IssuerSimulator, startIssuer } from '#simulators/oidc/issuer.ts';
import { type Certificate, createAuthority } from '#simulators/support/certificates.ts';
import { envText } from '../../scripts/env-text.ts';
import { watchLeaks } from './leak-guard.ts';
import { startProgram } from './program.ts';
import { temporaryFolder } from './temporary-folder.ts';

export const commit = '0123456789abcdef0123456789abcdef01234567';

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface GateDesk extends AsyncDisposable {
  readonly folder: string;
  readonly issuer: IssuerSimulator;
  readonly evidence: string;
  readonly env: string;
  settings: Record<string, string>;
  /** Writes `settings` to the environment file. */
  save(): void;
  gate(...args: string[]): Promise<Ended>;
  /** `gate collect NAME --automatic`, against the evidence of the desk. */
  collect(name: string, ...args: string[]): Promise<Ended>;
  item(name: string): Record<string, unknown>;
}

let made: Promise<{ ca: string; certificate: Certificate }> | null = null;

/** One for all desks of a test file: keys are dear to make. */
function loopbackCertificate() {
  made ??= createAuthority().then(async (authority) => ({
    ca: authority.cert,
    certificate: await authority.issue(['127.0.0.1']),
  }));
  return made;
}

export async function openGateDesk(options: Omit<IssuerOptions, 'certificate'> = {}): Promise<GateDesk> {
  await using opened = new AsyncDisposableStack();
  opened.use(watchLeaks());
  const folder = opened.use(temporaryFolder());
  const { ca, certificate } = await loopbackCertificate();
  const issuer = opened.use(await startIssuer({ ...options, certificate }));
  const file = (name: string) => path.join(folder.path, name);
  writeText(file('ca.pem'), ca);
  writeJson(file('evidence.json'), evidenceTemplate('strict', commit));
  const resource = 'https://mcp.gatehouse.test/mcp';
  const settings: Record<string, string> = {
    MCP_GATE_ENDPOINT: resource,
    MCP_GATE_RESOURCE: resource,
    MCP_GATE_ISSUER: issuer.issuer,
    MCP_GATE_CONNECT_ADDRESS: '127.0.0.1',
    MCP_GATE_READ_SCOPE: 'network.read',
    MCP_GATE_WRITE_SCOPE: 'notes.write',
    MCP_GATE_DEPLOYED_COMMIT: commit,
    MCP_GATE_OPERATOR: 'Desk Operator',
    MCP_GATE_EVIDENCE_PATH: file('evidence.json'),
    MCP_GATE_REPORT_PATH: file('report.json'),
    MCP_GATE_AUDIT_DB_PATH: file('audit.db'),
    MCP_GATE_MONITOR_URL: 'http://127.0.0.1:9',
    MCP_GATE_MONITOR_TOKEN: 'marked-monitor-token',
    MCP_GATE_READ_TOKEN: 'marked-read-token',
    MCP_GATE_WRITE_TOKEN: 'marked-write-token',
    MCP_GATE_EXPIRED_TOKEN: 'marked-expired-token',
    MCP_GATE_WRONG_AUDIENCE_TOKEN: 'marked-audience-token',
    MCP_GATE_REVOKED_EXPIRED_TOKEN: 'marked-revoked-token',
    MCP_GATE_CA_PATH: file('ca.pem'),
    MCP_GATE_TIMEOUT_MS: '5000',
  };
  const desk: GateDesk = {
    folder: folder.path,
    issuer,
    evidence: file('evidence.json'),
    env: file('gate.env'),
    settings,
    save() {
      writeText(desk.env, envText(desk.settings));
    },
    async gate(...args) {
      await using program = startProgram(['src/main.ts', 'gate', ...args]);
      const { code } = await program.ended;
      return { code, stdout: program.stdout(), stderr: program.stderr() };
    },
    collect: (name, ...args) => desk.gate('collect', name, '--env', desk.env, '--automatic', ...args),
    item: (name) =>
      (JSON.parse(readFileSync(desk.evidence, 'utf8')) as Record<string, Record<string, unknown>>)[name] ?? {},
    [Symbol.asyncDispose]: () => whole.disposeAsync(),
  };
  desk.save();
  const whole = opened.move();
  return desk;
}

// `npm run demo:gate`: a staged publication on loopback, every item of evidence collected, the gate run, the report
// verified. What a person would attest is attested under the name of the demo.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startWitness } from '#gate/collect/witness.ts';
import { readGateConfig } from '#gate/config.ts';
import { messageOf } from '#kernel/errors.ts';
import { stopSignal } from '#kernel/process/stop-signal.ts';
import { stopwatch } from '#kernel/time/clock.ts';
import { type Stage, stagedCommit, stagedOperator, startStage } from './stage.ts';

const usage = `Usage: npm run demo:gate

Starts hub, MCP server, issuer, TLS proxy, name server and a router on loopback, collects the evidence, and runs the
publication gate. It ends with the status of the report.
`;

/** The commands an operator types, in their order, and what is made ready before one of them. */
async function demoGate(stop: AbortSignal): Promise<number> {
  const elapsed = stopwatch();
  const say = (text: string) => process.stdout.write(`\n# ${text}\n`);
  await using stage = await startStage({ progress: say });
  const { evidence, mcpEnv, folder } = stage;
  const key = path.join(folder, 'operator.key');
  const gate = (...args: string[]) => runGateCommand(stage, args, stop);
  await gate('keygen', '--out', key);
  await gate('template', '--commit', stagedCommit, '--out', evidence);
  await gate('collect', 'refresh-replay', '--automatic');
  say('the clock of the issuer goes back, so that nobody waits until the revoked token has expired');
  const revoked = path.join(folder, 'revoked.token');
  const backMs = stage.tokenSource.lifetimeMs + 120_000;
  stage.tokenSource.clock.advance(-backMs);
  await gate('collect', 'revocation', '--automatic', '--token-out', revoked);
  stage.tokenSource.clock.advance(backMs);
  stage.set({ MCP_GATE_REVOKED_EXPIRED_TOKEN: readFileSync(revoked, 'utf8') });
  await gate('collect', 'client-runs', '--automatic');
  await gate('collect', 'credential-rotation', '--mcp-env', mcpEnv);
  say('gatehouse gate witness, on the host behind the proxy');
  const witness = await startWitness({ config: readGateConfig(stage.gateEnv), host: '127.0.0.2', port: 0 });
  await gate('collect', 'direct-ingress', '--address', '127.0.0.2', '--witness', String(witness.port));
  await witness[Symbol.asyncDispose]();
  say('the key set of the issuer goes out of reach');
  stage.issuer.fail('jwks-down');
  await runGateCommand(stage, ['collect', 'jwks-outage', '--mcp-env', mcpEnv], stop, (text) => {
    if (text.includes('Let the key set be reached again')) {
      stage.issuer.clearFaults();
    }
  });
  await gate('attest', 'rollback', '--by', stagedOperator);
  await gate('attest', 'authorizationServerRestore', '--by', stagedOperator);
  say('limits: this waits for a deadline of the server, half a minute');
  await stage.restartMcp();
  await gate('collect', 'reverse-proxy-limits');
  await gate('sign', 'evidence', evidence, '--key', key);
  say('the gate');
  await stage.restartMcp();
  stage.set({ MCP_GATE_EVIDENCE_KEY_PATH: `${key}.pub`, MCP_GATE_SIGNING_KEY_PATH: key });
  const code = await gate('run');
  const about = ['--commit', stagedCommit, '--endpoint', stage.settings.MCP_GATE_ENDPOINT ?? ''];
  await gate('verify-report', stage.report, ...about, '--evidence', evidence, '--key', `${key}.pub`);
  process.stdout.write(`\nfinished after ${Math.round(elapsed() / 1000)} s\n`);
  return code;
}

/** Which commands read the environment file of the gate. */
const withEnv = ['run', 'collect', 'attest'];

/** Runs `gatehouse gate` as its user does; shows the command, and resolves to its exit code. `onText`: what it writes on stderr. */
async function runGateCommand(
  { gateEnv }: Stage,
  args: string[],
  stop: AbortSignal,
  onText: (text: string) => void = () => {},
): Promise<number> {
  stop.throwIfAborted();
  const all = withEnv.includes(args[0] ?? '') ? [...args, '--env', gateEnv] : args;
  process.stdout.write(`\n$ gatehouse gate ${all.join(' ')}\n`);
  const entry = fileURLToPath(new URL('../src/main.ts', import.meta.url));
  const child = spawn(process.execPath, [entry, 'gate', ...all], { stdio: ['ignore', 'inherit', 'pipe'] });
  child.stderr.on('data', (bytes: Buffer) => {
    process.stderr.write(bytes);
    onText(bytes.toString('utf8'));
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

try {
  if (process.argv.slice(2).some((word) => word === '--help' || word === '-h')) {
    process.stdout.write(usage);
  } else {
    process.exitCode = await demoGate(stopSignal());
  }
} catch (error) {
  console.error(`demo:gate: ${messageOf(error)}`);
  process.exitCode = 1;
}

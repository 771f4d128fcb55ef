// `gatehouse gate witness`: runs on the host behind the proxy while `collect direct-ingress` runs outside.
import { hasPassed, systemClock } from '#kernel/time/clock.ts';
import { startWitness } from '../collect/witness.ts';
import { readGateConfig, requirePublicationProfile } from '../config.ts';
import { type Command, parseOptions, requireOption, UsageError, writeProgress } from './command.ts';

const lastsMs = 600_000;

export const witnessCommand: Command = {
  summary: 'on the host behind the proxy: answer `collect direct-ingress`, to show that an address is this host',
  usage: `Usage: gatehouse gate witness --env FILE --port N [--host A]

Verifies that the hub and the MCP server answer at the configured ports, then listens on port N for ten minutes, or until
it is stopped. Open that port in the firewall for as long, run \`gatehouse gate collect direct-ingress --witness N\` on a
machine outside with the same environment file, then close it again. It answers a challenge and does nothing else.

Options
  --env FILE  private environment file of the gate, mode 0600
  --port N    port to listen on
  --host A    address to listen on (0.0.0.0)
`,
  async run(argv, signal) {
    const { values } = parseOptions(argv, {
      env: { type: 'string' },
      port: { type: 'string' },
      host: { type: 'string' },
    });
    const config = readGateConfig(requireOption(values.env, 'env'));
    requirePublicationProfile(config, 'gate witness');
    const port = /^\d{1,5}$/.test(values.port ?? '') ? Number(values.port) : Number.NaN;
    if (!(port <= 65_535)) {
      throw new UsageError('--port must be a port number');
    }
    await using witness = await startWitness({ config, host: values.host ?? '0.0.0.0', port });
    process.stdout.write(`gatehouse gate witness ready on port ${witness.port}\n`);
    await hasPassed(systemClock, lastsMs, signal);
    writeProgress('the witness has ended\n');
    return 0;
  },
};

// `gatehouse sim mqtt`.
import { writeFileSync } from 'node:fs';
import { messageOf } from '#kernel/errors.ts';
import { UsageError } from '#kernel/process/program.ts';
import { optionNumber, optionText, type SimulatorCommand, serveControl } from '../command.ts';
import type { ApiName, OptionTable } from '../option-table.ts';
import { type BrokerOptions, startBroker } from './broker.ts';
import { brokerControlRoutes } from './control.ts';
import { brokerFaults, requireFaultOptions } from './faults.ts';

export const brokerOptions = {
  'tls-port': {
    takes: 'N',
    says: 'port of MQTT over TLS; 0 picks a free one, as --port 0 does (8883)',
    api: 'tlsPort',
    differs: 'a free port when absent',
  },
  'ca-file': {
    takes: 'FILE',
    says: 'writes the certificate to trust for TLS to this file',
    api: null,
    differs: '`ca` of what is started has the certificate',
    isFile: true,
  },
  'mqtt-user': {
    takes: 'NAME',
    says: 'asks for this user name and for --mqtt-password (anybody may connect)',
    api: 'user',
  },
  'mqtt-password': { takes: 'TEXT', says: 'the password of that user', api: 'password' },
} satisfies OptionTable<ApiName<BrokerOptions>>;

export const brokerCommand: SimulatorCommand = {
  kind: 'mqtt',
  ports: { port: 1883, control: 2935 },
  help: { title: 'MQTT broker' },
  options: brokerOptions,
  faults: brokerFaults,
  checkFault: requireFaultOptions,
  plan(given) {
    const tlsPort = optionNumber(given, 'tls-port', [0, 65_535], null);
    const user = optionText(given, 'mqtt-user');
    const password = optionText(given, 'mqtt-password');
    if ((user === null) !== (password === null)) {
      throw new UsageError('--mqtt-user and --mqtt-password come together');
    }
    const caFile = optionText(given, 'ca-file');
    return async (starting) => {
      const { options, stack } = starting;
      const usualTlsPort = options.port === 0 ? 0 : 8883;
      const broker = stack.use(await startBroker({ ...options, tlsPort: tlsPort ?? usualTlsPort, user, password }));
      if (caFile !== null) {
        writeCertificate(caFile, broker.ca ?? '');
      }
      const control = await serveControl(starting, {
        title: 'Simulated MQTT broker',
        control: broker,
        extra: brokerControlRoutes(broker),
      });
      return { url: broker.url.href, control, tlsUrl: broker.tlsUrl.href, user, password };
    };
  },
};

function writeCertificate(file: string, pem: string): void {
  try {
    writeFileSync(file, pem);
  } catch (cause) {
    throw new Error(`--ca-file: ${file} cannot be written: ${messageOf(cause)}`, { cause });
  }
}

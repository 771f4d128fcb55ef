// Peers that accept a connection and say nothing: upsget gives them up within its own limits, and cleans up.
import { describe, expect } from 'vitest';
import { startBroker } from '#simulators/mqtt/broker.ts';
import { startTrapper } from '#simulators/trapper/trapper.ts';
import { withPrograms } from '../support/real-programs.ts';
import { startUpsLab } from '../support/ups-lab.ts';
import { runUpsget, withoutPrograms } from '../support/upsget.ts';
import { verifies } from '../support/verifies.ts';

withPrograms('mosquitto-clients zabbix-agent', ['mosquitto_pub', 'zabbix_sender'], () => {
  // Each waits for a limit of its own.
  describe.concurrent('at once', () => {
    describe.each([
      ['mosquitto_pub', {}],
      ['the library', withoutPrograms],
    ])('%s', (_how, env: Record<string, string>) => {
      verifies('ups.error.mqtt', 'a silent broker is given up after 30 seconds', async () => {
        await using lab = await startUpsLab({ settings: { locale: 'ja' } });
        await using broker = await startBroker();
        broker.fail('silent');
        const result = await runUpsget(['--mqtt-send', '127.0.0.1', '--mqtt-port', broker.url.port], {
          ups: lab.ups,
          env,
        });
        expect(result).toMatchObject({
          code: 1,
          stdout: '',
          stderr: expect.stringMatching(/^Error: [^\n]*(?:30 s|connack timeout)[^\n]*\n$/),
        });
        expect(lab.ups.state()).toMatchObject({ locale: 'ja', loggedOn: 0 });
      });
    });

    verifies('ups.error.trapper', 'a silent server is given up after 65 seconds at the latest', async () => {
      await using lab = await startUpsLab({ settings: { locale: 'ja' } });
      await using trapper = await startTrapper();
      trapper.fail('hang');
      const result = await runUpsget(['--trapper-send', '127.0.0.1', '--trapper-port', trapper.url.port], {
        ups: lab.ups,
      });
      expect(result).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/^Error: [^\n]*(?:trapper|zabbix_sender)[^\n]*\n$/),
      });
      expect(lab.ups.state()).toMatchObject({ locale: 'ja', loggedOn: 0 });
    });
  });
});

import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { packageVersion } from '#kernel/process/version.ts';
import { describeContainer, readRouterLogin } from '#simulators/router/container.ts';
import { verifies } from '../support/verifies.ts';

describe('what the engine is told', () => {
  const ownImage = `gatehouse-simulators:${packageVersion()}`;
  const environment = { SIM_ALLOW_NON_LOOPBACK: 'true' };

  verifies('sim.router.container', 'is an image, a command, an environment and two ports', () => {
    expect(describeContainer('vendor_a')).toEqual({
      image: ownImage,
      command: ['vendor_a', '--host', '0.0.0.0', '--port', '2221', '--control-port', '2931'],
      environment,
      ports: { ssh: 2221, control: 2931 },
    });
    const options = { dialect: 'isr-xe16', seed: 0, sessions: 500, legacyCrypto: true, image: 'registry.test/sim:1' };
    expect(describeContainer('vendor_b', options)).toEqual({
      image: 'registry.test/sim:1',
      command:
        'vendor_b --host 0.0.0.0 --port 2222 --control-port 2932 --dialect isr-xe16 --seed 0 --sessions 500 --legacy-crypto'.split(
          ' ',
        ),
      environment,
      ports: { ssh: 2222, control: 2932 },
    });
  });

  test.each([
    [{ dialect: 'rtx830-mape' }, /rtx830-mape/],
    [{ sessions: 65_001 }, /--sessions/],
    [{ seed: -1 }, /--seed/],
  ])('%j is refused before anything starts', (options, mistake) => {
    expect(() => describeContainer('vendor_b', options)).toThrow(mistake);
  });
});

describe('the login', () => {
  const line = '{"simulator":"vendor_b","url":"ssh://0.0.0.0:2222","user":"u","password":"p","enablePassword":null}\n';

  test('is in the first line that a router prints, among other lines and in pieces', async () => {
    const log = Readable.from(['a warning\n', line.slice(0, 20), line.slice(20), 'an event\n']);
    expect(await readRouterLogin(log)).toEqual({ user: 'u', password: 'p', enable: null });
    expect(log.destroyed).toBe(true);
  });

  test('a log that ends before it is an error that says where the reason is', async () => {
    await expect(readRouterLogin(Readable.from(['no memory\n']))).rejects.toThrow(/docker logs/);
  });
});

// `gatehouse sim mesh`.
import { UsageError } from '#kernel/process/program.ts';
import { optionText, type SimulatorCommand, serveControl } from '../command.ts';
import type { ApiName, OptionTable } from '../option-table.ts';
import { type MeshOptions, startMesh } from './access-point.ts';
import { meshFaults, requireFaultOptions } from './faults.ts';

export const meshOptions = {
  'mesh-password': {
    takes: 'TEXT',
    says: 'the password of the user admin, 1 to 256 characters (mesh-secret)',
    api: 'settings.password',
  },
} satisfies OptionTable<ApiName<MeshOptions>>;

export const meshCommand: SimulatorCommand = {
  kind: 'mesh',
  ports: { port: 4050, control: 2939 },
  help: { title: 'Mesh access point' },
  options: meshOptions,
  faults: meshFaults,
  checkFault: requireFaultOptions,
  plan(given) {
    const password = optionText(given, 'mesh-password');
    if (password !== null && (password === '' || password.length > 256)) {
      throw new UsageError('--mesh-password takes 1 to 256 characters');
    }
    return async (starting) => {
      const { options, seed, stack } = starting;
      const settings = { ...starting.mesh, ...(password === null ? {} : { password }) };
      const mesh = stack.use(await startMesh({ ...options, seed: seed ?? 1, settings }));
      const control = await serveControl(starting, {
        title: 'Simulated mesh access point',
        control: mesh,
      });
      return { url: mesh.url.origin, control, ...mesh.credentials };
    };
  },
};

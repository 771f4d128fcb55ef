// Looks at a vendor_a router whose definition is not saved yet: who it is, which NAT descriptor is in use, its LAN.
import type { RouterNote } from '#contract/router-notes.ts';
import type { CollectOptions, Detected, Shell } from '../driver.ts';
import {
  adoptCharacterSet,
  ask,
  checkedDescriptor,
  configLines,
  listDescriptors,
  readEnvironment,
  readNat,
} from './commands.ts';
import { parseLanRoute } from './config.ts';

type Candidate = Detected['candidates'][number];

const usualDescriptors = ['100', '1', '200', '1000'];

export async function detectVendorA(shell: Shell, options: CollectOptions): Promise<Detected> {
  const environment = await readEnvironment(shell, options);
  options.memory.model = environment.model;
  const encoding = await adoptCharacterSet(shell, options);
  const config = await configLines(shell, 'nat descriptor', options);
  const terminal = await configLines(shell, 'console', options);
  const listed = await listDescriptors(shell, options);
  const fromConfig = [...new Set(config.descriptors.map(({ descriptor }) => descriptor))];
  const supplied = options.settings.nat === '' ? [] : [checkedDescriptor(options.settings.nat)];
  const onDevice = [...listed.map(({ descriptor }) => descriptor), ...fromConfig];
  const names = [...new Set([...onDevice, ...supplied, ...usualDescriptors])];
  const candidates: Candidate[] = [];
  for (const candidate of names) {
    const { table, error } = await readNat(shell, candidate, options);
    const ok = error === null && table.blocks.length > 0;
    const interfaceName = table.blocks[0]?.interfaceName ?? '';
    candidates.push({ candidate, ok, sessions: table.sessions.length, interfaceName });
    if (ok && table.sessions.length > 0) {
      break;
    }
  }
  const chosen = candidates.find(({ ok, sessions }) => ok && sessions > 0) ?? candidates.find(({ ok }) => ok);
  const inUse = [...new Set(listed.map(({ descriptor }) => descriptor))];
  const several: RouterNote[] =
    inUse.length > 1 ? [{ code: 'several_descriptors', descriptors: inUse, chosen: chosen?.candidate ?? null }] : [];
  return {
    hostFp: shell.hostFp,
    hostName: shell.hostName,
    model: environment.model,
    version: environment.version,
    lanIp: await readLanIp(shell, options),
    sessions: chosen?.sessions ?? 0,
    sessionsOk: chosen !== undefined,
    descriptor: chosen?.candidate ?? null,
    candidates,
    fromConfig,
    privilegeError: null,
    isExpectedOs: true,
    notes: [
      ...several,
      { code: 'console', encoding, lines: terminal.lines ?? '24', columns: `${terminal.columns ?? 80}` },
    ],
  };
}

async function readLanIp(shell: Shell, options: CollectOptions): Promise<string> {
  const { lanIp } = await configLines(shell, 'ip lan1 address', options);
  return lanIp ?? parseLanRoute((await ask(shell, 'show ip route', options.signal)).lines) ?? '';
}

// The faults that change the router itself rather than one connection: applied at once or when a command runs, and undone.
import type { FaultOptions } from '../../support/simulator.ts';
import type { Faults, RouterFault } from '../faults.ts';
import type { CharacterSet, DeviceSettings } from '../model.ts';
import type { World } from './world.ts';

export interface IncidentEffects {
  world: () => World;
  /** Comes back with a new host key; the returned function brings the old one back. */
  changeHostKey: () => () => void;
  reboot: (offMs: number) => void;
}

type Incident = (options: FaultOptions) => (() => void) | null;

const threeHoursMs = 3 * 3_600_000;

export type Incidents = ReturnType<typeof createIncidents>;

export function createIncidents({ world, changeHostKey, reboot }: IncidentEffects) {
  let undos: (() => void)[] = [];

  const configure = (change: Partial<DeviceSettings>) => {
    const { settings } = world();
    const before = Object.fromEntries(
      Object.keys(change).map((name) => [name, settings[name as keyof DeviceSettings]]),
    ) as Partial<DeviceSettings>;
    world().configure(change);
    return () => world().configure(before);
  };

  const nameBySecret = () => {
    const { password, enable } = world().credentials;
    const unname = configure({ hostName: `${password}-${enable}` });
    world().renameHosts(() => `${enable}-${password}`);
    return () => {
      unname();
      world().renameHosts(null);
    };
  };

  const incidents: Partial<Record<RouterFault, Incident>> = {
    'host-key-changed': () => changeHostKey(),
    'character-set-changed': ({ value }) =>
      configure({ character: (value ?? 'en.ascii') as CharacterSet, changed: true }),
    'character-set-ignored': ({ value }) => configure({ spokenCharacter: (value ?? 'ja.euc') as CharacterSet }),
    'prompt-character-set': ({ value }) => configure({ promptCharacter: (value ?? 'ja.utf8') as CharacterSet }),
    'descriptor-missing': ({ value }) =>
      configure({ natDescriptor: Number(value ?? world().settings.natDescriptor + 1) }),
    'clock-skew': ({ value }) => configure({ clockSkewMs: Number(value ?? threeHoursMs) }),
    'save-question': () => configure({ changed: true }),
    'table-full': () => configure({ tableLimit: world().nat().length }),
    'table-cleared': () => {
      world().clearTable();
      return null;
    },
    reboot: ({ value }) => {
      reboot(Number(value ?? 60_000));
      return null;
    },
    'prompt-like-content': () => {
      world().renameHosts((name) => `${name}${name.length % 2 === 0 ? '#' : '>'}`);
      return () => world().renameHosts(null);
    },
    'secret-shown': ({ value }) => (value === 'host-name' ? nameBySecret() : null),
  };

  const run = (incident: Incident, options: FaultOptions) => {
    const undo = incident(options);
    if (undo) {
      undos.push(undo);
    }
  };

  return {
    /** Applies the fault now when it is one of these and waits for no command; false when it must be armed. */
    apply(fault: RouterFault, options: FaultOptions): boolean {
      const incident = incidents[fault];
      if (!incident || options.command !== undefined) {
        return false;
      }
      run(incident, options);
      // These two also show at a login or in an output, so they are armed as well.
      return fault !== 'prompt-like-content' && fault !== 'secret-shown';
    },
    beforeCommand(faults: Faults, line: string): void {
      for (const [fault, incident] of Object.entries(incidents)) {
        if (fault === 'secret-shown') {
          continue;
        }
        const armed = faults.armed(fault as RouterFault, line);
        if (armed?.command !== undefined && faults.take(fault as RouterFault, line)) {
          run(incident, armed);
        }
      }
    },
    undo(): void {
      for (const undo of undos.reverse()) {
        undo();
      }
      undos = [];
    },
  };
}

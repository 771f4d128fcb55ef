// A router as a container: what the image of the simulators is given, and what its log says about the login.
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { packageVersion } from '#kernel/process/version.ts';
import { parsePlan } from '../plan.ts';
import { routerPorts } from './command.ts';
import type { Credentials, RouterKind } from './model.ts';
import type { RouterOptions } from './start.ts';

export interface RouterContainerOptions extends Pick<RouterOptions, 'legacyCrypto' | 'seed' | 'sessions'> {
  /** Model, firmware, language and form of the tables, as `--dialect` has it; the first one of the kind when absent. */
  dialect?: string;
  /**
   * An image built with the Containerfile of this package. When absent it is `gatehouse-simulators:VERSION`, with the version of
   * this package, and must be on the engine: no registry is asked for it.
   */
  image?: string;
}

export interface ContainerDescription {
  image: string;
  /** The words behind the entry point of the image. */
  command: string[];
  environment: Record<string, string>;
  /** Ports inside the container. */
  ports: { ssh: number; control: number };
}

export type RouterLogin = Pick<Credentials, 'user' | 'password' | 'enable'>;

/** Matches the line that the program prints when the router listens. */
export const startLinePattern = /^\{"simulator":.*\}\s*$/;

const startLine = z.object({ user: z.string(), password: z.string(), enablePassword: z.string().nullable() });

/** Returns what the engine has to run. Throws, naming the mistake, for an option that the program would refuse. */
export function describeContainer(
  kind: RouterKind,
  { dialect, seed, sessions, legacyCrypto = false, image }: RouterContainerOptions = {},
): ContainerDescription {
  const { port: ssh, control } = routerPorts[kind];
  const options = Object.entries({ port: ssh, 'control-port': control, dialect, seed, sessions }).flatMap(
    ([name, value]) => (value === undefined ? [] : [`--${name}`, String(value)]),
  );
  const command = [kind, '--host', '0.0.0.0', ...options, ...(legacyCrypto ? ['--legacy-crypto'] : [])];
  parsePlan(command);
  return {
    image: image ?? `gatehouse-simulators:${packageVersion()}`,
    command,
    environment: { SIM_ALLOW_NON_LOOPBACK: 'true' },
    ports: { ssh, control },
  };
}

/** Reads the log of a router's container up to the start line, then closes it. Rejects when the log ends without that line. */
export async function readRouterLogin(log: Readable): Promise<RouterLogin> {
  try {
    for await (const line of createInterface({ input: log })) {
      if (startLinePattern.test(line)) {
        const { user, password, enablePassword: enable } = startLine.parse(JSON.parse(line));
        return { user, password, enable };
      }
    }
  } finally {
    log.destroy();
  }
  throw new Error('the log of the container ends before the router listens: read it with `docker logs` for the reason');
}

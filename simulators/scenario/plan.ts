// The simulators that a scenario starts, with their options checked as on the command line.
import { realpathSync } from 'node:fs';
import path from 'node:path';
import { messageOf } from '#kernel/errors.ts';
import type { Source } from '#kernel/text/yaml.ts';
import type { ParsedOptions, SimulatorCommand, StartContext, StartLine } from '../command.ts';
import { commands } from '../commands.ts';
import { homeMesh } from '../home/home.ts';
import { optionKey } from '../option-table.ts';
import { type CommandAnswer, createOwnCommands, type OwnCommands } from '../router/own-commands.ts';
import { findProfile } from '../router/profiles.ts';
import { readBoundedFile } from '../support/bounded-file.ts';
import type { Scenario, ScenarioSimulator } from './schema.ts';
import { type ScenarioWorld, toRouterOptions } from './world.ts';

/** One running program of its own; a simulator with replicas is several of them. */
export interface Instance {
  name: string;
  port: number;
  controlPort: number;
  /** Added to the seed. */
  seedOffset: number;
}

export interface PlannedSimulator {
  name: string;
  command: SimulatorCommand;
  /** Instead of that of the scenario. */
  seed: number | undefined;
  instances: readonly Instance[];
  /** Of a router: the LAN behind it, and further commands. */
  router?: NonNullable<StartContext['router']>;
  /** Of a mesh access point: its boxes, and who is connected to them. */
  mesh?: NonNullable<StartContext['mesh']>;
  /** Of a router. */
  hostKeyBits?: number;
  start: (starting: StartContext) => Promise<StartLine>;
}

/** `file` is the scenario. Throws a UsageError for the first mistake. */
export function planSimulators({ simulators, world = {} }: Scenario, file: string, source: Source): PlannedSimulator[] {
  const taken = new Set<string>();
  const ports = new Map<number, string>();
  return Object.entries(simulators).map(([name, given]) => {
    const command = commands.find(({ kind }) => kind === given.kind);
    if (command === undefined) {
      throw new Error(`no simulator is of the kind ${given.kind}`);
    }
    const instances = listInstances(name, given);
    const [first] = instances;
    const beyond = instances.find(({ port, controlPort }) => Math.max(port, controlPort) > 65_535);
    if (beyond) {
      throw source.mistake(['simulators', name, 'replicas'], `replicas ends beyond port 65535, at ${beyond.name}`);
    }
    if (command.ports.port === null && (first?.port ?? 0) > 0) {
      throw source.mistake(['simulators', name, 'port'], `port does not belong to ${given.kind}: use control-port`);
    }
    for (const one of new Set([name, ...instances.map((instance) => instance.name)])) {
      if (taken.has(one)) {
        throw source.mistake(['simulators', name], `${one} is the name of two simulators`, 'key');
      }
      taken.add(one);
    }
    takePorts(instances, ports, (reason) => source.mistake(['simulators', name], reason, 'key'));
    const parts = { command, given, file, source };
    const start = planStart(name, parts);
    return { name, command, seed: given.seed, instances, start, ...planWorld(name, world, parts) };
  });
}

function listInstances(name: string, given: ScenarioSimulator): Instance[] {
  const { replicas, port = 0, 'control-port': controlPort = 0 } = given;
  const next = (first: number, offset: number) => (first === 0 ? 0 : first + offset);
  return Array.from({ length: replicas ?? 1 }, (_, offset) => ({
    name: replicas === undefined ? name : `${name}-${offset + 1}`,
    port: next(port, offset),
    controlPort: next(controlPort, offset),
    seedOffset: offset,
  }));
}

/** Adds the ports of `instances` to `ports`, which has the name of the simulator that listens at each. */
function takePorts(instances: readonly Instance[], ports: Map<number, string>, mistake: (reason: string) => Error) {
  for (const { name, port, controlPort } of instances) {
    for (const one of [port, controlPort].filter((given) => given !== 0)) {
      const other = ports.get(one);
      if (other !== undefined) {
        throw mistake(`${name} has the port ${one}, which ${other} has too: choose another one`);
      }
      ports.set(one, name);
    }
  }
}

interface PlanParts {
  command: SimulatorCommand;
  given: ScenarioSimulator;
  /** The scenario. */
  file: string;
  source: Source;
}

function planStart(name: string, { command, given, file, source }: PlanParts) {
  const members = given as Readonly<Record<string, unknown>>;
  const options: Record<string, string | boolean> = {};
  for (const [option, { isFile }] of Object.entries(command.options)) {
    const value = members[optionKey(option)];
    if (isFile && value !== undefined) {
      options[option] = resolveInside(file, String(value), (reason) =>
        source.mistake(['simulators', name, option], `${option} ${reason}`),
      );
    } else if (value !== undefined && value !== false) {
      options[option] = value === true ? true : String(value);
    }
  }
  try {
    return command.plan(options as ParsedOptions);
  } catch (error) {
    const message = messageOf(error);
    const [, named, rest = ''] = /^--([\w-]+)(.*)$/s.exec(message) ?? [];
    const quoted = Object.keys(options).find((option) => message.includes(`"${options[option]}"`));
    const option = named ?? quoted;
    const place = ['simulators', name, ...(option === undefined ? [] : [optionKey(option)])];
    throw source.mistake(place, named === undefined ? message : `${named}${rest.replaceAll('--', '')}`);
  }
}

function planWorld(
  name: string,
  world: ScenarioWorld,
  parts: PlanParts,
): Pick<PlannedSimulator, 'router' | 'mesh' | 'hostKeyBits'> {
  const { kind, dialect } = parts.given as ScenarioSimulator & { dialect?: string };
  if (kind === 'mesh' && world.devices === 'home') {
    return { mesh: homeMesh };
  }
  if (kind !== 'vendor_a' && kind !== 'vendor_b') {
    return {};
  }
  return {
    router: { ...toRouterOptions(world), commands: readCommands(name, parts) },
    hostKeyBits: findProfile(kind, dialect).ssh.hostKeyBits,
  };
}

/** Of a router, the further commands; a file is read now, so that it is as it was when the scenario was checked. */
function readCommands(name: string, { given, file: scenario, source }: PlanParts): OwnCommands {
  const read = Object.entries(given.commands ?? {}).map(([syntax, answer]): [string, CommandAnswer] => {
    const mistake = (reason: string) =>
      source.mistake(['simulators', name, 'commands', syntax], typeof answer === 'string' ? reason : `file ${reason}`);
    if (typeof answer === 'string') {
      return [syntax, answer];
    }
    const text = readBoundedFile(resolveInside(scenario, answer.file, mistake), mistake);
    return [syntax, () => text];
  });
  for (const [syntax, answer] of read) {
    try {
      createOwnCommands({ [syntax]: answer });
    } catch (error) {
      throw source.mistake(['simulators', name, 'commands', syntax], messageOf(error), 'key');
    }
  }
  return Object.fromEntries(read);
}

/** The path of a file that `scenario` names. Throws what `mistake` makes when it leads out of its folder or is itself. */
export function resolveInside(scenario: string, given: string, mistake: (reason: string) => Error): string {
  const folder = path.dirname(path.resolve(scenario));
  const target = path.resolve(folder, given);
  // A link may lead elsewhere. A file that will be written is not there yet: then its folder counts.
  const real =
    realPath(target) ?? path.join(realPath(path.dirname(target)) ?? path.dirname(target), path.basename(target));
  const inside = path.relative(realPath(folder) ?? folder, real);
  if (path.isAbsolute(given) || inside === '..' || inside.startsWith(`..${path.sep}`) || path.isAbsolute(inside)) {
    throw mistake('must be a path within the folder of the scenario');
  }
  if (real === realPath(scenario)) {
    throw mistake('is the scenario itself: name another file');
  }
  return target;
}

/** The path without links; null when nothing is there. */
export function realPath(target: string): string | null {
  try {
    return realpathSync(target);
  } catch {
    return null;
  }
}

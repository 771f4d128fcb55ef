// What is wrong with compose.yaml, one sentence each: by the schema of the Compose Specification, and by what the programs do.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv } from 'ajv';
import ipaddr from 'ipaddr.js';
import { parse } from 'yaml';
import { root } from '../support/program.ts';

interface Service {
  image?: string;
  user?: string;
  read_only?: boolean;
  profiles?: string[];
  command?: string[];
  cap_drop?: string[];
  security_opt?: string[];
  tmpfs?: string[];
  network_mode?: string;
  networks?: string[] | Record<string, { ipv4_address?: string } | null>;
  environment?: Record<string, string>;
  ports?: string[];
  volumes?: string[];
  secrets?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test: string[] };
  build?: { context: string; dockerfile: string };
}

interface AddressPool {
  subnet: string;
  gateway?: string;
  ip_range?: string;
}

export interface Compose {
  services: Record<string, Service>;
  networks?: Record<string, { ipam?: { config?: AddressPool[] } } | null>;
  volumes?: Record<string, unknown>;
  secrets?: Record<string, { file: string }>;
}

/** What the programs are, against which the file is held. */
export interface Facts {
  /** The command of a container → the variables that its program reads and the ports that it listens on. */
  programs: Readonly<
    Record<string, { variables: ReadonlySet<string>; ports(environment: Record<string, string>): number[] }>
  >;
  /** Kinds of simulators and the port of the control API of each. */
  simulators: ReadonlyMap<string, number>;
  /** Paths of the hub that need no credential. */
  openPaths: readonly string[];
  /** Ports of the edge. */
  edgePorts: readonly number[];
  version: string;
}

const schema = () => {
  const { $schema: _, ...rest } = JSON.parse(
    readFileSync(path.join(root, 'fixtures/compose/compose.schema.json'), 'utf8'),
  ) as Record<string, unknown>;
  return rest;
};

export function parseCompose(text: string): Compose {
  return parse(text, { merge: true, strict: true, uniqueKeys: true }) as Compose;
}

/** The faults in the order of the services; none: an empty list. */
export function composeFaults(compose: Compose, facts: Facts): string[] {
  const ajv = new Ajv({ strict: false, validateSchema: false, allErrors: true });
  const isValid = ajv.validate(schema(), compose);
  const bySchema = isValid ? [] : (ajv.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
  return [
    ...bySchema,
    ...Object.entries(compose.services).flatMap(([name, service]) =>
      [
        hardening(service, facts),
        references(service, compose),
        buildsItsImage(service, compose),
        fixedAddresses(service, compose),
        ofProgram(service, facts),
      ]
        .flat()
        .map((fault) => `${name}: ${fault}`),
    ),
    ...[...facts.simulators.keys()]
      .filter((kind) => !Object.values(compose.services).some(({ command }) => command?.[0] === kind))
      .map((kind) => `no service runs the simulator ${kind}`),
  ];
}

function hardening(service: Service, { version }: Facts): string[] {
  const [repository = '', tag = ''] = service.image?.split(/:(?=[^:/]*$)/) ?? [];
  const isOurs = /^gatehouse/.test(repository);
  const bound = (port: string) => /^127\.0\.0\.1:\d+:\d+$/.test(withDefaults(port));
  const rules: [boolean, string][] = [
    [service.read_only === true, 'its file system can be written to'],
    [isNumericUser(service.user), `its user ${service.user} is not a number other than 0`],
    [service.cap_drop?.join() === 'ALL', 'it keeps capabilities'],
    [service.security_opt?.includes('no-new-privileges:true') === true, 'it may gain privileges'],
    [service.tmpfs?.some((line) => line.startsWith('/tmp:')) === true, 'it has no tmpfs at /tmp'],
    [service.healthcheck !== undefined, 'it has no health check'],
    [isOurs ? tag === version : /^\d/.test(tag), `its image ${service.image} is not of a version`],
    [(service.ports ?? []).every(bound), 'a port of it is not bound to loopback'],
  ];
  return rules.filter(([isRight]) => !isRight).map(([, fault]) => fault);
}

/** `USER` of an image and `user` of a service: two numbers, or variables whose defaults are. */
export function isNumericUser(user: string | undefined): boolean {
  return /^[1-9]\d*:[1-9]\d*$/.test(withDefaults(user ?? ''));
}

/** The text as it is where no variable is set. */
function withDefaults(text: string): string {
  return text.replace(/\$\{\w+:-([^}]*)\}/g, '$1');
}

function references(service: Service, compose: Compose): string[] {
  const missing = (kind: string, names: readonly string[], known: object | undefined) =>
    names.filter((name) => !Object.hasOwn(known ?? {}, name)).map((name) => `there is no ${kind} ${name}`);
  const waits = Object.entries(service.depends_on ?? {});
  const shared = service.network_mode?.startsWith('service:') ? [service.network_mode.slice(8)] : [];
  const networks = Array.isArray(service.networks) ? service.networks : Object.keys(service.networks ?? {});
  const volumes = (service.volumes ?? [])
    .map((volume) => withDefaults(volume).split(':')[0] ?? '')
    .filter((volume) => /^\w/.test(volume));
  const files = Object.values(service.environment ?? {}).flatMap(
    (value) => /^\/run\/secrets\/(.+)$/.exec(value)?.[1] ?? [],
  );
  const profiles = (name: string) => compose.services[name]?.profiles?.join() ?? '';
  return [
    ...missing('service', [...waits.map(([name]) => name), ...shared], compose.services),
    ...missing('network', networks, compose.networks),
    ...missing('volume', volumes, compose.volumes),
    ...missing('secret', service.secrets ?? [], compose.secrets),
    ...files.filter((file) => !service.secrets?.includes(file)).map((file) => `it is not given the secret ${file}`),
    ...waits
      .filter(([name]) => !['', service.profiles?.join()].includes(profiles(name)))
      .map(([name]) => `it waits for ${name}, which another profile starts`),
    ...waits
      .filter(([name, { condition }]) => condition === 'service_healthy' && !compose.services[name]?.healthcheck)
      .map(([name]) => `it waits for the health of ${name}, which has no check`),
  ];
}

/**
 * An engine gives the first free address of the range to a container that names none, so the address of one that names it
 * has to be out of that range, or whoever starts first may have it. Where no gateway is named, the engine takes one too.
 */
function fixedAddresses(service: Service, compose: Compose): string[] {
  const networks = Array.isArray(service.networks) ? {} : (service.networks ?? {});
  return Object.entries(networks).flatMap(([name, settings]) => {
    const address = settings?.ipv4_address;
    if (address === undefined) {
      return [];
    }
    const isIn = (range: string) => ipaddr.parse(address).match(ipaddr.parseCIDR(range));
    const pool = compose.networks?.[name]?.ipam?.config?.find(({ subnet }) => isIn(subnet));
    if (pool === undefined) {
      return [`its address ${address} is not of the network ${name}`];
    }
    const { subnet, gateway, ip_range: range = subnet } = pool;
    return isIn(range) || gateway === undefined || gateway === address
      ? [`its address ${address} may be another's: ${name} gives out ${range}, and its gateway is ${gateway ?? 'any'}`]
      : [];
  });
}

/** An image of ours is in no registry: the service builds it, or waits for one that does. */
function buildsItsImage(service: Service, compose: Compose): string[] {
  const others = Object.keys(service.depends_on ?? {}).map((name) => compose.services[name]);
  const isBuilt = [service, ...others].some((each) => each?.build && each.image === service.image);
  return isBuilt || !service.image?.startsWith('gatehouse') ? [] : [`nothing builds ${service.image} before it starts`];
}

function ofProgram(service: Service, facts: Facts): string[] {
  const environment = service.environment ?? {};
  const check = service.healthcheck?.test ?? [];
  const words = check.join(' ');
  const containerPorts = (service.ports ?? []).map((port) => Number(port.split(':').at(-1)));
  const wrongPorts = (listens: readonly number[]) =>
    containerPorts.filter((port) => !listens.includes(port)).map((port) => `nothing of it listens on ${port}`);
  const url = /https?:\/\/127\.0\.0\.1:(\d+)(\/[\w/]*)/.exec(words);
  const asked = Number(url?.[1]);
  if (service.build?.dockerfile.endsWith('lab.Containerfile')) {
    const kind = service.command?.[0] ?? '';
    const control = facts.simulators.get(kind);
    const hasPort = control !== undefined && asked === control;
    return hasPort ? [] : [`its check does not ask the control API of the simulator ${kind} (${control})`];
  }
  if (!service.image?.startsWith('gatehouse')) {
    const wrongCheck = facts.openPaths.includes(url?.[2] ?? '') && facts.edgePorts.includes(asked);
    return [...(wrongCheck ? [] : ['its check asks for what the hub does not have']), ...wrongPorts(facts.edgePorts)];
  }
  const command = service.command?.[0] ?? 'hub';
  const program = facts.programs[command];
  if (program === undefined) {
    return [`there is no command ${command}`];
  }
  const unknown = Object.keys(environment).filter((name) => !program.variables.has(name.replace(/_FILE$/, '')));
  const open = Object.keys(environment).filter(
    (name) => /TOKEN|SECRET|PASSWORD|HMAC/.test(name) && !name.endsWith('_FILE'),
  );
  return [
    ...unknown.map((name) => `the program does not know ${name}`),
    ...open.map((name) => `${name} is a secret: name a file with ${name}_FILE`),
    ...(words.endsWith(`health ${command}`) ? [] : [`its check is not that of ${command}`]),
    ...wrongPorts(program.ports(environment)),
  ];
}

// Who knows addresses, over HTTPS: the registry list of IANA (RFC 9224), a registry (RDAP, RFC 9083), a location service.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { z } from 'zod';
import type { ArmedFaults } from '../support/armed-faults.ts';
import type { Certificate } from '../support/certificates.ts';
import { parseChange } from '../support/change.ts';
import { toRunning } from '../support/running.ts';
import type { Control, Simulator, SimulatorOptions } from '../support/simulator.ts';
import { createSimulatorBase } from '../support/simulator-base.ts';
import { type LookupFault, lookupFaults } from './faults.ts';

const registration = z.strictObject({
  name: z.string(),
  country: z.string().optional(),
  registrant: z.string().optional(),
});
const location = z.record(z.string(), z.union([z.string(), z.number()]));

/** What is known, by address. An address without an entry is answered 404. */
export interface Known {
  registrations: Readonly<Record<string, z.output<typeof registration>>>;
  locations: Readonly<Record<string, z.output<typeof location>>>;
}

export interface LookupServicesOptions extends SimulatorOptions {
  certificate: Certificate;
  /** The token the location service asks for; none when absent. */
  token?: string;
  known?: Partial<Known>;
  /** Ranges the list of registries names, all at this registry; everything when absent. */
  ranges?: { ipv4: string[]; ipv6: string[] };
  /** The registry refers every question to another path, as one does for a region that moved. */
  refers?: boolean;
}

export interface LookupControl extends Control<LookupFault> {
  readonly known: Known;
  setKnown(known: Partial<Known>): void;
}

export interface LookupServices extends LookupControl, Simulator {
  /** Folder of ipv4.json and ipv6.json. */
  readonly bootstrapUrl: string;
  /** With `{ip}` where the address goes. */
  readonly geoUrl: string;
}

const patchSchema = z.strictObject({
  registrations: z.record(z.string(), registration).optional(),
  locations: z.record(z.string(), location).optional(),
});

/** Starts the services; `url` is like `https://127.0.0.1:4040`. */
export async function startLookupServices(options: LookupServicesOptions): Promise<LookupServices> {
  const { certificate, token = '' } = options;
  const base = createSimulatorBase<LookupFault>(options, { faults: lookupFaults, secrets: () => [token] });
  const { faults, journal } = base;
  const first: Known = { registrations: {}, locations: {}, ...options.known };
  let known = first;
  const server = createServer({ key: certificate.key, cert: certificate.cert }, (request, response) => {
    journal.add('request', { path: request.url, authorization: request.headers.authorization ?? null });
    if (!misbehave(faults, request, response)) {
      answer(request, response, { ...options, token, known, origin });
    }
  });
  const origin = `https://${await base.listen(server)}`;
  const control: LookupControl = {
    ...base.control,
    get known() {
      return known;
    },
    setKnown: (next) => {
      known = { ...known, ...next };
    },
    reset() {
      known = first;
      faults.clear();
      journal.clear();
    },
    state: () => ({ ...known, faults: faults.list() }),
    patch(change) {
      const { registrations, locations } = parseChange(patchSchema, change);
      known = { registrations: registrations ?? known.registrations, locations: locations ?? known.locations };
    },
  };
  return toRunning(control, {
    url: new URL(origin),
    bootstrapUrl: `${origin}/rdap/`,
    geoUrl: `${origin}/geo/{ip}`,
    [Symbol.asyncDispose]: () => base.close(server),
  });
}

type ServiceContext = LookupServicesOptions & { token: string; known: Known; origin: string };

function answer(request: IncomingMessage, response: ServerResponse, options: ServiceContext): void {
  const { known, origin, token, refers = false } = options;
  const { pathname } = new URL(request.url ?? '/', origin);
  const [, service = '', ...rest] = pathname.split('/');
  const address = decodeURIComponent(rest.at(-1) ?? '');
  if (service === 'rdap') {
    send(response, describeRegistries(address === 'ipv6.json' ? 'ipv6' : 'ipv4', options));
  } else if (service === 'registry' && refers) {
    response.writeHead(302, { location: `/region/ip/${address}` }).end();
  } else if (service === 'registry' || service === 'region') {
    const found = known.registrations[address];
    send(response, found && describeRegistration(address, found));
  } else if (service === 'geo' && token !== '' && request.headers.authorization !== `Bearer ${token}`) {
    response.writeHead(401).end();
  } else {
    send(response, service === 'geo' ? known.locations[address] : undefined);
  }
}

function send(response: ServerResponse, body: object | undefined): void {
  const json = JSON.stringify(body ?? { errorCode: 404, title: 'Not Found' });
  response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' }).end(json);
}

function describeRegistries(family: 'ipv4' | 'ipv6', { ranges, origin }: ServiceContext): object {
  const all = { ipv4: ['0.0.0.0/0'], ipv6: ['::/0'] };
  return {
    version: '1.0',
    publication: '2026-01-01T00:00:00Z',
    description: `RDAP bootstrap file of ${family}`,
    services: [[(ranges ?? all)[family], ['http://clear-text.example/', `${origin}/registry/`]]],
  };
}

function describeRegistration(address: string, { name, country, registrant }: z.output<typeof registration>): object {
  const vcard = (text: string) => [
    'vcard',
    [
      ['version', {}, 'text', '4.0'],
      ['fn', {}, 'text', text],
    ],
  ];
  return {
    objectClassName: 'ip network',
    startAddress: address,
    endAddress: address,
    name,
    ...(country === undefined ? {} : { country }),
    entities: [
      { objectClassName: 'entity', roles: ['abuse'], vcardArray: vcard('Abuse Desk') },
      ...(registrant === undefined
        ? []
        : [{ objectClassName: 'entity', roles: ['registrant'], vcardArray: vcard(registrant) }]),
    ],
  };
}

/** Does what a fault says; false when none is armed. */
function misbehave(faults: ArmedFaults<LookupFault>, request: IncomingMessage, response: ServerResponse): boolean {
  const json = { 'content-type': 'application/json' };
  if (faults.take('server-error')) {
    response.writeHead(500).end();
  } else if (faults.take('too-many')) {
    response.writeHead(429, { 'retry-after': '60' }).end();
  } else if (faults.take('html')) {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Maintenance</title>');
  } else if (faults.take('truncated')) {
    response.writeHead(200, { ...json, 'content-length': '1000' }).write('{"name":"cut');
    response.flushHeaders();
    setImmediate(() => response.destroy());
  } else if (faults.take('oversized')) {
    response.writeHead(200, json).end(JSON.stringify({ name: 'x'.repeat(2_097_152) }));
  } else if (faults.take('redirect-loop')) {
    response.writeHead(302, { location: request.url ?? '/' }).end();
  } else if (faults.take('clear-text')) {
    response.writeHead(302, { location: `http://${request.headers.host}/` }).end();
  } else if (faults.take('inside')) {
    response.writeHead(302, { location: 'https://192.168.1.1/' }).end();
  } else {
    return faults.take('silent') !== null;
  }
  return true;
}

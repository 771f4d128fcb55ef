// Simulates services that bring messages to people's devices, each at a path of one server, and refuses what the real one refuses.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { readBody } from '../support/body.ts';
import { parseChange } from '../support/change.ts';
import { answerFirst, type FaultAnswers } from '../support/fault-answers.ts';
import { toRunning } from '../support/running.ts';
import type { Control, Simulator, SimulatorOptions } from '../support/simulator.ts';
import { createSimulatorBase } from '../support/simulator-base.ts';
import { type PushFault, pushFaults } from './faults.ts';
import { type Form, forms, type ServiceName } from './forms.ts';

/** A message that a service took, as it was sent. */
export interface PushedMessage {
  service: ServiceName;
  body: unknown;
  headers: Readonly<Record<string, string | undefined>>;
}

export interface PushServicesOptions extends SimulatorOptions {
  /** The token of each service, or the secret end of its address; any when absent. */
  token?: string;
}

export interface PushServicesControl extends Control<PushFault> {
  /** Messages that were taken, oldest first. */
  readonly messages: readonly PushedMessage[];
}

export interface PushServices extends PushServicesControl, Simulator {
  /** Where a service is asked: the simulator's address with the name of the service. */
  addressOf(service: ServiceName): URL;
}

/** Starts the services; `url` is like `http://127.0.0.1:4041`. */
export async function startPushServices(options: PushServicesOptions = {}): Promise<PushServices> {
  const { token } = options;
  const base = createSimulatorBase<PushFault>(options, { faults: pushFaults, secrets: () => [token ?? ''] });
  const { faults, journal } = base;
  const messages: PushedMessage[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const body = (await readBody(request, longestBody)) ?? '';
    const answer = answerFirst(faultAnswers, base.take) ?? judge(request, body, token);
    journal.add('request', { path: request.url, status: answer.status });
    if (answer.message) {
      messages.push(answer.message);
    }
    if (base.take('taken-unheard')) {
      response.destroy();
    } else {
      const headers = { 'content-type': 'application/json', ...answer.headers };
      response
        .writeHead(answer.status, headers)
        .end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
    }
  };
  const server = createServer(base.listener(serve));
  const url = new URL(`http://${await base.listen(server)}`);
  const control: PushServicesControl = {
    ...base.control,
    messages,
    reset() {
      messages.length = 0;
      faults.clear();
      journal.clear();
    },
    state: () => ({ messages: messages.length, faults: faults.list() }),
    patch: (change) => void parseChange(z.strictObject({}), change),
  };
  return toRunning(control, {
    url,
    addressOf: (service: ServiceName) => new URL(`/${service}/`, url),
    [Symbol.asyncDispose]: () => base.close(server),
  });
}

/** The most characters of a body that are read. */
const longestBody = 1_000_000;

interface Answer {
  status: number;
  body: object | string;
  headers?: Record<string, string>;
  message?: PushedMessage;
}

const faultAnswers: FaultAnswers<PushFault, Answer> = [
  ['server-error', () => ({ status: 500, body: 'the service is being repaired' })],
  ['too-many', (value = 60) => ({ status: 429, body: {}, headers: { 'retry-after': String(value) } })],
  ['refused-token', () => ({ status: 401, body: { error: 'this token is not known' } })],
  ['refused-message', () => ({ status: 400, body: { error: 'this message is not right' } })],
  ['redirect', () => ({ status: 307, body: '', headers: { location: '/elsewhere' } })],
  ['oversized', () => ({ status: 200, body: 'x'.repeat(2_097_152) })],
];

/** Returns the answer of the service that the path names. */
function judge(
  { url = '/', method, headers: given }: IncomingMessage,
  sent: string,
  token: string | undefined,
): Answer {
  const [, service = '', path = ''] = /^\/([a-z_]+)\/?(.*)$/.exec(url) ?? [];
  if (method !== 'POST' || !Object.hasOwn(forms, service)) {
    return { status: 404, body: { error: 'there is no such service' } };
  }
  const form: Form = forms[service as ServiceName];
  const headers = given as PushedMessage['headers'];
  const body = readSent(form, sent, headers['content-type'] ?? '');
  if (!form.path.test(path) || body === null) {
    return { status: 404, body: form.refused('no such path, or a body of another kind', 404) };
  }
  if (token !== undefined && form.tokenOf({ path, headers }, body) !== token) {
    return { status: 401, body: form.refused('the token is not known', 401) };
  }
  const parsed = form.body.safeParse(body);
  return parsed.success
    ? { status: 200, body: form.taken, message: { service: service as ServiceName, body, headers } }
    : { status: 400, body: form.refused(z.prettifyError(parsed.error), 400) };
}

/** Returns the body as its media type says; null when the type is another one, or the body cannot be read. */
function readSent({ isUrlEncoded }: Form, sent: string, type: string): unknown {
  if (isUrlEncoded) {
    return type.startsWith('application/x-www-form-urlencoded') ? Object.fromEntries(new URLSearchParams(sent)) : null;
  }
  try {
    return type.startsWith('application/json') ? JSON.parse(sent) : null;
  } catch {
    // The service answers as to a body of another kind.
    return null;
  }
}

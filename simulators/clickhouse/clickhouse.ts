// One simulated server of ClickHouse: its HTTP interface on loopback as the official client speaks it, and its control surface.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { answerFirst, type FaultAnswers } from '../support/fault-answers.ts';
import { createRequestFaults } from '../support/per-request-faults.ts';
import { toRunning } from '../support/running.ts';
import type { Control, FaultOptions, Simulator, SimulatorOptions } from '../support/simulator.ts';
import { createSimulatorBase } from '../support/simulator-base.ts';
import { type Answer, answerRequest, exception } from './answers.ts';
import { type ClickHouseFault, clickHouseFaults, requireFaultOptions } from './faults.ts';
import { readRequest, type ServerRequest } from './request.ts';
import { createStoredRows, type StoredRows } from './stored-rows.ts';

export interface ClickHouseSettings {
  database: string;
  /** Inserts only. */
  writer: { user: string; password: string };
  /** Reads only. */
  reader: { user: string; password: string };
}

export interface ClickHouseControl extends Control<ClickHouseFault> {
  readonly settings: Readonly<ClickHouseSettings>;
  readonly rows: StoredRows;
}

export interface ClickHouseOptions extends SimulatorOptions {
  settings?: Partial<ClickHouseSettings>;
  /** PEM texts: it speaks TLS. */
  tls?: { key: string; cert: string };
}

export interface ClickHouseSimulator extends ClickHouseControl, Simulator {}

const plain: ClickHouseSettings = {
  database: 'gatehouse',
  writer: { user: 'gatehouse_writer', password: 'write-simulated' },
  reader: { user: 'gatehouse_reader', password: 'read-simulated' },
};

/** Starts the HTTP interface of ClickHouse for inserts, like `http://127.0.0.1:8123/`; `rows` has what was inserted. */
export async function startClickHouse(options: ClickHouseOptions = {}): Promise<ClickHouseSimulator> {
  const settings = { ...plain, ...options.settings };
  const base = createSimulatorBase<ClickHouseFault>(options, {
    faults: clickHouseFaults,
    secrets: () => [settings.writer.password, settings.reader.password],
    requireOptions: requireFaultOptions,
  });
  const { faults, journal } = base;
  const requestFaults = createRequestFaults(faults);
  const rows = createStoredRows();
  let requests = 0;

  const serve = async (message: IncomingMessage, response: ServerResponse) => {
    requests += 1;
    const request = await readRequest(message);
    const { user, query, token, body } = request;
    journal.add('request', { number: requests, user, what: query.slice(0, 60), token, bytes: body.length });
    const take = (fault: ClickHouseFault) => requestFaults.take(message, fault, request.query);
    await base.delay(take('slow'), 1000);
    if (take('no-answer')) {
      base.hold(response);
    } else if (take('cut-connection')) {
      response.destroy();
    } else {
      const answer =
        answerFirst(faultAnswers, take) ??
        refuseBadRow(take, request) ??
        findRefusal(settings, request) ??
        answerRequest(request, rows);
      const { status, code = null } = answer;
      journal.add('answer', { number: requests, status, code, rows: rows.inserted });
      if (take('lost-answer')) {
        response.destroy();
      } else {
        send(response, answer);
      }
    }
  };

  const server = options.tls
    ? createSecureServer(options.tls, base.listener(serve))
    : createServer(base.listener(serve));
  const url = new URL(`${options.tls ? 'https' : 'http'}://${await base.listen(server)}/`);
  const control: ClickHouseControl = {
    ...base.control,
    settings,
    rows,
    reset() {
      base.control.clearFaults();
      rows.clear();
      journal.clear();
    },
    state: () => ({
      url: url.href,
      database: settings.database,
      inserted: rows.inserted,
      held: rows.held().length,
      repeated: rows.repeated,
      requests,
      faults: faults.list(),
    }),
    patch() {
      throw new Error('a simulated ClickHouse has no settings that can be changed');
    },
  };
  return toRunning(control, { url, [Symbol.asyncDispose]: () => base.close(server) });
}

type TakeFault = (fault: ClickHouseFault) => FaultOptions | null;

const faultAnswers: FaultAnswers<ClickHouseFault, Answer> = [
  ['unavailable', () => ({ status: 503, body: '<html><h1>503 Service Unavailable</h1></html>' })],
  [
    'wrong-password',
    () => exception(403, 516, 'AUTHENTICATION_FAILED', 'Authentication failed: password is incorrect'),
  ],
  ['not-allowed', () => exception(403, 497, 'ACCESS_DENIED', 'Not enough privileges')],
  ['table-missing', () => exception(404, 60, 'UNKNOWN_TABLE', 'Table gatehouse.flow_hour does not exist')],
  ['disk-full', () => exception(500, 243, 'NOT_ENOUGH_SPACE', 'Cannot reserve 1.00 MiB, not enough space')],
];

/** The answer to an insert under the fault `bad-row`; null when it is not armed or spares this one. */
function refuseBadRow(take: TakeFault, { query, body }: ServerRequest): Answer | null {
  const bad = query.startsWith('INSERT') ? take('bad-row') : null;
  return bad && (typeof bad.value !== 'string' || body.includes(bad.value))
    ? exception(400, 27, 'CANNOT_PARSE_INPUT_ASSERTION_FAILED', 'Cannot parse input: expected a tab')
    : null;
}

/** Why a user may not do this; the users have the rights that `gatehouse sink schema` grants. */
function findRefusal({ writer, reader, database }: ClickHouseSettings, request: ServerRequest): Answer | null {
  const who = [writer, reader].find(({ user, password }) => user === request.user && password === request.password);
  if (who === undefined) {
    const message = `${request.user}: Authentication failed: password is incorrect`;
    return exception(403, 516, 'AUTHENTICATION_FAILED', message);
  }
  if (request.database !== database) {
    return exception(404, 81, 'UNKNOWN_DATABASE', `Database ${request.database} does not exist`);
  }
  const isWrite = request.query.startsWith('INSERT');
  return isWrite === (who === writer)
    ? null
    : exception(403, 497, 'ACCESS_DENIED', `${request.user}: Not enough privileges`);
}

function send(response: ServerResponse, { status, body, code }: Answer): void {
  const type = status === 503 ? 'text/html' : 'text/plain; charset=UTF-8';
  response.writeHead(status, {
    'content-type': type,
    // The page of a proxy lacks this header.
    ...(status === 503 ? {} : { 'x-clickhouse-server-display-name': 'simulated' }),
    ...(code === undefined ? {} : { 'x-clickhouse-exception-code': String(code) }),
  });
  response.end(body);
}

// Probes of the gate against an endpoint whose every answer a test writes: TLS and a name server on loopback.
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import path from 'node:path';
import type { CollectContext } from '#gate/collect/collector.ts';
import { readGateConfig } from '#gate/config.ts';
import type { ProbeContext } from '#gate/probes/context.ts';
import { createProbeContext } from '#gate/probes/input.ts';
import { writeText } from '#kernel/files/files.ts';
import { close, listen } from '#kernel/http/listening.ts';
import { startNameServer } from '#simulators/dns/name-server.ts';
import { type Authority, createAuthority } from '#simulators/support/certificates.ts';
import { envText } from '../../scripts/env-text.ts';
import { unattended } from '../../scripts/stage-tokens.ts';
import { gateSettings } from './gate-settings.ts';
import { watchLeaks } from './leak-guard.ts';
import { ManualClock } from './manual-clock.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface Asked {
  method: string;
  path: string;
  /** Of the client. */
  address: string;
  headers: IncomingHttpHeaders;
}

export interface Answered {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
}

export interface ProbeLab extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly asked: Asked[];
  /** Counts of `onSessionsLeft`. */
  readonly left: number[];
  /** Counts of `onBurst`. */
  readonly counted: number[];
  /** Forgets what was asked; from now on requests are answered so. `at`: which one it is, from 1. */
  answers(judge: (at: number, asked: Asked) => Answered): void;
  /** The same before the body has come; undefined waits for it, `close` ends the connection. */
  answersAtOnce(judge: (asked: Asked) => Answered | 'close' | undefined): void;
  readonly authority: Authority;
  /** The context of a collector with these settings over the usual ones, without a person; on the clock of the lab. */
  collecting(settings?: Readonly<Record<string, string>>, options?: CollectContext['options']): CollectContext;
  /** The context of a new run with these settings over the usual ones; it ends with the lab. */
  context(settings?: Readonly<Record<string, string>>): ProbeContext;
}

const name = 'mcp.gatehouse.test';
const control = 'control.gatehouse.test';

export async function startProbeLab(): Promise<ProbeLab> {
  await using opened = new AsyncDisposableStack();
  const clock = new ManualClock();
  opened.use(watchLeaks({ clock }));
  const folder = opened.use(temporaryFolder());
  const authority = await createAuthority();
  const dns = opened.use(await startNameServer({ zone: { [control]: { A: ['192.0.2.53'] } } }));
  const asked: Asked[] = [];
  const counted: number[] = [];
  const left: number[] = [];
  let judge: (at: number, asked: Asked) => Answered = () => ({ status: 500 });
  let judgeAtOnce: Parameters<ProbeLab['answersAtOnce']>[0] = () => undefined;
  const server = createServer(await authority.issue([name]), (request, response) => {
    const one = {
      method: request.method ?? '',
      path: request.url ?? '',
      address: request.socket.remoteAddress ?? '',
      headers: request.headers,
    };
    const at = asked.push(one);
    const answer = ({ status, headers = {}, body = {} }: Answered) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
    const early = judgeAtOnce(one);
    if (early === 'close') {
      request.destroy();
    } else if (early) {
      answer(early);
    } else {
      request.resume().once('end', () => answer(judge(at, one)));
    }
  });
  const port = (await listen(server)).split(':')[1];
  opened.defer(() => close(server));
  const endpoint = `https://${name}:${port}/mcp`;
  const ca = path.join(folder.path, 'ca.pem');
  writeText(ca, authority.cert);
  const usual: Record<string, string> = {
    ...gateSettings(endpoint),
    MCP_GATE_AUDIT_DB_PATH: path.join(folder.path, 'audit.db'),
    MCP_GATE_DNS_SERVER: dns.server,
    MCP_GATE_DNS_CONTROL_NAME: control,
  };
  const whole = opened.move();
  const configWith = (settings: Readonly<Record<string, string>>) => {
    const env = path.join(folder.path, 'gate.env');
    writeText(env, envText({ ...usual, ...settings }));
    return readGateConfig(env);
  };
  return {
    clock,
    asked,
    counted,
    left,
    authority,
    answers(next) {
      asked.length = 0;
      counted.length = 0;
      judge = next;
      judgeAtOnce = () => undefined;
    },
    answersAtOnce(next) {
      judgeAtOnce = next;
    },
    collecting: (settings = {}, options = {}) => ({
      ...unattended(configWith(settings), authority.cert, options),
      clock,
    }),
    context: (settings = {}) =>
      createProbeContext(
        {
          config: configWith(settings),
          clock,
          ca: authority.cert,
          signal: undefined,
          onBurst: (sent) => counted.push(sent),
          onSessionsLeft: (sessions) => left.push(sessions),
        },
        whole,
      ),
    [Symbol.asyncDispose]: () => whole.disposeAsync(),
  };
}

// What the Agent reads of its machine (kernel tables, events, other programs' lines) and of its own files, and what the
// hub answers it; the script of the simulated Agent.

import { parseCredential } from '#agent/credentials/store.ts';
import { judgeAck } from '#agent/delivery/outcome.ts';
import { parseHubUrl } from '#agent/plaintext.ts';
import { parseConntrackLine } from '#agent/sources/conntrack-line.ts';
import { toProcessName } from '#agent/sources/process-name.ts';
import { parseEndpoints, parseSocketTable } from '#agent/sources/socket-table.ts';
import { parseSsLine } from '#agent/sources/ss-line.ts';
import { parseTraceLine } from '#agent/sources/trace-line.ts';
import { agentBatch } from '#contract/agent-ingest.ts';
import { UsageError } from '#kernel/process/program.ts';
import { readInput } from '#kernel/text/problem.ts';
import { parseScript } from '#simulators/agent/script.ts';
import { createKeyReader } from '#simulators/router/terminal/line-editor.ts';
import { same, strangeAddress, strangePort, toJson, toLines, tooMany, toPieces, toText } from '../checks.ts';
import { defineTarget, type Target } from '../target.ts';

const here = 'src/agent/sources';

interface Read {
  localAddress?: string;
  localPort?: number;
  remoteAddress?: string;
  remotePort?: number;
}

/** Lines go no further than 64 kB (child-lines.ts). */
function lineTarget(
  name: string,
  module: string,
  read: (line: string) => object | null,
  fixtures: string[],
  words: string[],
): Target {
  return defineTarget({
    name: `agent-${name}`,
    modules: [`${here}/${module}.ts`, `${here}/connection.ts`],
    fixtures,
    words,
    parse: (input) => toLines(input).map(read),
    growth: 64,
    fault(found) {
      const tuples = found.filter((one) => one !== null) as Read[];
      return (
        strangeAddress(tuples.flatMap(({ localAddress, remoteAddress }) => [localAddress, remoteAddress])) ??
        strangePort(tuples.flatMap(({ localPort, remotePort }) => [localPort, remotePort])) ??
        (tuples.some((one) => Object.values(one).some((value) => typeof value === 'bigint' && value < 0n))
          ? 'a count of bytes is negative'
          : null)
      );
    },
  });
}

const lines = [
  lineTarget(
    'trace',
    'trace-line',
    parseTraceLine,
    ['agent/trace-pipe.txt'],
    ['inet_sock_set_state: ', 'saddrv6=', '[LOST ', '<...>-', 'newstate='],
  ),
  lineTarget(
    'conntrack',
    'conntrack-line',
    parseConntrackLine,
    ['agent/conntrack-events.txt'],
    ['[DESTROY] ', 'udp 17 ', 'bytes=', 'packets=', 'src=', 'id='],
  ),
  lineTarget(
    'ss',
    'ss-line',
    parseSsLine,
    ['agent/ss-ends.txt', 'agent/ss-running.txt'],
    ['bytes_sent:', 'bytes_acked:', 'segs_in:', '[::1]:', '%eth0:', '*:*', 'LAST-ACK'],
  ),
];

const tables = defineTarget({
  name: 'agent-socket-table',
  modules: [`${here}/socket-table.ts`],
  fixtures: ['agent/proc-net-tcp.txt', 'agent/proc-net-tcp6.txt', 'agent/proc-net-udp.txt', 'agent/proc-net-udp6.txt'],
  words: ['  sl  ', ': ', '0100007F:1F90', 'FFFFFFFF:FFFF', ' 0A ', '999999999999999'],
  parse(input) {
    const rows: { endpoints: string; state: number; inode: number }[] = [];
    const damaged = parseSocketTable(input, (endpoints, state, inode) => rows.push({ endpoints, state, inode }));
    const tuples = (['LE', 'BE'] as const).flatMap((order) =>
      rows.map(({ endpoints }) => parseEndpoints(endpoints, 'tcp', order)),
    );
    return { rows, damaged, tuples };
  },
  growth: 64,
  fault: ({ rows, damaged, tuples }, input) =>
    tooMany('rows', rows.length + damaged, input.toString('latin1').split('\n').length) ??
    (rows.some(({ state, inode }) => !Number.isSafeInteger(state) || !Number.isSafeInteger(inode) || inode < 0)
      ? 'a number of a row is none'
      : null) ??
    strangeAddress(tuples.flatMap((tuple) => [tuple?.localAddress, tuple?.remoteAddress])) ??
    strangePort(tuples.flatMap((tuple) => [tuple?.localPort, tuple?.remotePort])),
});

const names = defineTarget({
  name: 'agent-process-name',
  modules: [`${here}/process-name.ts`],
  seeds: [
    '/usr/bin/node\0node\0--require\0x\0/opt/app/server.js',
    '/usr/bin/python3.12 (deleted)\0python3\0-c\0secret',
    '/bin/sh\0sh\0-ec\0x',
  ],
  words: ['\0', '-e', '--eval', '-', '/', ' (deleted)', 'java', 'node'],
  isVisible: true,
  parse(input) {
    const [exe = '', ...args] = toText(input).split('\0');
    return toProcessName(exe, args);
  },
  fault: (name) => tooMany('characters', name?.length ?? 0, 256) ?? (name === '' ? 'an empty name' : null),
});

const uuid = '0b8f2f6a-3c52-4c6e-8f0e-6a1d2c3b4a59';
const batch = JSON.stringify({
  schemaVersion: 1,
  batchId: uuid,
  sentAt: '2026-03-01T12:00:00Z',
  agent: { hostName: 'desk', platform: 'linux', osVersion: '6.1', agentVersion: '0.1.0' },
  observations: [
    {
      ...{ observationId: uuid, networkProtocol: 'tcp', localAddress: '192.168.1.5', localPort: 40_000 },
      ...{ remoteAddress: '2001:DB8::1', remotePort: 443, processID: 1, processName: 'curl', bundleID: null },
      ...{
        firstObservedAt: '2026-03-01T12:00:00.5Z',
        lastObservedAt: '2026-03-01T12:00:01Z',
        bytesIn: '1',
        bytesOut: null,
      },
      ...{ collector: 'socket-events', confidence: 'exact' },
    },
  ],
});

const documents = [
  defineTarget({
    name: 'agent-batch',
    modules: ['src/contract/agent-ingest.ts'],
    isJson: true,
    seeds: [batch],
    words: ['"observations":', '18446744073709551616', '"2026-02-30T12:00:00Z"'],
    parse: (input) => readInput(agentBatch, toJson(input)).data ?? null,
    fault: (read) =>
      strangeAddress(
        (read?.observations ?? []).flatMap(({ localAddress, remoteAddress }) => [localAddress, remoteAddress]),
      ) ?? strangePort((read?.observations ?? []).flatMap(({ localPort, remotePort }) => [localPort, remotePort])),
  }),
  defineTarget({
    name: 'agent-files',
    modules: ['src/agent/credentials/store.ts', 'src/agent/plaintext.ts', 'src/agent/delivery/outcome.ts'],
    isJson: true,
    seeds: [
      '{"requestId":"r","agentId":"a","current":"secret-one","previous":null}',
      `{"batchId":"${uuid}","accepted":1,"duplicate":0,"rejected":0,"receivedAt":1,"replayed":false,"requestId":"r"}`,
      '"https://hub.example.net:8443/a"',
    ],
    parse(input) {
      const value = toJson(input);
      const ack = typeof value === 'object' && value !== null ? value : {};
      return [
        attempt(() => parseCredential(toText(input), 'the file'), /^the credential in the file is damaged/),
        typeof value === 'string' ? attempt(() => parseHubUrl(value), UsageError).toString() : null,
        judgeAck(ack, { batchId: uuid, body: '', observations: [] } as never),
      ];
    },
  }),
  defineTarget({
    name: 'agent-script',
    modules: ['simulators/agent/script.ts'],
    seeds: ['{"at":"1s","send":3}\n{"at":"2s","fault":"offline"}\n', '{"at":1,"rotate":true}'],
    words: ['"send":', '"at":', '"10s"', '"revoke":true', '\n'],
    parse: (input) => parseScript(toText(input)),
    fault: ({ steps }, input) => tooMany('steps', steps.length, toLines(input).length),
  }),
  defineTarget({
    name: 'router-keys',
    modules: ['simulators/router/terminal/line-editor.ts'],
    seeds: ['show nat\r\n', 'a\x1b[A\x7f\x15b\r', '\x1bOPx\n'],
    words: ['\x1b', '\x1b[', '\r\n', '\x03', '\x11'],
    growth: 64,
    readings: 4,
    parse: (input) =>
      (['each', 'once'] as const).map((ends) => {
        const [whole, cut] = [createKeyReader(ends), createKeyReader(ends)];
        return { whole: whole(input), cut: toPieces(input).flatMap((piece) => [...cut(piece)]) };
      }),
    fault: (ways) => (ways.every(({ whole, cut }) => same(whole, cut)) ? null : 'cut into pieces it reads otherwise'),
  }),
];

/** What `read` returns, or the words of an error that it declares. */
function attempt<T>(read: () => T, declared: RegExp | typeof UsageError): T | string {
  try {
    return read();
  } catch (error) {
    const isDeclared =
      declared instanceof RegExp ? error instanceof Error && declared.test(error.message) : error instanceof declared;
    if (!isDeclared) {
      throw error;
    }
    return (error as Error).message;
  }
}

export const agentTargets = [...lines, tables, names, ...documents];

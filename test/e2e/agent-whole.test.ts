// The whole way: a real program opens connections on this machine, the Agent reports them with it, a router shows some of
// the same, and the hub has one connection of both.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, type TestContext, test } from 'vitest';
import { agentFiles } from '#agent/folder.ts';
import { readStatus } from '#agent/status/status-file.ts';
import { childEnv } from '#kernel/process/env.ts';
import { startRouter } from '#simulators/router/start.ts';
import {
  enrolRealAgent,
  knock,
  knockerName,
  printMissing,
  startListener,
  startRealAgent,
} from '../support/agent-real.ts';
import { eventually } from '../support/eventually.ts';
import { startHubProcess } from '../support/hub-process.ts';
import { recordOf } from '../support/lab.ts';
import { type Program, startProgram } from '../support/program.ts';
import { withPrograms } from '../support/real-programs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { mountTracefs } from '../support/tracefs.ts';

const short = 300;
const away = 20;
/** The two ends of a cable into a network of its own. */
const [here, there] = ['10.213.77.1', '10.213.77.2'];

interface Row {
  port: number;
  process: string;
  processId: number;
  confidence: 'exact' | 'sampled';
  collector: string;
}

const listener = `
import net from 'node:net';
net.createServer((socket) => socket.resume().on('error', () => {})).listen(0, process.argv[2], function () {
  console.log('port ' + this.address().port);
});
setInterval(() => {}, 1000);
`;

function run(...[command = '', ...args]: string[]): string | null {
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  return error?.message ?? (status === 0 ? null : stderr.trim());
}

/** Where REQUIRE_REAL is set, what cannot be tested is a failure. */
function refuseOrSkip(context: TestContext, reason: string): void {
  if (childEnv().REQUIRE_REAL === '1') {
    throw new Error(reason);
  }
  context.skip(reason);
}

/** A network namespace with a cable to this one; its name, or why there is none. */
function startNamespace() {
  const name = `gatehouse-${process.pid}`;
  // At most 15 characters.
  const [end, otherEnd] = [`gh-h${process.pid}`, `gh-t${process.pid}`];
  const steps = [
    ['ip', 'netns', 'add', name],
    ['ip', 'link', 'add', end, 'type', 'veth', 'peer', 'name', otherEnd, 'netns', name],
    ['ip', 'addr', 'add', `${here}/24`, 'dev', end],
    ['ip', 'link', 'set', end, 'up'],
    ['ip', '-n', name, 'addr', 'add', `${there}/24`, 'dev', otherEnd],
    ['ip', '-n', name, 'link', 'set', otherEnd, 'up'],
  ];
  const problem = steps.reduce<string | null>((failed, step) => failed ?? run(...step), null);
  return {
    name,
    problem,
    [Symbol.dispose]() {
      run('ip', 'link', 'del', end);
      run('ip', 'netns', 'del', name);
    },
  };
}

async function listenIn(namespace: string, script: string): Promise<{ program: Program; port: number }> {
  const program = startProgram(['netns', 'exec', namespace, process.execPath, script, there], { command: 'ip' });
  const [, port] = await program.printed(/^port (\d+)$/m);
  return { program, port: Number(port) };
}

withPrograms('iproute2 util-linux', ['ip', 'ss', 'unshare'], () => {
  test('a program, its Agent, a router and the hub agree on its connections', async (context) => {
    using namespace = startNamespace();
    if (namespace.problem !== null) {
      refuseOrSkip(context, `no network namespace can be made here: ${namespace.problem}`);
    }
    const tracing = mountTracefs();
    if (typeof tracing === 'string') {
      refuseOrSkip(context, `tracefs cannot be mounted here: ${tracing}`);
    } else {
      tracing[Symbol.dispose]();
    }
    using folder = temporaryFolder();
    const script = path.join(folder.path, 'listener.mjs');
    writeFileSync(script, listener);
    await using stack = new AsyncDisposableStack();
    const near = stack.use(await startListener());
    const far = await listenIn(namespace.name, script);
    stack.use(far.program);
    const router = stack.use(await startRouter('vendor_a', { allowedSessions: 10 }));
    const dataDir = path.join(folder.path, 'hub');
    const hub = stack.use(await startHubProcess({ dataDir, adminToken: 'token-of-the-whole-agent-test' }));
    const { router: added } = await hub.as.admin.routers.create({ body: recordOf(router, 'the router') });
    const agentData = path.join(folder.path, 'agent');
    await enrolRealAgent(hub, agentData);
    const agent = stack.use(await startRealAgent(agentData, ['--every', '5', '--include-loopback']));

    const { ports: nearPorts } = await knock(folder.path, '127.0.0.1', near.port, short);
    const { ports } = await knock(folder.path, there, far.port, away);
    for (const sport of ports) {
      router.flow({ src: here, sport, dst: there, dport: far.port, lastsMs: 60_000 });
    }

    await using status = startProgram(['src/main.ts', 'agent', 'status', '--data', agentData]);
    await status.ended;
    console.log(status.stdout());
    const both = await eventually(
      () => hub.as.admin.connections.list({ query: { fDst: there, fDstMode: 'exact' } }),
      ({ connections }) =>
        connections.find(({ process: program, observedBy }) => program !== null && observedBy.includes(added.id)),
    );
    expect(both).toMatchObject({ src: here, dport: far.port, proto: 'TCP', process: knockerName });
    const [inside] = (
      await hub.as.admin.connections.list({
        query: { fDst: '127.0.0.1', fDport: String(near.port), fDportMode: 'exact' },
      })
    ).connections;
    expect(inside).toMatchObject({ process: knockerName, observedBy: [], source: 'agent' });

    const [{ agentId } = { agentId: '' }] = (await hub.as.admin.agents.list({})).agents;
    // Sessions are stored from the first poll on after the Agent has said which addresses are the machine's.
    const found = await eventually(
      () => hub.as.admin.agents.reconciliation({ params: { agentId }, query: {} }),
      (answer) => (answer.both.exact5tuple >= away ? answer : undefined),
    );
    expect(found.routerOnly.sessions.filter(({ dst }) => dst === there)).toEqual([]);

    agent.kill('SIGTERM');
    expect(await agent.ended).toEqual({ code: 0, signal: null });
    const db = new Database(path.join(dataDir, 'monitor.db'), { readonly: true });
    const rows = db
      .prepare<[number], Row>(
        `SELECT local_port AS port, process, process_id AS processId, confidence, collector
         FROM agent_observation WHERE remote_port = ?`,
      )
      .all(near.port);
    db.close();
    const named = Map.groupBy(
      rows.filter(({ process: program }) => program === knockerName),
      ({ port }) => port,
    );
    const exact = named.values().filter((all) => all.some(({ confidence }) => confidence === 'exact'));
    const lostEvents = readStatus(agentFiles(agentData))?.counters.lostEvents ?? 0;
    const unnamed = nearPorts.filter((port) => !named.has(port));
    console.log(
      `of ${short} connections of 5 ms ${short - unnamed.length} were reported with their program, ` +
        `${exact.toArray().length} by events; ${lostEvents} events lost`,
    );
    printMissing(nearPorts, new Set(named.keys()), (port) => rows.filter((row) => row.port === port));
    // Connections of the whole machine share the kernel's buffer: what it had no room for is said, and no more is missing.
    expect(unnamed.length).toBeLessThanOrEqual(5 + lostEvents);
    expect(unnamed.length).toBeLessThan(short / 2);
  });
});

// The Agent's program at a real hub, as its user enrols and runs it, and programs whose connections it sees.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { eventually } from './eventually.ts';
import type { HubProcess } from './hub-process.ts';
import { type Program, startProgram } from './program.ts';

/** Applies, is approved and stores its bearer in a plain file of `data`. */
export async function enrolRealAgent(hub: HubProcess, data: string): Promise<void> {
  const { code } = await hub.as.admin.agents.createCode({ body: {} });
  await using program = startProgram([
    ...['src/main.ts', 'agent', 'enroll', '--hub', hub.url.origin, '--code', code, '--store', 'file', '--data', data],
  ]);
  const { requestId } = await eventually(
    () => hub.as.admin.agents.requests({}),
    ({ requests }) => requests[0],
  );
  await hub.as.admin.agents.approve({ params: { requestId }, body: {} });
  const { code: ending } = await program.ended;
  if (ending !== 0) {
    throw new Error(`the enrolment failed: ${program.stderr()}`);
  }
}

/** Resolves when it watches. Where the machine does not mount tracefs, the Agent alone sees it mounted. */
export async function startRealAgent(data: string, args: readonly string[]): Promise<Program> {
  const script = '[ -e "$0/events/sock" ] || mount -t tracefs tracefs "$0"; exec "$@"';
  const agent = [process.execPath, 'src/main.ts', 'agent', 'run', '--data', data, ...args];
  const program = startProgram(['--mount', 'sh', '-c', script, '/sys/kernel/tracing', ...agent], {
    command: 'unshare',
  });
  await program.printed(/^gatehouse agent ready /m);
  return program;
}

/** Opens connections, each for so many milliseconds, and prints the port of each. */
const knocker = `
import net from 'node:net';
const [, , host, port, count, lifeMs] = process.argv;
for (let done = 0; done < Number(count); done += 1) {
  await new Promise((resolve, reject) => {
    const socket = net.connect(Number(port), host, () => {
      console.log(socket.localPort);
      setTimeout(() => socket.end(), Number(lifeMs));
    });
    socket.resume().once('close', resolve).once('error', reject);
  });
}
`;

/** What Agents call the program that `knock` runs. */
export const knockerName = 'knocker.mjs (node)';

/** Runs a program that opens `count` connections one after the other; resolves at its end to its process id and the ports it used. */
export async function knock(folder: string, host: string, port: number, count: number, lifeMs = 5) {
  const script = path.join(folder, 'knocker.mjs');
  writeFileSync(script, knocker);
  await using program = startProgram([script, ...[host, port, count, lifeMs].map(String)]);
  const { code } = await program.ended;
  if (code !== 0) {
    throw new Error(`the program that connects failed: ${program.stderr()}`);
  }
  return { pid: program.pid, ports: program.stdout().trim().split('\n').map(Number) };
}

/** Prints which connections of a knock are not in `right`, by their number, and what was `seen` at their port instead. */
export function printMissing(
  ports: readonly number[],
  right: ReadonlySet<number>,
  seen: (port: number) => object[],
): void {
  for (const [number, port] of ports.entries()) {
    if (!right.has(port)) {
      const text = JSON.stringify(seen(port), (_, value) => (typeof value === 'bigint' ? String(value) : value));
      console.log(`missing: connection ${number + 1} of ${ports.length}, port ${port}; seen instead: ${text}`);
    }
  }
}

/** A listener on loopback that accepts and says nothing. */
export async function startListener() {
  const server = createServer((socket) => socket.resume().on('error', () => {})).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, 'close');
    },
  };
}

// Polls of the socket tables, over files that a test writes as the kernel would.
import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Ledger } from '#agent/sources/ledger.ts';
import type { Identity } from '#agent/sources/processes.ts';
import { TablePoll } from '#agent/sources/table-poll.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { capture } from './captures.ts';

const heading = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
const [established, synSent, finWait, timeWait, unconnected, listen] = ['01', '02', '04', '06', '07', '0A'];
const [local, remote] = ['0A0200C0', '140200C0'];

interface Line {
  state?: string;
  port?: number;
  inode?: number;
  peer?: string;
}

function setUp() {
  const folder = temporaryFolder();
  const clock = new ManualClock();
  const ledger = new Ledger({ clock, includeLoopback: false, isOutbound: () => true, settleMs: () => 0 });
  const owners = new Map<number, Identity>();
  const searched: number[][] = [];
  const processes = {
    identify: (processID: number) => ({ processID, processName: 'curl' }),
    async findOwners(inodes: ReadonlySet<number>) {
      searched.push([...inodes]);
      return new Map([...owners].filter(([inode]) => inodes.has(inode)));
    },
    hidden: () => 3,
    isAlive: () => true,
  };
  mkdirSync(`${folder.path}/net`);
  const write = (name: string, lines: readonly Line[]) => {
    const hex = (port: number) => port.toString(16).toUpperCase().padStart(4, '0');
    const rows = lines.map(({ state = established, port = 40000, inode = 0, peer = `${remote}:01BB` }, index) => {
      return `   ${index}: ${local}:${hex(port)} ${peer} ${state} 0:0 00:0 0     0        0 ${inode} 1 0 20\n`;
    });
    writeFileSync(`${folder.path}/net/${name}`, heading + rows.join(''));
  };
  for (const name of ['tcp', 'tcp6', 'udp', 'udp6']) {
    write(name, []);
  }
  const options = { clock, ledger, processes, includeLoopback: false, procDir: folder.path };
  const tables = new TablePoll(options);
  const poll = async () => {
    clock.jump(clock.now() + 10_000);
    await tables.poll();
    return ledger.take();
  };
  return { ledger, owners, searched, tables, write, poll, folder, [Symbol.dispose]: folder[Symbol.dispose] };
}

test('captured tables: TCP, IPv6, IPv4-mapped and connected UDP', async () => {
  using lab = setUp();
  lab.owners.set(1594755, { processID: 7, processName: 'curl' });
  for (const name of ['tcp', 'tcp6', 'udp', 'udp6']) {
    writeFileSync(`${lab.folder.path}/net/${name}`, capture(`proc-net-${name}.txt`));
  }
  const taken = await lab.poll();
  expect(
    taken.map(({ networkProtocol, remoteAddress, processID }) => [networkProtocol, remoteAddress, processID]),
  ).toEqual([
    ['tcp', '192.0.2.20', 7],
    ['tcp', '2001:db8::20', 0],
    ['tcp', '192.0.2.20', 0],
    ['udp', '192.0.2.20', 0],
  ]);
  expect(lab.ledger.counters).toMatchObject({ connections: 4, withoutProcess: 3 });
});

test('processes are searched only for a socket that is new', async () => {
  using lab = setUp();
  lab.owners.set(1, { processID: 7, processName: 'curl' });
  lab.write('tcp', [{ inode: 1 }]);
  const [first] = await lab.poll();
  expect(first).toMatchObject({ processID: 7, processName: 'curl', confidence: 'sampled', bytesIn: null });
  const [again] = await lab.poll();
  expect(again).toMatchObject({ firstObservedAt: first?.firstObservedAt });
  expect(again?.lastObservedAt).toBeGreaterThan(first?.lastObservedAt ?? 0);
  lab.write('tcp', [{ inode: 1 }, { inode: 2, port: 40001 }]);
  await lab.poll();
  expect(lab.searched.filter((inodes) => inodes.length > 0)).toEqual([[1], [2]]);
  lab.write('tcp', []);
  expect(await lab.poll()).toHaveLength(2);
  expect(await lab.poll()).toEqual([]);
});

test('connections that were accepted are left out, also when their listener has gone', async () => {
  using lab = setUp();
  const accepted = { port: 443, inode: 5, peer: `${remote}:9C40` };
  lab.write('tcp', [{ port: 443, state: listen, peer: '00000000:0000', inode: 4 }, accepted, { port: 444, inode: 6 }]);
  expect(await lab.poll()).toMatchObject([{ localPort: 444 }]);
  lab.write('tcp', [accepted, { ...accepted, inode: 7, peer: `${remote}:9C41` }]);
  expect(await lab.poll()).toMatchObject([{ localPort: 444 }]);
  lab.write('udp', [
    { port: 53, state: unconnected, peer: '00000000:0000' },
    { port: 53, inode: 8 },
    { port: 54, inode: 9 },
  ]);
  expect(await lab.poll()).toMatchObject([{ networkProtocol: 'udp', localPort: 54 }]);
});

test('an attempt is outbound, whatever its port', async () => {
  using lab = setUp();
  lab.write('tcp', [
    { port: 443, state: listen, peer: '00000000:0000', inode: 4 },
    { port: 443, state: synSent, inode: 5 },
    { port: 445, state: '03' },
  ]);
  expect(await lab.poll()).toMatchObject([{ localPort: 443 }]);
});

test('a port that is used again is another connection: its inode tells', async () => {
  using lab = setUp();
  lab.write('tcp', [{ inode: 1 }]);
  await lab.poll();
  lab.write('tcp', [{ inode: 2 }]);
  const [old, next] = await lab.poll();
  expect(old?.firstObservedAt).toBeLessThan(next?.firstObservedAt ?? 0);
  expect(lab.ledger.counters.connections).toBe(2);
});

test('a socket that its process has closed goes on until it is gone; TIME_WAIT is its end', async () => {
  using lab = setUp();
  lab.write('tcp', [{ inode: 1 }]);
  await lab.poll();
  lab.write('tcp', [{ state: finWait }]);
  await lab.poll();
  expect([...lab.ledger.openConnections()]).toHaveLength(1);
  lab.write('tcp', [{ state: timeWait }]);
  expect(await lab.poll()).toHaveLength(1);
  expect([...lab.ledger.openConnections()]).toEqual([]);
  expect(await lab.poll()).toEqual([]);
  expect(lab.ledger.counters.connections).toBe(1);
});

test('what is in TIME_WAIT and was never seen open has no process; what ended before the watch began is not reported', async () => {
  using lab = setUp();
  lab.write('tcp', [{ state: timeWait, port: 40001 }]);
  expect(await lab.poll()).toEqual([]);
  lab.write(
    'tcp',
    [40001, 40002, 80].map((port) => ({ state: timeWait, port })),
  );
  expect(await lab.poll()).toMatchObject([{ localPort: 40002, processID: 0, processName: 'unknown' }]);
  expect(await lab.poll()).toEqual([]);
  expect(lab.ledger.counters).toMatchObject({ connections: 1, withoutProcess: 1 });
});

test('loopback, no peer, damaged lines', async () => {
  using lab = setUp();
  lab.write('tcp', [{ peer: '0100007F:0050', inode: 1 }, { peer: 'what?', inode: 2 }, { state: 'XX' }]);
  expect(await lab.poll()).toEqual([]);
  expect([lab.tables.lost, lab.searched.flat()]).toEqual([1, []]);
});

test('what it says of itself, with and without tables', async () => {
  using lab = setUp();
  await lab.poll();
  expect(lab.tables.state(2000)).toMatchObject({ active: true, reason: null });
  expect(lab.tables.state(2000).cannotSee.join()).toMatch(/3 processes of other users.*CAP_SYS_PTRACE/);
  lab.folder[Symbol.dispose]();
  await expect(lab.poll()).rejects.toThrow('ENOENT');
  expect(lab.tables.state(2000)).toMatchObject({ active: false, reason: expect.stringContaining('cannot be read') });
});

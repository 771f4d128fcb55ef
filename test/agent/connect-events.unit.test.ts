// Which process a connection is given when kernel events leave open which of several has opened it.
import { expect, test } from 'vitest';
import { createEventReader } from '#agent/sources/connect-events.ts';
import { Ledger } from '#agent/sources/ledger.ts';
import type { Identity, Processes } from '#agent/sources/processes.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { captureLines } from './captures.ts';

const lines = captureLines('trace-pipe.txt');
const [syn = '', established = ''] = lines;
const closed = lines.find((line) => line.includes('sport=53498') && line.includes('newstate=TCP_CLOSE')) ?? '';
const captured = 12649;

/** The line as if another thread had been running, in an interrupt or not. */
const by = (line: string, thread: number, flags = '.....') =>
  line.replace(/python3-\d+ +\( *\d+\)/, `x-${thread} (${thread})`).replace('] .....', `] ${flags}`);

function watch(programs: Readonly<Record<number, Identity>>) {
  const clock = new ManualClock();
  const ledger = new Ledger({ clock, includeLoopback: false, isOutbound: () => false, settleMs: () => 0 });
  const processes: Processes = {
    identify: (threadId) => programs[threadId] ?? { processID: threadId, processName: 'another' },
    findOwners: async () => new Map(),
    hidden: () => 0,
    isAlive: () => true,
  };
  const reader = createEventReader({ clock, ledger, processes, includeLoopback: false });
  return { ledger, read: (...all: string[]) => all.forEach(reader.line) };
}

const curl = { processID: 101, processName: 'curl' };
const wget = { processID: 102, processName: 'wget' };

test('one attempt: its process, for sure, though the answer comes in an interrupt of another', () => {
  const { ledger, read } = watch({ [captured]: curl });
  read(syn, by(established, 999, '..s2.'), closed);
  expect(ledger.take()).toMatchObject([{ ...curl, confidence: 'exact', localPort: 53498, remotePort: 8080 }]);
});

test('attempts of two programs, answered in an interrupt: none of them is named by chance', () => {
  const { ledger, read } = watch({ 1: curl, 2: wget });
  read(by(syn, 1), by(syn, 2), by(established, 999, '..s2.'), closed);
  expect(ledger.take()).toMatchObject([
    { processID: 0, processName: 'unknown', confidence: 'sampled', collector: 'socket-events' },
  ]);
  expect(ledger.counters).toMatchObject({ connections: 1, withoutProcess: 1 });
});

test('what is left of two attempts that could not be told apart is not sure either', () => {
  const { ledger, read } = watch({ 1: curl, 2: wget });
  const second = established.replace('sport=53498', 'sport=53499');
  read(by(syn, 1), by(syn, 2), by(established, 999, '..s2.'), by(second, 999, '..s2.'));
  const candidates = [...ledger.openConnections()].map((held) => held.candidates);
  expect(candidates).toMatchObject(Array(2).fill([curl, wget]));
  expect(ledger.take()).toMatchObject(Array(2).fill({ processID: 0, confidence: 'sampled' }));
});

test('attempts of two processes of one program: its name without a process id', () => {
  const { ledger, read } = watch({ 1: curl, 2: { ...curl, processID: 103 } });
  read(by(syn, 1), by(syn, 2), by(established, 999, '..s2.'), closed);
  expect(ledger.take()).toMatchObject([{ processID: 0, processName: 'curl', confidence: 'sampled' }]);
});

test('attempts of two programs, told apart by the thread that runs', () => {
  const { ledger, read } = watch({ 1: curl, 2: wget });
  const second = (line: string) => line.replace('sport=53498', 'sport=53499');
  read(by(syn, 1), by(syn, 2), by(established, 2), second(by(established, 1)));
  expect(ledger.take()).toMatchObject([
    { ...wget, localPort: 53498, confidence: 'exact' },
    { ...curl, localPort: 53499, confidence: 'exact' },
  ]);
});

test('the socket table names the one that holds the socket, later too', () => {
  const { ledger, read } = watch({ 1: curl, 2: wget });
  read(by(syn, 1), by(syn, 2), by(established, 999, '..s2.'));
  const [held] = ledger.openConnections();
  expect(held?.candidates).toMatchObject([curl, wget]);
  if (held) {
    ledger.name(held, wget, 'exact');
  }
  expect(ledger.take()).toMatchObject([{ ...wget, confidence: 'exact' }]);
  expect(ledger.counters.withoutProcess).toBe(0);
});

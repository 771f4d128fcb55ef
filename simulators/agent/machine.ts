// A believable machine by seed: its programs, where they connect to, and what of it one batch tells.
import { isoTime } from '#kernel/time/clock.ts';
import { minuteMs } from '#kernel/time/time.ts';
import { createRandom, hash, type Random } from '../support/random.ts';
import { beaconDestination, destinations, type Program, programs } from './programs.ts';
import type { Batch, MachineFacts, Observation, Platform } from './records.ts';

interface Connection {
  program: Program;
  remote: string;
  /** 0: the Agent does not know it. */
  localPort: number;
  isExact: boolean;
}

/** It lasts over many batches: each tells a part of it. */
interface LongConnection extends Connection {
  beganAt: number;
  endsAt: number;
}

const platforms: readonly Platform[] = ['linux', 'macos', 'windows'];
const osVersions: Record<Platform, string> = { linux: '6.12', macos: '26.1', windows: '11.0.26100' };
const collectors: Record<Platform, Record<Observation['confidence'], string>> = {
  linux: { exact: 'ebpf', sampled: 'socket-table' },
  macos: { exact: 'network-extension', sampled: 'libproc' },
  windows: { exact: 'etw', sampled: 'socket-table' },
};

const beaconEveryMs = 5 * minuteMs;
const standing = 3;

export type Machine = ReturnType<typeof createMachine>;

/**
 * The Agent `number`, from 1 on; `source` is the IPv4 address of the first one, and the others count up from it. `given` is
 * what the machine says of itself, instead of what the number gives.
 */
export function createMachine(seed: number, number: number, source: string, given?: MachineFacts) {
  const random = createRandom(hash('agent', seed, number));
  const platform = given?.platform ?? platforms[(number - 1) % platforms.length] ?? 'linux';
  const [beacon] = programs;
  const beaconPhase = hash('beacon', seed, number) % beaconEveryMs;
  const addresses = { v4: addressAfter(source, number - 1), v6: `2001:db8:64::${(number + 6).toString(16)}` };
  const facts: MachineFacts = given ?? {
    hostName: `laptop-${String(number).padStart(2, '0')}`,
    platform,
    osVersion: osVersions[platform],
    agentVersion: '1.0.0',
  };
  let open: LongConnection[] = [];

  const id = () => uuidFrom(random);
  const localAddress = (remote: string) => (remote.includes(':') ? addresses.v6 : addresses.v4);
  const counter = (most: number, isExact: boolean) =>
    isExact || random.next() < 0.3 ? String(Math.floor(most ** random.next())) : null;
  const observe = (about: Connection, first: number, last: number): Observation => {
    const { program, remote, localPort, isExact } = about;
    const confidence = isExact ? 'exact' : 'sampled';
    return {
      observationId: id(),
      networkProtocol: program.protocol,
      localAddress: localAddress(remote),
      localPort,
      remoteAddress: remote,
      remotePort: program.port,
      processID: 400 + (hash('process', seed, number, program.name) % 30_000),
      processName: program.name,
      bundleID: platform === 'macos' ? `com.example.${program.name}` : null,
      firstObservedAt: isoTime(first),
      lastObservedAt: isoTime(Math.max(first, last)),
      bytesIn: counter(program.bytesIn, isExact),
      bytesOut: counter(program.bytesOut, isExact),
      collector: collectors[platform][confidence],
      confidence,
    };
  };
  const connection = (program = pickProgram(random), isExact = random.next() < 0.7): Connection => ({
    program,
    remote: pickSkewed(random, destinations),
    localPort: isExact || random.next() < 0.8 ? random.int(49_152, 65_535) : 0,
    isExact,
  });
  const beacons = (from: number, to: number) => {
    const found: Observation[] = [];
    for (let at = nextMark(from, beaconPhase); at <= to; at += beaconEveryMs) {
      found.push(observe({ ...connection(beacon, true), remote: beaconDestination }, at, at + 400));
    }
    return found;
  };
  const parts = (from: number, to: number) => {
    const told = open.map((one) => observe(one, one.beganAt, Math.min(to, one.endsAt)));
    open = open.filter(({ endsAt }) => endsAt > to);
    while (open.length < standing) {
      const beganAt = to - Math.floor((to - from) * random.next());
      const one = { ...connection(), beganAt, endsAt: to + random.int(10, 60) * minuteMs };
      open.push(one);
      told.push(observe(one, beganAt, to));
    }
    return told;
  };
  const short = (from: number, to: number) => {
    const at = to - Math.floor((to - from) * random.next());
    return observe(connection(), at, Math.min(to, at + random.int(20, 4000)));
  };
  return {
    facts,
    addresses,
    /** A new id, also by seed. */
    id,
    /** What happened after `from`, up to and including `to`, as `count` observations. */
    observations(from: number, to: number, count: number): Observation[] {
      const told = [...beacons(from, to), ...parts(from, to)].slice(0, count);
      while (told.length < count) {
        told.push(short(from, to));
      }
      return told;
    },
    batch: (sentAt: number, observations: Observation[]): Batch => ({
      schemaVersion: 1,
      batchId: id(),
      sentAt: isoTime(sentAt),
      agent: facts,
      observations,
    }),
    /** A connection of which only some members are given; the others are those of a random one. */
    filled(given: Partial<Observation>, from: number, to: number): Observation {
      const other = short(from, to);
      return { ...other, localAddress: localAddress(given.remoteAddress ?? other.remoteAddress), ...given };
    },
  };
}

/** The first instant after `from` that is `phase` behind a multiple of five minutes. */
function nextMark(from: number, phase: number): number {
  return Math.floor((from - phase) / beaconEveryMs + 1) * beaconEveryMs + phase;
}

/** A few are picked often, most of them seldom. */
function pickSkewed<T>(random: Random, list: readonly T[]): T {
  const found = list[Math.floor(list.length * random.next() ** 3)];
  return found ?? random.pick(list);
}

function pickProgram(random: Random): Program {
  const all = programs.reduce((sum, { weight }) => sum + weight, 0);
  let left = random.next() * all;
  return (
    programs.find(({ weight }) => {
      left -= weight;
      return left < 0;
    }) ?? programs[0]
  );
}

/** An id in the form of a random one (RFC 9562, version 4). */
export function uuidFrom(random: Random): string {
  const hex = Array.from({ length: 32 }, () => random.int(0, 15).toString(16));
  hex[12] = '4';
  hex[16] = random.pick(['8', '9', 'a', 'b']);
  return hex.join('').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function addressAfter(address: string, steps: number): string {
  const number = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0) + steps;
  return [24, 16, 8, 0].map((bits) => Math.floor(number / 2 ** bits) % 256).join('.');
}

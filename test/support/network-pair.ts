// Two network namespaces joined by a cable: a machine that connects, and one that is connected to.
import { spawnSync } from 'node:child_process';
import { describe, test } from 'vitest';
import { childEnv } from '#kernel/process/env.ts';

export interface NetworkPair extends Disposable {
  /** Where the other end listens. */
  readonly host: string;
  /** What `ip` needs to run a program on one side. */
  inside(side: 'here' | 'there', program: readonly string[]): string[];
  /** Whether the other end answers; packets to it are lost meanwhile. */
  answers(does: boolean): void;
}

const host = '192.0.2.20';
let number = 0;

/** Throws when it cannot be made; nothing of it is left then. */
export function networkPair(): NetworkPair {
  number += 1;
  const unique = `gh${process.pid}x${number}`;
  const [here, there] = [`${unique}a`, `${unique}b`];
  const cleanUp = () => {
    for (const name of [here, there]) {
      spawnSync('ip', ['netns', 'del', name]);
    }
  };
  const ip = (...args: string[]) => {
    const run = spawnSync('ip', args, { encoding: 'utf8' });
    if (run.status !== 0) {
      throw new Error(`ip ${args.join(' ')}: ${run.error?.message ?? run.stderr.trim()}`);
    }
    return run.stdout;
  };
  const address = [`${host}/24`, 'dev', 'there0'];
  try {
    ip('netns', 'add', here);
    ip('netns', 'add', there);
    ip('link', 'add', 'here0', 'netns', here, 'type', 'veth', 'peer', 'name', 'there0', 'netns', there);
    ip('-n', here, 'addr', 'add', '192.0.2.10/24', 'dev', 'here0');
    ip('-n', there, 'addr', 'add', ...address);
    ip('-n', here, 'link', 'set', 'here0', 'up');
    ip('-n', there, 'link', 'set', 'there0', 'up');
    const mac = /link\/ether (\S+)/.exec(ip('-n', there, 'link', 'show', 'there0'))?.[1] ?? '';
    ip('-n', here, 'neigh', 'replace', host, 'lladdr', mac, 'dev', 'here0');
  } catch (error) {
    cleanUp();
    throw error;
  }
  return {
    host,
    inside: (side, program) => ['netns', 'exec', side === 'here' ? here : there, ...program],
    answers(does) {
      ip('-n', there, 'addr', does ? 'add' : 'del', ...address);
    },
    [Symbol.dispose]: cleanUp,
  };
}

/** A group of tests that are skipped, with the reason, where namespaces cannot be made; REQUIRE_REAL=1 makes that a failure. */
export function withNetworkPair(body: () => void): void {
  try {
    networkPair()[Symbol.dispose]();
  } catch (error) {
    const reason = `no network namespaces: ${(error as Error).message} (REQUIRE_REAL=1 makes this a failure)`;
    test('another network namespace', (context) => {
      if (childEnv().REQUIRE_REAL === '1') {
        throw new Error(reason);
      }
      context.skip(reason);
    });
    return;
  }
  describe('another network namespace', body);
}

// The SSH service of one router: its host key, which algorithms and login methods a connection gets, who may log in.
import type { Clock } from '#kernel/time/clock.ts';
import type { Faults } from '../faults.ts';
import type { Account, Credentials } from '../model.ts';
import { type LoginMethod, legacySsh, type SshOffer } from '../profiles.ts';
import { takeSecret } from '../secret-places.ts';
import type { Wire } from '../terminal/output.ts';
import type { Violations } from '../violations.ts';
import {
  type Connection,
  createSshServer,
  type HostKey,
  releaseHostKeys,
  type SshHandlers,
  type SshServer,
  takeHostKey,
} from './server.ts';

export interface SshdOptions {
  offer: SshOffer;
  /** A new one when absent. */
  hostKey?: HostKey | undefined;
  methods: readonly LoginMethod[];
  isLegacy: () => boolean;
  banner: string | null;
  credentials: () => Credentials;
  accounts: () => ReadonlyMap<string, Account>;
  loginMs: number;
  clock: Clock;
  faults: Faults;
  violations: Violations;
  shell: (connection: Connection, user: string, wire: Wire) => (bytes: Uint8Array) => void;
  note: (kind: string, details: Record<string, unknown>) => void;
}

export interface Sshd extends Disposable {
  accept(connection: Connection): Promise<void>;
  fingerprint(): string;
  /** Starts making a new host key; connections wait for it. The returned function puts the old one back. */
  changeHostKey(): { ready: Promise<void>; undo: () => void };
}

interface Terms {
  methods: readonly string[];
  refused: boolean;
  loggedIn: AbortController;
}

export async function createSshd(options: SshdOptions): Promise<Sshd> {
  const { offer, faults, clock, note } = options;
  const terms = new WeakMap<Connection, Terms>();
  const taken: HostKey[] = [];
  const newKey = async () => {
    const key = await takeHostKey(offer.hostKeyBits);
    taken.push(key);
    return key;
  };
  let hostKey = options.hostKey ?? (await newKey());
  let making: Promise<void> = Promise.resolve();
  let servers = createServers(hostKey);

  /** Made when the first connection needs one: an SSH server takes more memory than all the rest of a router at rest. */
  function createServers(key: HostKey) {
    const made: { usual?: SshServer; legacy?: SshServer } = {};
    const rest = { hostKey: key, banner: options.banner };
    const old = { ...legacySsh, ident: offer.ident };
    return {
      usual: () => (made.usual ??= createSshServer({ ...rest, offer, sha1Only: offer.hostKeyBits < 2048 }, handlers())),
      legacy: () => (made.legacy ??= createSshServer({ ...rest, offer: old, sha1Only: true }, handlers())),
    };
  }

  function handlers(): SshHandlers {
    return {
      methods: (connection) => terms.get(connection)?.methods ?? options.methods,
      login(connection, method, user, password) {
        const expected = options.credentials();
        const known =
          (user === expected.user && password === expected.password) ||
          options.accounts().get(user)?.password === password;
        const accepted = known && terms.get(connection)?.refused !== true;
        note('login', { connection: connection.id, method, user, accepted });
        if (!accepted) {
          options.violations.secretFailed('login', user, password);
        }
        return accepted;
      },
      ready: (connection) => terms.get(connection)?.loggedIn.abort(),
      shell: options.shell,
      note,
    };
  }

  const decide = (): Terms => {
    const shown = takeSecret('methods', faults, options.credentials());
    const refused = faults.take('login-refused') !== null || shown !== null;
    const methods: readonly string[] = faults.take('publickey-only')
      ? ['publickey']
      : faults.take('keyboard-interactive-only')
        ? ['keyboard-interactive']
        : [...options.methods, ...(shown?.split(' ') ?? [])];
    return { methods, refused, loggedIn: new AbortController() };
  };

  const watchLogin = async (connection: Connection, { loggedIn }: Terms) => {
    connection.socket.once('close', () => loggedIn.abort());
    const inTime = await clock.sleep(options.loginMs, loggedIn.signal).then(
      () => false,
      () => true,
    );
    if (!inTime) {
      note('login-timeout', { connection: connection.id });
      connection.socket.destroy();
    }
  };

  return {
    async accept(connection) {
      await making;
      const decided = decide();
      terms.set(connection, decided);
      const legacy = options.isLegacy() || faults.take('no-common-algorithm') !== null;
      (legacy ? servers.legacy() : servers.usual()).accept(connection);
      await watchLogin(connection, decided);
    },
    fingerprint: () => hostKey.fingerprint,
    changeHostKey() {
      const before = { hostKey, servers };
      making = newKey().then((key) => {
        hostKey = key;
        servers = createServers(key);
      });
      return {
        ready: making,
        undo: () => {
          making = making.finally(() => {
            ({ hostKey, servers } = before);
          });
        },
      };
    },
    [Symbol.dispose]() {
      releaseHostKeys(offer.hostKeyBits, taken.splice(0));
    },
  };
}

// Where the fault `secret-shown` shows the router's own secrets, and how it words them.
import type { Faults } from './faults.ts';
import type { Credentials } from './model.ts';

export const secretPlaces = {
  answer: 'echoed behind `enable` or `administrator`, which is then refused',
  prompt: 'in front of every prompt',
  banner: 'in the lines before the first prompt',
  greeting: 'instead of the SSH identification, then the connection is closed',
  methods: 'among the login methods of a refused login',
  'host-name': "as the router's name and as the names its DHCP server tells",
  model: "instead of the router's model",
  row: 'in rows of every output: whole, broken over two lines, and over three',
  error: 'in the error line that answers a command',
  'hang-up': 'as the last line before the session is closed',
} as const;

export type SecretPlace = keyof typeof secretPlaces;

/** Both secrets as one text when the fault is armed for this place (and command), `null` otherwise. */
export function takeSecret(
  place: SecretPlace,
  faults: Faults,
  { password, enable }: Credentials,
  command?: string,
): string | null {
  const armed = faults.armed('secret-shown', command);
  return armed && (armed.value ?? 'answer') === place && faults.take('secret-shown', command)
    ? `${password} ${enable ?? ''}`.trim()
    : null;
}

/** The rows of the place `row`: each secret whole, in two halves, and in pieces of a third. */
export function* secretRows({ password, enable }: Credentials): Generator<string> {
  for (const secret of [password, enable ?? '']) {
    yield `state of the table: ${secret}`;
    for (const parts of [2, 3]) {
      const size = Math.ceil(secret.length / parts);
      yield* secret.match(new RegExp(`.{1,${Math.max(1, size)}}`, 'gu')) ?? [];
    }
  }
}

/** A command line without these secrets, and without one that it sets behind the words that set it. */
export function maskSecrets(line: string, secrets: readonly string[]): string {
  return secrets.reduce(
    (masked, secret) => (secret === '' ? masked : masked.replaceAll(secret, '***')),
    line.replace(/\b(login user \S+|secret(?: 0)?) \S+$/, '$1 ***'),
  );
}

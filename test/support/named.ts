// The real resolver of Debian, BIND, on a free port of loopback: a zone of its own, filtered by a response policy zone.
import { Resolver } from 'node:dns/promises';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '#kernel/http/listening.ts';
import { untilOpen } from './open-port.ts';
import { startProgram } from './program.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface Named extends AsyncDisposable {
  resolver: Resolver;
  /** What it prints, such as the entries of the policy zone that it does not understand. */
  printed(): string;
}

/** `records` is what the Internet would answer, as lines of the root zone; `policy` the text of the policy zone. */
export async function startNamed(records: readonly string[], policy: string): Promise<Named> {
  const folder = temporaryFolder();
  const write = (name: string, text: string) => {
    const file = path.join(folder.path, name);
    writeFileSync(file, text);
    return file;
  };
  const root = write(
    'root.zone',
    [
      '$TTL 60',
      '. SOA ns.test. root.test. 1 60 60 60 60',
      '. NS ns.test.',
      'ns.test. A 127.0.0.1',
      ...records,
      '',
    ].join('\n'),
  );
  const port = await freePort();
  const config = write(
    'named.conf',
    `options {
  directory "${folder.path}"; pid-file none; session-keyfile none;
  listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; };
  dnssec-validation no; empty-zones-enable no;
  response-policy { zone "gatehouse.rpz"; } qname-wait-recurse no;
};
controls { };
zone "." { type primary; file "${root}"; };
zone "gatehouse.rpz" { type primary; file "${write('gatehouse.rpz', policy)}"; };
`,
  );
  const program = startProgram(['-g', '-c', config], { command: 'named' });
  const close = async () => {
    await program[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  };
  const died = program.ended.then(() => Promise.reject(new Error(`named ended: ${program.stderr()}`)));
  died.catch(() => undefined);
  try {
    await Promise.race([untilOpen(port), died]);
  } catch (error) {
    await close();
    throw error;
  }
  const resolver = new Resolver();
  resolver.setServers([`127.0.0.1:${port}`]);
  return { resolver, printed: program.stderr, [Symbol.asyncDispose]: close };
}

// An HTTP server that does nothing, in a process of its own: how long its answers take is what the machine takes.
import { startProgram } from './program.ts';

const script = `import { createServer } from 'node:http';
const server = createServer((request, response) => response.end('{"ok":true}'));
server.listen(0, '127.0.0.1', () => console.log('port ' + server.address().port));`;

export async function startIdleServer(): Promise<{ url: URL } & AsyncDisposable> {
  const program = startProgram(['--input-type=module', '--eval', script]);
  const [, port] = await program.printed(/^port (\d+)$/m);
  return { url: new URL(`http://127.0.0.1:${port}`), [Symbol.asyncDispose]: () => program[Symbol.asyncDispose]() };
}

// A container engine for machines without one: speaks as much of the Docker API as testcontainers uses to run one image. Its
// containers are processes on free ports of loopback.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { type Program, startProgram } from './program.ts';

/** What a client asks to run, as POST /containers/create has it. */
export interface CreatedContainer {
  Image: string;
  Cmd: string[];
  Env: string[];
  ExposedPorts: Record<string, object>;
}

type PortBindings = Record<string, { HostIp: string; HostPort: string }[]>;

interface Container {
  created: CreatedContainer;
  /** null: it has not been started. */
  running: { process: Program; ports: PortBindings } | null;
}

export interface ProcessEngine extends AsyncDisposable {
  readonly created: readonly CreatedContainer[];
}

/** Listens at the path `socket`. `image` is the only one it has; `program` is the file behind its entry point. */
export async function startProcessEngine(options: {
  socket: string;
  image: string;
  program: string;
}): Promise<ProcessEngine> {
  const containers: Container[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method, url = '' } = request;
    const [, area, name = '', action = ''] = url.replace(/\?.*/, '').split('/').map(decodeURIComponent);
    const container = area === 'containers' ? containers[Number(name)] : undefined;
    if (container) {
      return answerOne(`${method} ${action}`, container, response);
    }
    switch (`${method} ${area}/${area === 'images' ? action : name}`) {
      case 'GET info/':
        return reply(response, 200, { OperatingSystem: 'processes', OSType: 'linux' });
      case 'GET images/json':
        return name === options.image
          ? reply(response, 200, {})
          : reply(response, 404, { message: `No such image: ${name}` });
      case 'GET containers/json':
        return reply(response, 200, []);
      case 'POST containers/create':
        containers.push({ created: (await json(request)) as CreatedContainer, running: null });
        return reply(response, 201, { Id: String(containers.length - 1), Warnings: [] });
      default:
        return reply(response, 501, { message: `this engine does not know ${method} ${url}` });
    }
  };
  const answerOne = async (action: string, container: Container, response: ServerResponse): Promise<void> => {
    const { running } = container;
    switch (action) {
      case 'POST start':
        container.running = await startContainer(options.program, container.created);
        return reply(response, 204);
      case 'GET json':
        return reply(response, 200, inspectContainer(running?.ports ?? {}));
      case 'GET logs':
        response.writeHead(200, { 'Content-Type': 'application/vnd.docker.multiplexed-stream' });
        response.write(toLogFrame(running?.process.stdout() ?? ''));
        await running?.process.ended;
        return void response.end();
      case 'POST stop':
        running?.process.kill('SIGTERM');
        await running?.process.ended;
        return reply(response, 204);
      case 'DELETE ':
        return reply(response, 204);
      default:
        return reply(response, 501, { message: `this engine does not know ${action} of a container` });
    }
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => reply(response, 500, { message: error.message }));
  });
  await new Promise<void>((resolve) => server.listen(options.socket, resolve));
  return {
    get created() {
      return containers.map(({ created }) => created);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(containers.map(({ running }) => running?.process[Symbol.asyncDispose]()));
      await server[Symbol.asyncDispose]();
    },
  };
}

function reply(response: ServerResponse, status: number, body?: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(body && JSON.stringify(body));
}

/** Runs the command on loopback and free ports; the last of several equal options is the one that counts. */
async function startContainer(program: string, { Cmd, Env }: CreatedContainer) {
  const env = Object.fromEntries(Env.map((line) => line.split('=') as [string, string]));
  const place = ['--host', '127.0.0.1', '--port', '0', '--control-port', '0'];
  const started = startProgram([program, ...Cmd, ...place], { env });
  const [line] = await started.printed(/^\{.*\}$/m);
  const { url, control } = JSON.parse(line) as { url: string; control: string };
  const bind = (option: string, address: string) => [
    `${Cmd[Cmd.indexOf(option) + 1]}/tcp`,
    [{ HostIp: '127.0.0.1', HostPort: new URL(address).port }],
  ];
  const ports: PortBindings = Object.fromEntries([bind('--port', url), bind('--control-port', control)]);
  return { process: started, ports };
}

function inspectContainer(ports: PortBindings) {
  return {
    Name: '/process',
    Config: { Hostname: 'process', Labels: {} },
    State: { Status: 'running', Running: true, StartedAt: '', FinishedAt: '' },
    NetworkSettings: { Ports: ports, Networks: {} },
  };
}

/** One frame of a multiplexed log: 1 for stdout, three empty bytes, the length in four bytes, the text. */
function toLogFrame(text: string): Buffer {
  const head = Buffer.from([1, 0, 0, 0, 0, 0, 0, 0]);
  head.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([head, Buffer.from(text)]);
}

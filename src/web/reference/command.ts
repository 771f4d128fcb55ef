// The example of an operation as a command of a shell.
import { apiUrl } from '../api/client.ts';
import type { PlacedOperation } from './document.ts';

/** For a POSIX shell; `TOKEN` of its environment is the credential. */
export function toCurlCommand({ method, path, parameters, requestBody, security }: PlacedOperation): string {
  const exampleOf = (name: string) => String(parameters.find((one) => one.in === 'path' && one.name === name)?.example);
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(exampleOf(name)));
  const query = parameters.filter((one) => one.in === 'query' && one.example !== undefined);
  const url = apiUrl(filled, Object.fromEntries(query.map(({ name, example }) => [name, example])));
  const [scheme = ''] = security.flatMap((one) => Object.keys(one));
  const body = requestBody?.content['application/json'];
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quote(url.href)}`,
    ...(scheme === 'agent' ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(scheme === 'token' ? ['-H "X-Admin-Token: $TOKEN"'] : []),
    ...(body ? ["-H 'Content-Type: application/json'", `-d ${quote(JSON.stringify(body.example))}`] : []),
    ...(requestBody && !body ? ["-H 'Content-Type: application/octet-stream'", '--data-binary @FILE'] : []),
  ].join(' \\\n  ');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

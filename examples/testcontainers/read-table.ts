// The program under test: reads the NAT table of a Cisco router over SSH, as a person at a terminal does.
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import ssh2 from 'ssh2';

interface Login {
  url: URL;
  credentials: { user: string; password: string; enable: string | null };
}

/** Returns all that the router prints until it closes the session. Rejects when the login fails. */
export async function readTable({ url, credentials }: Login): Promise<string> {
  const client = new ssh2.Client();
  const { user: username, password, enable } = credentials;
  client.on('keyboard-interactive', (_name, _text, _language, _prompts, answer) => answer([password]));
  client.connect({ host: url.hostname, port: Number(url.port), username, password, tryKeyboard: true });
  await once(client, 'ready');
  try {
    const shell = await new Promise<ssh2.ClientChannel>((resolve, reject) => {
      client.shell((error, channel) => (error ? reject(error) : resolve(channel)));
    });
    shell.write(`enable\r${enable}\rterminal length 0\rshow ip nat translations\rexit\r`);
    return await text(shell);
  } finally {
    client.end();
  }
}

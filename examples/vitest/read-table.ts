// The program under test: reads the NAT table of a Cisco router over SSH, as a person at a terminal does.
import ssh2 from 'ssh2';

interface Login {
  url: URL;
  credentials: { user: string; password: string };
}

/** Returns what the router prints. Rejects when the connection ends before the prompt came back. */
export function readTable({ url, credentials }: Login): Promise<string> {
  const client = new ssh2.Client();
  return new Promise<string>((resolve, reject) => {
    client.on('error', reject);
    client.on('keyboard-interactive', (_name, _text, _language, _prompts, answer) => answer([credentials.password]));
    client.on('ready', () =>
      client.shell((error, shell) => {
        if (error) {
          reject(error);
          return;
        }
        let printed = '';
        shell.on('data', (bytes: Buffer) => {
          printed += bytes.toString('latin1');
          if (/nat translations\r\n[\s\S]*[>#]$/.test(printed)) {
            resolve(printed);
          }
        });
        shell.on('close', () => reject(new Error('the router closed the session in the middle of the table')));
        shell.write('terminal length 0\rshow ip nat translations\r');
      }),
    );
    const { user: username, password } = credentials;
    client.connect({ host: url.hostname, port: Number(url.port), username, password, tryKeyboard: true });
  }).finally(() => client.end());
}

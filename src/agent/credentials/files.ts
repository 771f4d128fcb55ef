// Credential stores that are a file of mode 0600: sealed with a key that systemd delivers, or plain.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { isThere, writeText } from '#kernel/files/files.ts';
import { seal, unseal } from '#kernel/text/secret.ts';
import { type CredentialStore, DamagedCredential, parseCredential } from './store.ts';

const keyName = 'agent-key';

/** The file of the key that systemd delivers; null when there is none. */
export function keyFile(credentialsFolder: string | undefined): string | null {
  const file = credentialsFolder ? path.join(credentialsFolder, keyName) : null;
  return file !== null && existsSync(file) ? file : null;
}

/** AES-256-GCM with the key of `$CREDENTIALS_DIRECTORY/agent-key`. Throws an Error when there is no such key. */
export function sealedFile(file: string, credentialsFolder: string | undefined): CredentialStore {
  const key = readKey(credentialsFolder);
  const open = (text: string) => {
    try {
      return unseal(text, key);
    } catch (cause) {
      throw new DamagedCredential(
        `${file} cannot be opened with the key ${keyName}: it was sealed with another key, or changed. ` +
          'Deliver the key that it was sealed with, or enrol again with --replace',
        { cause },
      );
    }
  };
  return fileStore('sealed', file, { close: (text) => seal(text, key), open });
}

export function plainFile(file: string): CredentialStore {
  return fileStore('file', file, { close: (text) => text, open: (text) => text });
}

interface Wrapping {
  close(text: string): string;
  open(text: string): string;
}

function fileStore(kind: 'sealed' | 'file', file: string, { close, open }: Wrapping): CredentialStore {
  return {
    kind,
    load: async () => (isThere(file) ? parseCredential(open(readFileSync(file, 'utf8').trim()), file) : null),
    save: async (value) => writeText(file, `${close(JSON.stringify(value))}\n`),
    remove: async () => rmSync(file, { force: true }),
  };
}

function readKey(credentialsFolder: string | undefined): string {
  const file = keyFile(credentialsFolder);
  if (file === null) {
    throw new Error(
      `there is no key for a sealed file: systemd delivers it with LoadCredentialEncrypted=${keyName}:… (docs/agent.md)`,
    );
  }
  const key = readFileSync(file, 'utf8').trim();
  if (!/^[\da-f]{64}$/i.test(key)) {
    throw new Error(`the credential ${keyName} must be 64 hexadecimal digits: make it with openssl rand -hex 32`);
  }
  return key;
}

// Names under which many tenants publish: what one of them does says little of the others.
import { parse } from 'tldts';

/** Beside the private section of the Public Suffix List: raw files, object stores, chat attachments, pastes, short links. */
const platforms: ReadonlySet<string> = new Set([
  'bit.ly',
  'bitbucket.org',
  'cdn.discordapp.com',
  'docs.google.com',
  'drive.google.com',
  'dropbox.com',
  'firebasestorage.googleapis.com',
  'gist.github.com',
  'github.com',
  'gitlab.com',
  'is.gd',
  'mediafire.com',
  'media.discordapp.net',
  'mega.nz',
  'onedrive.live.com',
  'pastebin.com',
  'raw.githubusercontent.com',
  'sharepoint.com',
  'storage.googleapis.com',
  't.me',
  'tinyurl.com',
  'transfer.sh',
  'wetransfer.com',
]);

/** `name` is lower case. */
export function isMultiTenant(name: string): boolean {
  const { isPrivate, domain } = parse(name, { allowPrivateDomains: true });
  if (isPrivate === true || domain === null) {
    return true;
  }
  for (let rest = name; rest.length >= domain.length; rest = rest.slice(rest.indexOf('.') + 1)) {
    if (platforms.has(rest)) {
      return true;
    }
    if (rest === domain) {
      return false;
    }
  }
  return false;
}

/** Whether a name that is listed stands for all below it: it is one that somebody registered, for himself alone. */
export function standsForAllBelow(name: string): boolean {
  return parse(name, { allowPrivateDomains: true }).domain === name && !isMultiTenant(name);
}

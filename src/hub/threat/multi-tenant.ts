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

export interface Standing {
  /** Many tenants publish under it. */
  isMultiTenant: boolean;
  /** It stands for all below it, when it is listed: somebody registered it, for himself alone. */
  standsForAllBelow: boolean;
}

/** `name` is lower case. */
export function standingOf(name: string): Standing {
  const { isPrivate, domain } = parse(name, { allowPrivateDomains: true });
  const isMultiTenant = isPrivate === true || domain === null || isOfPlatform(name, domain);
  return { isMultiTenant, standsForAllBelow: domain === name && !isMultiTenant };
}

/** Whether `name`, or a name above it down to the registered one, is a platform's. */
function isOfPlatform(name: string, domain: string): boolean {
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

// Names of multi-tenant platforms: what one tenant does says little about the others.
import { parse } from 'tldts';

/** As well as the private section of the Public Suffix List: raw files, object stores, chat attachments, pastes, short links. */
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

export interface Tenancy {
  /** Many tenants publish under it. */
  isMultiTenant: boolean;
  /** When listed, it covers its subdomains: one party registered it for itself. */
  coversSubdomains: boolean;
}

/** `name` is lower case. */
export function findTenancy(name: string): Tenancy {
  const { isPrivate, domain } = parse(name, { allowPrivateDomains: true });
  const isMultiTenant = isPrivate === true || domain === null || isOfPlatform(name, domain);
  return { isMultiTenant, coversSubdomains: domain === name && !isMultiTenant };
}

/** Whether `name` or one of its parents down to the registered domain is a platform. */
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

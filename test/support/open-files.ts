// Files that this process has open.
import { readdirSync, readlinkSync } from 'node:fs';

export interface OpenFile {
  handle: string;
  /** A file that was removed is here too. */
  file: string;
}

/** Those below `folder`; only Linux says. */
export function openFilesBelow(folder: string): OpenFile[] {
  const handles = process.platform === 'linux' ? readdirSync('/proc/self/fd') : [];
  return handles.map(openFile).filter(({ file }) => file.startsWith(`${folder}/`));
}

function openFile(handle: string): OpenFile {
  try {
    return { handle, file: readlinkSync(`/proc/self/fd/${handle}`) };
  } catch {
    // Closed since the folder was listed.
    return { handle, file: '' };
  }
}

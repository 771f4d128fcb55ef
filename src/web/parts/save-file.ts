// Saves a file through the browser's download.
import { after } from '../clock.ts';

export function saveFile(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The download has started by then.
  after(60_000, () => URL.revokeObjectURL(link.href));
}

// Gives a file to the browser, as a link to it would.
import { after } from '../clock.ts';

export function saveFile(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser has taken it by then.
  after(60_000, () => URL.revokeObjectURL(link.href));
}

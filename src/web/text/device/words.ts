// The dictionary of the page of a device and of the list, which comes with them and not with the first view.
import { createDictionary } from '../text.ts';
import { type DeviceDictionary, en } from './en.ts';

export const words = createDictionary<DeviceDictionary>(en, { ja: async () => (await import('./ja.ts')).ja });

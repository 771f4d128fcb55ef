// The dictionary of connecting an AI assistant.
import { createDictionary } from '../text.ts';
import { type AssistantDictionary, en } from './en.ts';

export const words = createDictionary<AssistantDictionary>(en, { ja: async () => (await import('./ja.ts')).ja });

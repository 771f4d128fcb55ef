// All mistakes that the gate is tested against, for `gate explain`, docs/gate.md and the tests.
import { endpointMistakes } from './endpoint.ts';
import { evidenceMistakes } from './evidence.ts';
import { limitsMistakes } from './limits.ts';
import type { Mistake } from './mistake.ts';
import { networkMistakes } from './network.ts';
import { plainMistakes } from './plain.ts';
import { proxyMistakes } from './proxy.ts';
import { tokensMistakes } from './tokens.ts';

export const mistakes: readonly Mistake[] = [
  ...plainMistakes,
  ...evidenceMistakes,
  ...tokensMistakes,
  ...endpointMistakes,
  ...limitsMistakes,
  ...networkMistakes,
  ...proxyMistakes,
];

// Remote look-ups as a feature.
import type { Base, Feature, HandlersOf } from '../../feature.ts';
import type { Enrichment } from '../enrichment.ts';
import { lookUpHandlers } from './handlers.ts';
import { startLookUps } from './look-ups.ts';

export function startLookUpsFeature(
  base: Base,
  enrichment: Pick<Enrichment, 'addAnswers'>,
): Feature<HandlersOf<'config', 'lookups' | 'saveLookups'>> {
  const { settings, options } = base;
  const allowLoopback = options.allowLoopbackRouters ?? false;
  const lookUps = startLookUps(base, enrichment);
  return {
    handlers: { config: lookUpHandlers({ document: settings, lookUps, allowLoopback }) },
    status: () => ({
      enrichment: { rdap: lookUps.counter('rdap'), geo: lookUps.counter('geo'), ptr: lookUps.counter('ptr') },
      features: {
        rdap: lookUps.switchOf('rdap'),
        geoip: lookUps.switchOf('geo'),
        'dns-ptr': lookUps.switchOf('ptr'),
      },
    }),
    settled: lookUps.settled,
    [Symbol.asyncDispose]: () => lookUps[Symbol.asyncDispose](),
  };
}

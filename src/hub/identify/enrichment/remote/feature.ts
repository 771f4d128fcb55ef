// Remote look-ups as a feature.
import type { Base, Feature } from '../../../base/feature.ts';
import type { Enrichment } from '../enrichment.ts';
import { createLookUpHandlers, type LookUpHandlers } from './handlers.ts';
import { startLookUps } from './look-ups.ts';

export function startLookUpsFeature(
  base: Base,
  enrichment: Pick<Enrichment, 'addAnswers'>,
): Feature<{ config: LookUpHandlers }> {
  const { settings, options } = base;
  const allowLoopback = options.allowLoopbackRouters ?? false;
  const lookUps = startLookUps(base, enrichment);
  return {
    handlers: { config: createLookUpHandlers({ document: settings, lookUps, allowLoopback }) },
    status: () => ({
      enrichment: { rdap: lookUps.counter('rdap'), geo: lookUps.counter('geo'), ptr: lookUps.counter('ptr') },
      features: {
        rdap: lookUps.getSwitch('rdap'),
        geoip: lookUps.getSwitch('geo'),
        'dns-ptr': lookUps.getSwitch('ptr'),
      },
    }),
    settled: lookUps.settled,
    [Symbol.asyncDispose]: () => lookUps[Symbol.asyncDispose](),
  };
}

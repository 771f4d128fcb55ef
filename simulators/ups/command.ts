// `gatehouse sim ups`.
import { oneOf, type SimulatorCommand, serveControl, text } from '../command.ts';
import { upsControlRoutes } from './control-routes.ts';
import { upsFaults } from './faults.ts';
import { localeNames } from './locales.ts';
import { startUps } from './ups.ts';
import type { Model } from './values.ts';

const modelNames = ['backups', 'smart'] as const satisfies readonly Model[];

export const upsCommand: SimulatorCommand = {
  kind: 'ups',
  ports: { port: 6547, control: 2934 },
  help: {
    title: 'UPS',
    text: `  --locale NAME            display language: ${localeNames.join(', ')} (en)
  --model NAME             ${modelNames.join(' or ')}: six measurements or twelve (${modelNames[0]})
`,
  },
  options: { locale: { type: 'string' }, model: { type: 'string' } },
  plan(given) {
    const locale = oneOf('locale', text(given, 'locale'), localeNames as ['en', ...typeof localeNames]);
    const model = oneOf('model', text(given, 'model'), modelNames);
    return async (starting) => {
      const { place, clock, stack, seed } = starting;
      const ups = stack.use(
        await startUps({
          clock,
          host: place.host,
          port: place.port,
          ...(seed === null ? {} : { seed }),
          settings: { locale, model },
          onEntry: starting.onEntry,
        }),
      );
      const control = await serveControl(starting, {
        title: 'Simulated UPS',
        control: ups.control,
        faults: upsFaults,
        extra: upsControlRoutes(ups.control),
      });
      const { user, password } = ups.credentials;
      return {
        url: ups.url.origin,
        control,
        user,
        password,
        locale,
        model,
        fingerprint256: ups.fingerprint256,
        seed: ups.control.state().seed,
      };
    };
  },
};

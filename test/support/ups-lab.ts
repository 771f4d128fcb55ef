// A simulated UPS for one test, as the fixtures have it, on a clock that stands still, and what its pages show.
import { parse } from 'parse5';
import { type Certificate, createSelfSigned } from '#simulators/support/certificates.ts';
import { findElements, getAttribute, getText } from '#simulators/ups/html-tree.ts';
import { startUps, type UpsOptions, type UpsSimulator } from '#simulators/ups/ups.ts';
import { watchLeaks } from './leak-guard.ts';
import { ManualClock } from './manual-clock.ts';
import { openUps, type UpsBrowser } from './ups-browser.ts';

export interface UpsLab extends AsyncDisposable {
  readonly ups: UpsSimulator;
  readonly clock: ManualClock;
  /** A browser of its own cookies. */
  browser(): UpsBrowser;
}

/** Making a certificate takes a moment, so the tests of a file share one. */
let shared: Promise<Certificate> | undefined;

export async function startUpsLab(options: UpsOptions = {}): Promise<UpsLab> {
  shared ??= createSelfSigned(['127.0.0.1', 'localhost'], { digest: 'sha512' });
  const certificate = await shared;
  await using opened = new AsyncDisposableStack();
  const clock = new ManualClock();
  opened.use(watchLeaks({ clock }));
  const browsers = opened.use(new AsyncDisposableStack());
  const ups = opened.use(await startUps({ seed: 0, clock, certificate, ...options }));
  const whole = opened.move();
  return {
    ups,
    clock,
    browser: () => browsers.use(openUps(ups.url)),
    [Symbol.asyncDispose]: () => whole.disposeAsync(),
  };
}

/** What a browser shows of the element with this id; null when there is none. */
export function shownAt(page: string, id: string): string | null {
  const found = findElements(parse(page)).find((element) => getAttribute(element, 'id') === id);
  return found ? getText(found) : null;
}

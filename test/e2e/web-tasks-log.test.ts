// Two tasks of somebody who watches a network: who talked to Germany last night, as a file; and an alert that is understood
// and kept quiet for a day.
import { readFileSync, rmSync } from 'node:fs';
import { expect } from 'vitest';
import { type DetectionLab, device, startDetectionLab } from '../support/detection-lab.ts';
import { writeEnrichment } from '../support/enrichment-files.ts';
import { type Scene, testTasks } from '../support/tasks.ts';
import { makeFolder } from '../support/temporary-folder.ts';
import { builtWeb } from '../support/web-build.ts';
import { anything } from '../support/words.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const noon = Date.UTC(2026, 2, 1, 12);
const japan = '198.51.100.200';

/** Devices and destinations by their hour after noon. Each night, of London and of Tokyo, has one of the German ones. */
const german = [
  { hour: 0, src: '192.168.100.31', dst: '198.51.100.10' },
  { hour: 3, src: '192.168.100.32', dst: '198.51.100.20' },
  { hour: 11, src: '192.168.100.33', dst: '198.51.100.30' },
  { hour: 19, src: '192.168.100.34', dst: '198.51.100.40' },
];
/** A listed destination for each case. */
const listed = ['203.0.113.80', '203.0.113.81', '203.0.113.82', '203.0.113.83'];

/** A hub at eight in the morning, after a night with connections to Germany and Japan, with open alerts. */
async function startMorning(): Promise<DetectionLab> {
  await using opened = new AsyncDisposableStack();
  const folder = makeFolder('enrichment');
  opened.defer(() => rmSync(folder, { recursive: true }));
  const enrichmentDir = writeEnrichment(folder, {
    countries: { '198.51.100.0-198.51.100.127': 'DE', '198.51.100.128-198.51.100.255': 'JP' },
  });
  const lab = opened.use(await startDetectionLab({ hub: { webFolder: builtWeb(), enrichmentDir } }));
  for (const { hour, src, dst } of german) {
    await lab.skip(noon + hour * hourMs - lab.clock.now());
    for (const to of [dst, japan]) {
      lab.routers.home.flow({ src, dst: to, dport: 443, proto: 'tcp', lastsMs: 30_000, ends: 'silent' });
    }
    await lab.poll();
    await lab.poll();
  }
  for (const dst of listed) {
    lab.contact(dst);
  }
  await lab.poll();
  for (const dst of listed) {
    await lab.list(dst);
  }
  await lab.poll();
  await lab.skip(noon + 20 * hourMs - lab.clock.now());
  const whole = opened.move();
  return Object.assign(Object.create(lab) as DetectionLab, { [Symbol.asyncDispose]: () => whole.disposeAsync() });
}

/** The instants of last night as the clock of the browser shows them, with their zone. */
function findNight(now: number, aheadHours: number) {
  const midnight = Math.floor((now + aheadHours * hourMs) / dayMs) * dayMs;
  const shown = (at: number) => new Date(at).toISOString().slice(0, 16);
  const [from, to] = [midnight - 2 * hourMs, midnight + 6 * hourMs];
  return { from: from - aheadHours * hourMs, to: to - aheadHours * hourMs, fromShown: shown(from), toShown: shown(to) };
}

/** The rows of a file whose cells contain no quotes. */
function readCsv(file: string): Record<string, string>[] {
  const [head = '', ...lines] = readFileSync(file, 'utf8')
    .replace(/^\u{feff}/u, '')
    .trimEnd()
    .split('\r\n');
  const names = head.split(',');
  return lines.map((line) => {
    const cells = line.slice(1, -1).split('","');
    return Object.fromEntries(names.map((name, column) => [name, cells[column] ?? '']));
  });
}

async function exportGermanyOfLastNight({ lab, person, case: { aheadHours } }: Scene<DetectionLab>): Promise<void> {
  const { page, frame, log, language } = person.words;
  const night = findNight(lab.clock.now(), aheadHours);
  await person.goTo('connections');
  await person.press(page.rangeCustom);
  const period = person.within('dialog', frame.custom.title);
  await period.writeTime(frame.custom.from, night.fromShown);
  await period.writeTime(frame.custom.to, night.toShown);
  await period.press(frame.custom.show);
  await person.press(`+ ${page.filters.add}`);
  await person.choose(page.filters.column, page.filters.names.fCountry);
  const germany = new Intl.DisplayNames(language, { type: 'region' }).of('DE') ?? '';
  await person.write(page.filters.value, germany);
  await person.press(page.filters.apply);
  await person.see(page.connectionsTitle(1, '1'));
  const [expected] = german.filter(({ hour }) => noon + hour * hourMs > night.from && noon + hour * hourMs < night.to);
  await person.see(expected?.src ?? '');
  const { path, name } = await person.download(log.export.exportAs('CSV'));
  await person.see(log.export.saved('1', anything));
  expect(name).toMatch(/^monitor-connections-\d{8}T\d{6}Z\.csv$/);
  const rows = readCsv(path);
  expect(rows).toMatchObject([{ src: expected?.src, dst: expected?.dst, country: 'DE' }]);
  const lastSeen = Number(rows[0]?.lastSeen);
  expect([lastSeen > night.from, lastSeen < night.to]).toEqual([true, true]);
}

async function muteAlertForADay({ lab, person, index }: Scene<DetectionLab>): Promise<void> {
  const { page, alerts } = person.words;
  const target = listed[index] ?? '';
  await person.within('region', page.needsLook).within('listitem', target).press(page.open);
  const drawer = person.within('dialog', page.alerts.drawer);
  await drawer.see(`${page.alerts.types.threat}: ${device} → ${target}:443`);
  await drawer.see(page.feeds.feed_c2);
  await drawer.see(page.alerts.whatToDo.title);
  await drawer.see(page.alerts.whatToDo.ask(device, `${target}:443`));
  await drawer.press(alerts.actions.mute);
  const question = person.within('dialog', alerts.titles.mute);
  await question.choose(alerts.howLong, alerts.durations.day);
  await question.write(alerts.reason, 'A camera, asked its owner');
  await question.press(alerts.titles.mute);
  await drawer.see(alerts.mutedUntil(anything));
  const { alerts: found } = await lab.as.admin.alerts.list({ query: { q: target } });
  expect(found).toMatchObject([{ state: 'muted', until: lab.clock.now() + dayMs, note: 'A camera, asked its owner' }]);
  await drawer.press(page.close);
  await person.goTo('alerts');
  await person.press(`${page.alerts.states.muted} ${index + 1}`);
  await person.within('listitem', target).see('A camera, asked its owner');
}

testTasks(startMorning, {
  'who talked to Germany last night, as a file': exportGermanyOfLastNight,
  'an alert is understood, and muted for a day': muteAlertForADay,
});

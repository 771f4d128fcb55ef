// The devices and organisations with the most connections.
import type { Reply } from '../api/client.ts';
import { Card } from '../parts/card.tsx';
import { Ranked } from '../parts/ranked.tsx';
import { deviceHref, exactLogHref, mapHref } from '../state/range.ts';
import { text } from '../text/text.ts';

interface Props {
  summary: Reply<'GET /api/connections/summary'>;
  isDimmed: boolean;
}

const shown = 6;

export function TopDevices({ summary, isDimmed }: Props) {
  const rows = summary.byDevice.slice(0, shown).map(({ src, srcDnsName, srcMdnsName, count }) => {
    const name = srcDnsName ?? srcMdnsName ?? src;
    const to = exactLogHref({ fSrc: src });
    return { key: src, name, more: name === src ? '' : src, count, to, page: deviceHref(src) };
  });
  return (
    <Card title={text.value.topDevices} kind="half" isDimmed={isDimmed}>
      <Ranked rows={rows} />
    </Card>
  );
}

export function TopOrganisations({ summary, isDimmed }: Props) {
  const known = new Map(summary.byDst.flatMap(({ org, country }) => (org === null ? [] : [[org, country] as const])));
  const rows = summary.byTarget
    .filter(({ key }) => known.has(key))
    .slice(0, shown)
    .map(({ key, label, count }) => {
      const to = exactLogHref({ fOrg: key });
      return { key, name: label, more: known.get(key) ?? '', count, to, page: mapHref({ target: key }) };
    });
  return (
    <Card title={text.value.topOrganisations} kind="half" isDimmed={isDimmed}>
      <Ranked rows={rows} />
    </Card>
  );
}

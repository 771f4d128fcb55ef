import { Card } from '../parts/card.tsx';
import { joinWithDots } from '../parts/outside.ts';
import { Ranked } from '../parts/ranked.tsx';
import { country as countryName } from '../text/format.ts';
import { words } from '../text/insights/words.ts';
import { type Facts, periodLogHref } from './report.ts';

const shown = 8;

interface Props {
  facts: Facts;
  isDimmed: boolean;
}

export function Services({ facts: { topServices, range }, isDimmed }: Props) {
  const rows = topServices.slice(0, shown).map(({ port, protocol, connections: count }) => {
    const key = `${protocol} ${port}`;
    const to = periodLogHref(range, {
      fDport: String(port),
      fDportMode: 'exact',
      fProto: protocol,
      fProtoMode: 'exact',
    });
    return { key, name: port === 0 ? protocol : key, more: '', count, to };
  });
  return (
    <Card title={words.value.services} isDimmed={isDimmed}>
      <Ranked rows={rows} />
    </Card>
  );
}

export function Destinations({ facts: { topDestinations, range }, isDimmed }: Props) {
  const rows = topDestinations.slice(0, shown).map(({ ip, host, org, country, connections: count }) => {
    const more = joinWithDots([host && ip, org, country && countryName(country)]);
    return { key: ip, name: host ?? ip, more, count, to: periodLogHref(range, { fDst: ip, fDstMode: 'exact' }) };
  });
  return (
    <Card title={words.value.destinations} isDimmed={isDimmed}>
      <Ranked rows={rows} />
    </Card>
  );
}

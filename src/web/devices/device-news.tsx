// The countries and destinations that a device contacted for the first time since yesterday, and since last week.
import { Card } from '../parts/card.tsx';
import { Link } from '../parts/link.tsx';
import { joinWithDots } from '../parts/outside.ts';
import { Time } from '../parts/time.tsx';
import { exactLogHref } from '../state/range.ts';
import { words } from '../text/device/words.ts';
import { country as countryName, number } from '../text/format.ts';
import { text } from '../text/text.ts';
import { FirstOf } from './more.tsx';
import type { Device } from './names.ts';
import type { Traffic } from './traffic.ts';

interface Props {
  device: Device;
  addresses: readonly string[];
  /** The connections of the device from the first to the last of `midnights`. */
  traffic: Traffic;
  /** Local midnights in epoch milliseconds: the last one ends today. */
  midnights: readonly number[];
}

interface News {
  key: string;
  name: string;
  more: string;
  firstSeen: number;
  to: string;
}

export function DeviceNews({ device, addresses, traffic, midnights }: Props) {
  const w = words.value;
  const isCut = traffic.uniqueDestinations > traffic.byDst.length;
  const starts = { yesterday: Number(midnights.at(-3)), week: Number(midnights.at(-9)) };
  return (
    <Card title={w.news}>
      {(['yesterday', 'week'] as const).map((since) => {
        const news = findNews(addresses, traffic, starts[since], Number(midnights.at(-1)) - 1);
        return (
          <section key={since}>
            <h3>{w.newsCount(w.newsSince[since], number(news.length), isCut)}</h3>
            {device.firstSeen >= starts[since] ? <p class="empty">{w.newDevice}</p> : null}
            {news.length === 0 ? <p class="empty">{w.nothingNew}</p> : null}
            <FirstOf all={news} most={5} show={(part) => <NewsRows news={part} />} />
          </section>
        );
      })}
    </Card>
  );
}

function NewsRows({ news }: { news: readonly News[] }) {
  return (
    <ul class="rows">
      {news.map(({ key, name, more, firstSeen, to }) => (
        <li key={key}>
          <span>
            <Link to={to}>{name}</Link> <small>{more}</small>
          </span>
          <Time at={firstSeen} />
        </li>
      ))}
    </ul>
  );
}

/** Countries first, then destinations, the newest first. */
function findNews(
  addresses: readonly string[],
  { byCountry, byTarget, byDst }: Traffic,
  since: number,
  until: number,
): News[] {
  const w = words.value;
  const isNew = ({ firstSeen }: { firstSeen: number }) => firstSeen >= since;
  const href = (filter: Record<string, string>) =>
    exactLogHref({ fSrc: addresses, ...filter }, { from: since, to: until });
  const newTargets = new Set(byTarget.filter(isNew).map(({ key }) => key));
  const countries = byCountry.filter(isNew).flatMap(({ country, firstSeen }) => {
    const name = country === null ? null : countryName(country);
    return country === null || name === null
      ? []
      : [{ key: country, name, more: w.newCountry, firstSeen, to: href({ fCountry: country }) }];
  });
  const destinations = byDst.filter(isNew).map(({ dst, dstHost, org, country, firstSeen }) => ({
    key: dst,
    name: dstHost ?? dst,
    more: joinWithDots([
      org,
      org !== null && newTargets.has(org) && w.newOrganisation,
      country && countryName(country),
      org === null && country === null && text.value.newDestination,
    ]),
    firstSeen,
    to: href({ fDst: dst }),
  }));
  return [countries, destinations].flatMap((group) => group.toSorted((one, other) => other.firstSeen - one.firstSeen));
}

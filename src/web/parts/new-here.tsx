// Devices and destinations that were seen first in the period.
import type { Reply } from '../api/client.ts';
import { deviceHref, exactLogHref, mapHref } from '../state/range.ts';
import { country as countryName, maker, number } from '../text/format.ts';
import { text } from '../text/text.ts';
import { Card } from './card.tsx';
import { Link } from './link.tsx';
import { dot, joinWithDots } from './outside.ts';
import { Time } from './time.tsx';

const shown = 6;

export function NewHere({ fresh, isDimmed }: { fresh: Reply<'GET /api/connections/new-nodes'>; isDimmed: boolean }) {
  const t = text.value;
  const rows = [
    ...fresh.newDevices.map(({ src, srcDnsName, srcMdnsName, srcVendor, firstSeen }) => ({
      key: `src ${src}`,
      name: srcDnsName ?? srcMdnsName ?? src,
      firstSeen,
      to: deviceHref(src),
      more: joinWithDots([t.newDevice, maker(srcVendor)]),
      doors: [],
    })),
    ...fresh.newDestinations.map(({ dst, dstHost, org, country, firstSeen }) => ({
      key: `dst ${dst}`,
      name: dstHost ?? dst,
      firstSeen,
      to: exactLogHref({ fDst: dst }),
      more: t.newDestination,
      doors: [
        ...(org === null ? [] : [{ name: org, to: mapHref({ target: org }) }]),
        ...(country === null ? [] : [{ name: countryName(country), to: mapHref({ country }) }]),
      ],
    })),
  ];
  rows.sort((one, other) => other.firstSeen - one.firstSeen);
  return (
    <Card
      title={t.newHere}
      isDimmed={isDimmed}
      aside={<p class="figure">{number(fresh.deviceCount + fresh.destinationCount)}</p>}
    >
      {rows.length === 0 ? <p class="empty">{t.nothingNew}</p> : null}
      <ul class="rows">
        {rows.slice(0, shown).map(({ key, name, more, doors, firstSeen, to }) => (
          <li key={key}>
            <span>
              <Link to={to}>{name}</Link>{' '}
              <small>
                {more}
                {doors.map((door) => (
                  <span key={door.to}>
                    {dot}
                    <Link to={door.to}>{door.name}</Link>
                  </span>
                ))}
              </small>
            </span>
            <Time at={firstSeen} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

// Where a device connects to in the period: countries, organisations and hosts, destinations.
import { Card } from '../parts/card.tsx';
import { Ranked, type RankedRow } from '../parts/ranked.tsx';
import { exactLogHref, mapHref, rangeParameters } from '../state/range.ts';
import { words } from '../text/device/words.ts';
import { country as countryName } from '../text/format.ts';
import { text } from '../text/text.ts';
import { FirstOf } from './more.tsx';
import type { Traffic } from './traffic.ts';

interface Props {
  addresses: readonly string[];
  traffic: Traffic;
  isDimmed: boolean;
}

export function DeviceLists({ addresses, traffic: { byCountry, byTarget, byDst }, isDimmed }: Props) {
  const w = words.value;
  const of = { fSrc: addresses };
  const lists: { title: string; rows: RankedRow[] }[] = [
    {
      title: w.countries,
      rows: byCountry.map(({ country, count }) => ({
        key: country ?? '',
        name: country === null ? w.unknownCountry : countryName(country),
        more: '',
        count,
        to:
          country === null
            ? exactLogHref(of, { ...rangeParameters.value, fUnknown: 'country' })
            : exactLogHref({ ...of, fCountry: country }),
        ...(country === null ? {} : { page: mapHref({ country }) }),
      })),
    },
    {
      title: w.organisations,
      rows: byTarget.map(({ key, label, count }) => ({
        key,
        name: label,
        more: '',
        count,
        to: exactLogHref({ ...of, fTarget: key }),
        page: mapHref({ target: key }),
      })),
    },
    {
      title: w.destinations,
      rows: byDst.map(({ dst, dstHost, org, count }) => ({
        key: dst,
        name: dstHost ?? dst,
        more: org ?? (dstHost === null ? '' : dst),
        count,
        to: exactLogHref({ ...of, fDst: dst }),
      })),
    },
  ];
  return (
    <>
      {lists.map(({ title, rows }) => (
        <Card key={title} title={title} isDimmed={isDimmed}>
          {rows.length === 0 ? <p class="empty">{text.value.sentence.noRows}</p> : null}
          <FirstOf all={rows} show={(part) => <Ranked rows={part} />} />
        </Card>
      ))}
    </>
  );
}

// One side of a merge candidate, and whether its device is kept.
import { Choice } from '../parts/choice.tsx';
import { Link } from '../parts/link.tsx';
import { joinWithDots } from '../parts/outside.ts';
import { Time } from '../parts/time.tsx';
import { deviceHref } from '../state/range.ts';
import { may } from '../state/session.ts';
import { text } from '../text/text.ts';
import { type Device, deviceName } from './names.ts';

interface Props {
  device: Device;
  /** Id of the candidate; groups the two radio buttons. */
  pair: string;
  isKept: boolean;
  choose: (deviceId: string) => void;
}

export function PairSide({ device, pair, isKept, choose }: Props) {
  const t = text.value.devices;
  const { deviceId, ip, mac, interfaces, firstSeen, lastSeen, note } = device;
  const kind = interfaces[0]?.kind;
  return (
    <div>
      <p class="alert-title">
        <Link to={deviceHref(deviceId)}>{deviceName(device)}</Link>
      </p>
      <p>{joinWithDots([ip, mac, kind && t.macKinds[kind]])}</p>
      <p>
        {t.firstSeen} <Time at={firstSeen} />, {t.lastSeen} <Time at={lastSeen} />
      </p>
      {note === null ? null : <p dir="auto">{note}</p>}
      <Choice
        type="radio"
        kind="switch"
        name={`keep-${pair}`}
        isChosen={isKept}
        isDisabled={!may('settings.write')}
        choose={() => choose(deviceId)}
      >
        {t.keepThis}
      </Choice>
    </div>
  );
}

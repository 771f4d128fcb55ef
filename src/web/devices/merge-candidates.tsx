// Pairs that may be one device, with what speaks for it and against it. A merge can be undone where it was made.
import { useState } from 'preact/hooks';
import { ask } from '../api/client.ts';
import { Card } from '../parts/card.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Failure } from '../parts/note.tsx';
import { isolateName } from '../parts/outside.ts';
import { useLoaded } from '../state/loaded.ts';
import { may } from '../state/session.ts';
import { percent } from '../text/format.ts';
import { text } from '../text/text.ts';
import { type Candidate, type Device, fullDeviceName } from './names.ts';
import { PairSide } from './pair-side.tsx';

interface Props {
  /** Archived ones too. */
  devices: readonly Device[];
  changed: () => void;
}

interface Merge {
  keep: Device;
  drop: Device;
}

export function MergeCandidates({ devices, changed }: Props) {
  const t = text.value.devices;
  const { value, error, again } = useLoaded('candidates', (signal) =>
    ask('GET /api/devices/merge-candidates', { query: { status: 'pending' } }, signal),
  );
  const [last, setLast] = useState<Merge | null>(null);
  const reload = () => {
    again();
    changed();
  };
  const undo = async () => {
    await ask('POST /api/devices/split', { body: { deviceId: last?.drop.deviceId ?? '' } });
    setLast(null);
    reload();
  };
  const pairs = value?.candidates.flatMap((candidate) => {
    const [a, b] = [candidate.deviceIdA, candidate.deviceIdB].map((id) =>
      devices.find(({ deviceId }) => deviceId === id),
    );
    return a && b ? [{ candidate, a, b }] : [];
  });
  if (error) {
    return <Failure error={error} again={again} />;
  }
  if ((pairs?.length ?? 0) === 0 && last === null) {
    return null;
  }
  return (
    <Card title={t.candidates}>
      {last === null ? null : (
        <div class="pair" role="status">
          <p>{t.merged(isolateName(fullDeviceName(last.drop)), isolateName(fullDeviceName(last.keep)))}</p>
          <Confirm label={t.split} question={t.splitQuestion(isolateName(fullDeviceName(last.drop)))} work={undo} />
        </div>
      )}
      {pairs?.map(({ candidate, a, b }) => (
        <Pair key={candidate.id} {...{ candidate, a, b, merged: setLast, reload }} />
      ))}
    </Card>
  );
}

interface PairProps {
  candidate: Candidate;
  a: Device;
  b: Device;
  merged: (what: Merge) => void;
  reload: () => void;
}

function Pair({ candidate: { id, score, reasons, counterReasons }, a, b, merged, reload }: PairProps) {
  const t = text.value.devices;
  // What has a note, or was there first, goes on under its id.
  const older = a.firstSeen <= b.firstSeen ? a : b;
  const [keepId, setKeepId] = useState((a.note !== null ? a : b.note !== null ? b : older).deviceId);
  const [keep, drop] = a.deviceId === keepId ? [a, b] : [b, a];
  const merge = async () => {
    await ask('POST /api/devices/merge', { body: { keepId: keep.deviceId, dropId: drop.deviceId } });
    merged({ keep, drop });
    reload();
  };
  const reject = async () => {
    await ask('POST /api/devices/reject', { body: { id } });
    reload();
  };
  const choose = may('settings.write') ? setKeepId : null;
  return (
    <section class="pair" aria-label={t.pair(isolateName(fullDeviceName(a)), isolateName(fullDeviceName(b)))}>
      <div class="pair-sides">
        {[a, b].map((device) => (
          <PairSide key={device.deviceId} {...{ device, pair: String(id), isKept: device === keep, choose }} />
        ))}
      </div>
      <Reasons title={t.speaksFor(percent(score))} reasons={reasons} />
      <Reasons title={t.speaksAgainst} reasons={counterReasons.length === 0 ? [t.nothingAgainst] : counterReasons} />
      {choose === null ? null : (
        <div class="actions">
          <Confirm
            label={t.merge}
            question={t.mergeQuestion(isolateName(fullDeviceName(drop)), isolateName(fullDeviceName(keep)))}
            work={merge}
          />
          <Confirm label={t.reject} question={t.rejectQuestion} work={reject} />
        </div>
      )}
    </section>
  );
}

function Reasons({ title, reasons }: { title: string; reasons: readonly string[] }) {
  return (
    <>
      <h3>{title}</h3>
      <ul class="reasons">
        {reasons.map((reason) => (
          <li key={reason}>
            <bdi>{reason}</bdi>
          </li>
        ))}
      </ul>
    </>
  );
}

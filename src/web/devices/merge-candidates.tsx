// Pairs that may be the same device, with reasons for and against. A merge can be undone here.
import { useState } from 'preact/hooks';
import { ask, type Reply } from '../api/client.ts';
import { Card } from '../parts/card.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Failure } from '../parts/note.tsx';
import { isolateName } from '../parts/outside.ts';
import { Permitted } from '../parts/permitted.tsx';
import type { Loaded } from '../state/loaded.ts';
import { percent } from '../text/format.ts';
import { describeSentences } from '../text/hub/facts.ts';
import { text } from '../text/text.ts';
import { type Candidate, type Device, fullDeviceName } from './names.ts';
import { PairSide } from './pair-side.tsx';

interface Props {
  /** Archived ones too. */
  devices: readonly Device[];
  candidates: Loaded<Reply<'GET /api/devices/merge-candidates'>>;
  changed: () => void;
}

interface Merge {
  keep: Device;
  drop: Device;
}

export function MergeCandidates({ devices, candidates: { value, error, reload }, changed }: Props) {
  const t = text.value.devices;
  const [last, setLast] = useState<Merge | null>(null);
  const refresh = () => {
    reload();
    changed();
  };
  const undo = async () => {
    await ask('POST /api/devices/split', { body: { deviceId: last?.drop.deviceId ?? '' } });
    setLast(null);
    refresh();
  };
  const pairs = value?.candidates.flatMap((candidate) => {
    const a = devices.find(({ deviceId }) => deviceId === candidate.deviceIdA);
    const b = devices.find(({ deviceId }) => deviceId === candidate.deviceIdB);
    return a && b ? [{ candidate, a, b }] : [];
  });
  if (error) {
    return <Failure error={error} reload={reload} />;
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
        <Pair key={candidate.id} candidate={candidate} a={a} b={b} merged={setLast} refresh={refresh} />
      ))}
    </Card>
  );
}

interface PairProps {
  candidate: Candidate;
  a: Device;
  b: Device;
  merged: (what: Merge) => void;
  refresh: () => void;
}

function Pair({ candidate, a, b, merged, refresh }: PairProps) {
  const t = text.value.devices;
  const { id, score, reasons, reasonFacts, counterReasons, counterReasonFacts } = candidate;
  // By default the device with a note is kept, or the older one.
  const older = a.firstSeen <= b.firstSeen ? a : b;
  const [keepId, setKeepId] = useState((a.note !== null ? a : b.note !== null ? b : older).deviceId);
  const [keep, drop] = a.deviceId === keepId ? [a, b] : [b, a];
  const merge = async () => {
    await ask('POST /api/devices/merge', { body: { keepId: keep.deviceId, dropId: drop.deviceId } });
    merged({ keep, drop });
    refresh();
  };
  const reject = async () => {
    await ask('POST /api/devices/reject', { body: { id } });
    refresh();
  };
  return (
    <section class="pair" aria-label={t.pair(isolateName(fullDeviceName(a)), isolateName(fullDeviceName(b)))}>
      <div class="pair-sides">
        {[a, b].map((device) => (
          <PairSide
            key={device.deviceId}
            device={device}
            pair={String(id)}
            isKept={device === keep}
            choose={setKeepId}
          />
        ))}
      </div>
      <Reasons title={t.speaksFor(percent(score))} reasons={describeSentences(reasons, reasonFacts)} />
      <Reasons
        title={t.speaksAgainst}
        reasons={
          counterReasons.length === 0 ? [t.nothingAgainst] : describeSentences(counterReasons, counterReasonFacts)
        }
      />
      <Permitted needs="settings.write">
        <Confirm
          label={t.merge}
          question={t.mergeQuestion(isolateName(fullDeviceName(drop)), isolateName(fullDeviceName(keep)))}
          work={merge}
        />
        <Confirm label={t.reject} question={t.rejectQuestion} work={reject} />
      </Permitted>
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

// The card of a device that says whether its destinations are kept, with the switch, the counts and the erasure.
import { ask } from '../api/client.ts';
import { Card } from '../parts/card.tsx';
import { ConfirmButton } from '../parts/confirm-dialog.tsx';
import { EraseKept } from '../parts/erase-kept.tsx';
import { Failure } from '../parts/note.tsx';
import { isolateName } from '../parts/outside.ts';
import { useAsked } from '../state/loaded.ts';
import { rangeQuery } from '../state/range.ts';
import { may } from '../state/session.ts';
import { number } from '../text/format.ts';
import { words } from '../text/privacy/words.ts';
import { type Device, deviceName } from './names.ts';

export function DevicePrivacy({ device, erased }: { device: Device; erased: () => void }) {
  const w = words.value;
  const { value, error, reload } = useAsked('GET /api/privacy/rules', {});
  const { deviceId, mac } = device;
  const name = isolateName(deviceName(device));
  const ids = value?.devices.find((one) => one.deviceId === deviceId)?.ruleIds ?? [];
  const own = value?.rules.find(({ id, kind }) => kind === 'device' && ids.includes(id));
  const mayChange = may('settings.write');
  const mark = async () => {
    await ask('POST /api/privacy/rules', { body: { kind: 'device', value: mac ?? deviceId } });
    reload();
  };
  const keep = async (id: string) => {
    await ask('DELETE /api/privacy/rules/:id', { params: { id } });
    reload();
  };
  return (
    <Card title={w.title}>
      <Failure error={error} reload={reload} />
      {ids.length > 0 ? <p>{w.isMarked}</p> : null}
      {ids.length > 0 ? <Counted deviceId={deviceId} /> : null}
      {ids.length > 0 && !own ? <p class="help">{w.byOther}</p> : null}
      {own && mayChange ? (
        <p class="actions">
          <ConfirmButton label={w.keep} title={w.keepTitle(name)} act={() => keep(own.id)}>
            <p>{w.keepHelp}</p>
          </ConfirmButton>
        </p>
      ) : null}
      {own && mayChange ? <EraseKept ruleId={own.id} name={name} erased={erased} /> : null}
      {value !== null && ids.length === 0 && mayChange ? (
        <p class="actions">
          <ConfirmButton label={w.notKept} title={w.notKept} act={mark}>
            <p>{w.consequence}</p>
          </ConfirmButton>
        </p>
      ) : null}
    </Card>
  );
}

function Counted({ deviceId }: { deviceId: string }) {
  const { value } = useAsked('GET /api/privacy/counts', { query: rangeQuery.value });
  const count = value?.counts.find(({ holder }) => holder === deviceId)?.connections ?? 0;
  return value === null ? null : <p>{words.value.counted(count, number(count))}</p>;
}

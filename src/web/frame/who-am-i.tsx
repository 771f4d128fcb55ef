// Who is logged in here, as what, and until when.
import { Failure } from '../parts/note.tsx';
import { useAsked } from '../state/loaded.ts';
import { dateTime } from '../text/format.ts';
import { words } from '../text/frame/words.ts';

export function WhoAmI() {
  const t = words.value.who;
  const { value, error, reload } = useAsked('GET /api/auth/status', {});
  return (
    <div class="who">
      <Failure error={error} reload={reload} />
      {value?.authMethod ? (
        <>
          <p>
            <strong>
              <bdi>{value.name ?? t.methods[value.authMethod]}</bdi>
            </strong>
          </p>
          <p>{value.role ? t.roles[value.role] : t.permissions(value.permissions.length)}</p>
          {value.expiresAt === null ? null : <p>{t.until(dateTime(value.expiresAt))}</p>}
        </>
      ) : null}
    </div>
  );
}

// Changes what is stored of a router.
import { ask } from '../../api/client.ts';
import { Card } from '../../parts/card.tsx';
import { TextField } from '../../parts/fields.tsx';
import { Form, readText } from '../../parts/form.tsx';
import { isolateName } from '../../parts/outside.ts';
import { type Router, routerName } from '../../state/routers.ts';
import { words } from '../../text/settings/words.ts';
import { RouterFields, readRouterFields } from './router-fields.tsx';

interface Props {
  router: Router;
  leave: () => void;
  changed: () => void;
}

export function EditRouter({ router, leave, changed }: Props) {
  const t = words.value.routers;
  const { id, kind, nat, hostKeyPinned } = router;
  const save = async (values: FormData) => {
    const body = {
      ...readRouterFields(values),
      ...(nat === undefined ? {} : { nat: readText(values, 'nat') }),
      ...(values.has('clearEnable') ? { enablePass: null } : {}),
    };
    await ask('PUT /api/routers/:id', { params: { id }, body });
    changed();
  };
  return (
    <Card title={`${t.kinds[kind]}: ${isolateName(routerName(router))}`}>
      <Form
        submit={words.value.save}
        done={words.value.saved}
        save={save}
        more={
          <button type="button" onClick={leave}>
            {t.back}
          </button>
        }
      >
        <RouterFields kind={kind} router={router} />
        {nat === undefined ? null : (
          <TextField name="nat" label={t.nat} help={t.natHelp} inputMode="numeric" required value={nat} />
        )}
        <p class="help">
          {t.hostKey}: {hostKeyPinned ? t.hostKeyPinned : t.hostKeyOpen}
        </p>
      </Form>
    </Card>
  );
}

// Whether the MCP server answers the hub, in words.
import { useState } from 'preact/hooks';
import { ask, type Reply } from '../../api/client.ts';
import { ActionButton, Outcome } from '../../parts/outcome.tsx';
import { useAction } from '../../state/action.ts';
import { words } from '../../text/assistant/words.ts';

export function CheckServer({ url }: { url: string }) {
  const t = words.value;
  const action = useAction();
  const [found, setFound] = useState<Reply<'POST /api/config/mcp/check'> | null>(null);
  const check = async () => setFound(await ask('POST /api/config/mcp/check', { body: { url } }));
  const said = found && [t.states[found.state], found.authentication && t.authentications[found.authentication]];
  return (
    <>
      <p class="actions">
        <ActionButton action={action} work={check} label={t.check} saysBusy />
        <span class="help">{t.checkHelp}</span>
      </p>
      <Outcome action={action} done={said?.filter((part) => part !== null).join(' ')} />
    </>
  );
}

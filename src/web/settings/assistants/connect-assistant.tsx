// The configuration of an assistant, ready to be copied, for each way to reach the MCP server.
import { useId, useState } from 'preact/hooks';
import { apiUrl } from '../../api/client.ts';
import { Choice } from '../../parts/choice.tsx';
import { Group, TextField } from '../../parts/fields.tsx';
import { Sample } from '../../parts/sample.tsx';
import { words } from '../../text/assistant/words.ts';
import { CheckServer } from './check-server.tsx';
import { guessServer, placeholders, type Way, ways, writeConfigurations } from './configurations.ts';

const page = apiUrl('/');

/** Without `token`, a placeholder stands in its place. */
export function ConnectAssistant({ token = placeholders.identity }: { token?: string }) {
  const t = words.value;
  const group = useId();
  const [way, setWay] = useState<Way>('program');
  const [folder, setFolder] = useState('/path/to/gatehouse');
  const [server, setServer] = useState(guessServer(page));
  const hub = page.href.replace(/\/$/, '');
  const configurations = writeConfigurations({ way, hub, folder, server: server.trim(), token });
  const left = Object.values(placeholders).filter((name) => configurations.some(([, value]) => value.includes(name)));
  return (
    <div class="assistant">
      <h3>{t.configuration}</h3>
      <Group label={t.way}>
        {ways.map((one) => (
          <Choice key={one} type="radio" name={group} isChosen={one === way} choose={() => setWay(one)}>
            {t.ways[one]}
          </Choice>
        ))}
      </Group>
      <p class="help">{t.wayHelp[way]}</p>
      {way === 'program' ? (
        <TextField key="folder" name="folder" label={t.folder} help={t.folderHelp} value={folder} typed={setFolder} />
      ) : (
        <>
          <TextField key="server" name="server" label={t.server} help={t.serverHelp} value={server} typed={setServer} />
          <CheckServer key={server} url={server} />
        </>
      )}
      {left.map((name) => (
        <p key={name}>{t.placeholder(name)}</p>
      ))}
      {way === 'token' ? <p class="help">{t.noDesktop}</p> : null}
      {configurations.map(([client, value]) => (
        <Sample key={client} title={t.clients[client]} value={value} />
      ))}
      {way === 'oauth' ? <p class="help">{t.connectorHelp}</p> : null}
    </div>
  );
}

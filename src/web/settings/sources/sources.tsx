// Where names, owners and places of addresses come from beside the routers.
import { ask } from '../../api/client.ts';
import { Failure } from '../../parts/note.tsx';
import { useEvents } from '../../state/live.ts';
import { useLoaded } from '../../state/loaded.ts';
import { words } from '../../text/settings/words.ts';
import { FormCard } from '../form/form-card.tsx';
import { LogState } from './log-state.tsx';
import { Mesh } from './mesh.tsx';

export function Sources() {
  const { sources, lookUps } = words.value;
  const { value, error, reload } = useLoaded('sources', (signal) =>
    Promise.all([
      ask('GET /api/config/datasources', {}, signal),
      ask('GET /api/config/enrichment', {}, signal),
      ask('GET /api/mesh', {}, signal),
      ask('GET /api/status', {}, signal),
    ]),
  );
  useEvents(['network-update'], reload);
  if (value === null) {
    return <Failure error={error} reload={reload} />;
  }
  const [logs, enrichment, mesh, { routerIp }] = value;
  const { dns, inspect, dhcp } = logs;
  return (
    <div class="stack">
      <Failure error={error} reload={reload} />
      <FormCard
        title={sources.logs}
        part="logs"
        help={sources.logsHelp}
        route="POST /api/config/datasources"
        words={sources}
        values={logs}
        about={{ dns: <LogState log={dns} />, inspect: <LogState log={inspect} />, dhcp: <LogState log={dhcp} /> }}
        saved={reload}
      />
      <FormCard
        title={lookUps.title}
        part="look-ups"
        help={lookUps.help}
        route="POST /api/config/enrichment"
        words={lookUps}
        values={enrichment}
        saved={reload}
      />
      <Mesh mesh={mesh} address={routerIp} saved={reload} />
    </div>
  );
}

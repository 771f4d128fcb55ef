// The destinations of events beside the chat workspace: how each is doing, and the ways to add, change and remove one.
import { Card } from '../../parts/card.tsx';
import { Failure, Note } from '../../parts/note.tsx';
import { LinkButton, Permitted } from '../../parts/permitted.tsx';
import { useAsked } from '../../state/loaded.ts';
import { hrefWith, navigate, query } from '../../state/url.ts';
import { words } from '../../text/settings/words.ts';
import { DestinationRow } from './destination-row.tsx';
import { EditDestination } from './edit-destination.tsx';

export function Destinations() {
  const t = words.value.destinations;
  const { value, error, isLoading, reload } = useAsked('GET /api/destinations', {});
  const isAdding = query.value.get('add') !== null;
  const edited = value?.destinations.find(({ id }) => id === query.value.get('destination'));
  const leave = () => {
    navigate(hrefWith({ add: null, destination: null }));
    reload();
  };
  if (isAdding || edited) {
    return <EditDestination key={edited?.id} destination={edited} leave={leave} />;
  }
  return (
    <Card title={t.title} part="destinations" isDimmed={isLoading}>
      <Failure error={error} reload={reload} />
      {value?.destinations.length === 0 ? <Note title={t.empty} help={t.emptyHelp} /> : null}
      <ul class="items">
        {value?.destinations.map((one) => (
          <DestinationRow key={one.id} destination={one} now={value.serverTime} changed={reload} />
        ))}
      </ul>
      <Permitted needs="settings.write">
        <LinkButton kind="main" to={hrefWith({ add: '1' })} needs="settings.write">
          {t.add}
        </LinkButton>
      </Permitted>
    </Card>
  );
}

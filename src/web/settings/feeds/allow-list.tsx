// What is never a threat. An alert hands over the address to add in the parameter `allow` of the URL.
import { useEffect, useRef, useState } from 'preact/hooks';
import { isolateName } from '../../parts/outside.ts';
import { hrefWith, navigate, query } from '../../state/url.ts';
import { words } from '../../text/settings/words.ts';
import { FormCard } from '../form/form-card.tsx';

export function AllowList({ stored, saved }: { stored: readonly string[]; saved: () => void }) {
  const t = words.value.allow;
  const place = useRef<HTMLDivElement>(null);
  const [wanted, setWanted] = useState('');
  useEffect(() => {
    const address = query.value.get('allow') ?? '';
    const field = place.current?.querySelector('textarea');
    if (address === '' || !field) {
      return;
    }
    setWanted(address);
    if (!stored.includes(address)) {
      field.value = [...stored, address].join('\n');
      // The form compares its fields on this event, and asks before the change is lost.
      field.dispatchEvent(new Event('input', { bubbles: true }));
    }
    field.focus();
    navigate(hrefWith({ allow: null }), 'replace');
  }, []);
  return (
    <div ref={place}>
      <FormCard
        title={t.title}
        part="allow-list"
        help={t.help}
        route="POST /api/config/threat-feeds"
        words={t}
        only={['allowList']}
        values={{ allowList: stored }}
        saved={() => {
          setWanted('');
          saved();
        }}
      >
        {wanted === '' ? null : (
          <p role="status">{(stored.includes(wanted) ? t.known : t.added)(isolateName(wanted))}</p>
        )}
      </FormCard>
    </div>
  );
}

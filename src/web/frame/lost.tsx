// What an address shows that no page has: which address, and where the pages are.
import { Link } from '../parts/link.tsx';
import { isolateName } from '../parts/outside.ts';
import { useTitle } from '../state/title.ts';
import { decode, hrefTo, path } from '../state/url.ts';
import { words } from '../text/frame/words.ts';
import { text } from '../text/text.ts';
import { places } from './places.ts';

export function Lost() {
  const t = words.value.lost;
  useTitle(t.title);
  return (
    <div class="lost">
      <h1>{t.at(isolateName(`/${decode(path.value)}`))}</h1>
      <p>{t.help}</p>
      <ul>
        {places.map(({ path: to, name }) => (
          <li key={to}>
            <Link to={hrefTo(to)}>{text.value.places[name]}</Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

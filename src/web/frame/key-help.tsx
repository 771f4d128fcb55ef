// The keys, from the table that their handlers ask.
import { Modal } from '../parts/modal.tsx';
import { words } from '../text/frame/words.ts';
import { text } from '../text/text.ts';
import { type KeyName, keys } from './keys.ts';
import { closePanel } from './panel.ts';
import { places } from './places.ts';

export function KeyHelp() {
  const t = words.value.help;
  const groups = Object.keys(t.groups) as (keyof typeof t.groups)[];
  const names = Object.keys(keys) as KeyName[];
  return (
    <Modal title={t.title} kind="key-help" close={() => closePanel('keys')} closesOutside>
      <p>{t.outside}</p>
      {groups.map((group) => (
        <section key={group}>
          <h3>{t.groups[group]}</h3>
          <dl>
            {names
              .filter((name) => keys[name].group === group)
              .map((name) => (
                <div key={name}>
                  <dt>
                    {keys[name].on.flatMap((one, index) => [index > 0 ? ` ${t.or} ` : '', <Combination of={one} />])}
                  </dt>
                  <dd>{t.keys[name]}</dd>
                </div>
              ))}
            {group === 'page'
              ? places.map(({ name, letter }) => (
                  <div key={name}>
                    <dt>
                      <kbd>g</kbd> {t.afterwards} <kbd>{letter}</kbd>
                    </dt>
                    <dd>{t.goTo(text.value.places[name])}</dd>
                  </div>
                ))
              : null}
          </dl>
        </section>
      ))}
    </Modal>
  );
}

const signs: Readonly<Record<string, string>> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Meta: '⌘',
  F: 'Shift F',
  Escape: 'Esc',
};

function Combination({ of }: { of: string }) {
  return (
    <kbd>
      {of
        .split('+')
        .map((one) => signs[one] ?? one)
        .join(' ')}
    </kbd>
  );
}

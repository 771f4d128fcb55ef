// Makes hidden characters visible in everything that Preact renders.
import { Fragment, h, options } from 'preact';
import { marked, visibleText } from './outside.ts';

/** Hooks into Preact for every text and attribute, except the values of fields, which are sent as they are. */
export function showHiddenCharacters(): void {
  const before = options.vnode;
  options.vnode = (node) => {
    before?.(node);
    const drawn: { type: unknown; props: unknown } = node;
    if (typeof drawn.props === 'string') {
      const parts = drawn.props.split(marked);
      if (parts.length === 1) {
        drawn.props = visibleText(drawn.props);
      } else {
        drawn.type = Fragment;
        drawn.props = { children: parts.map((part, index) => (index % 2 ? h('bdi', null, part) : part)) };
      }
    } else if (typeof drawn.type === 'string') {
      const attributes = drawn.props as Record<string, unknown>;
      for (const [name, value] of Object.entries(attributes)) {
        if (typeof value === 'string' && !/^(value|children)$/.test(name)) {
          attributes[name] = visibleText(value.replace(marked, '$1'));
        }
      }
    }
  };
}

// The panel of the frame that is open. The URL names it, so that going back closes it.
import { computed } from '@preact/signals';
import { closeOver, openOver, query } from '../state/url.ts';

export type PanelName = 'period' | 'coverage' | 'search' | 'keys';

export const panel = computed(() => query.value.get('panel'));

export const openPanel = (name: PanelName) => openOver('panel', name);

/** As `openPanel`, by a key. No key works behind a dialog: one that the URL still names has ended, and reports it later. */
export function openPanelByKey(name: PanelName): void {
  closePanel(name);
  openPanel(name);
}

/** A dialog reports its end late: another panel may be open by then, and stays. */
export function closePanel(name: PanelName): void {
  if (panel.value === name) {
    closeOver('panel');
  }
}

// What is worth knowing about the read of a router, in the language of the page.
import type { Router } from '../../state/routers.ts';
import { describeNote } from '../../text/hub/words.ts';

export function RouterNotes({ notes, noteFacts }: Pick<Router, 'notes' | 'noteFacts'>) {
  return noteFacts.map((fact, index) => (
    <p key={notes[index]} class="help" dir="auto">
      {describeNote(fact, notes[index] ?? '')}
    </p>
  ));
}

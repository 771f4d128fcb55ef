// Parameters, or the members of a body: name, type and bounds, meaning.
import { words } from '../text/reference/words.ts';
import { formatBounds, formatType, type Member } from './members.ts';

interface Props {
  title: string;
  /** A table of an answer marks optional members; one of a request marks required members. */
  isAnswer?: boolean;
  /** `note` stands below the name. */
  rows: readonly (Member & { note?: string })[];
}

export function MemberTable({ title, isAnswer = false, rows }: Props) {
  const t = words.value;
  return (
    <>
      <h4>{title}</h4>
      {rows.length === 0 ? <p class="empty">{t.noMembers}</p> : null}
      {rows.length === 0 ? null : (
        <table aria-label={title}>
          <thead>
            <tr>
              <th scope="col">{t.name}</th>
              <th scope="col">{t.type}</th>
              <th scope="col">{t.meaning}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row key={row.above + row.name} isAnswer={isAnswer} {...row} />
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

function Row({ above, name, schema, isRequired, note = '', isAnswer }: Props['rows'][number] & { isAnswer: boolean }) {
  const t = words.value;
  const { value, characters, entries, pattern } = formatBounds(schema);
  const bounds = [value, characters && t.characters(characters), entries && t.entries(entries)].filter(Boolean);
  const presence = isAnswer ? !isRequired && t.notAlways : isRequired && t.required;
  return (
    <tr>
      <th scope="row">
        <code>
          <span class="above">{above}</span>
          {name}
        </code>
        <small>{[note, presence].filter(Boolean).join(', ')}</small>
      </th>
      <td>
        <code>{formatType(schema)}</code>
        <small>{bounds.join(', ')}</small>
        {pattern ? <code class="pattern">{pattern}</code> : null}
      </td>
      <td lang="en">{schema.description}</td>
    </tr>
  );
}

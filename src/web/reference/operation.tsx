// All that the document says of one operation.

import { Sample } from '../parts/sample.tsx';
import { words } from '../text/reference/words.ts';
import { toCurlCommand } from './command.ts';
import { type Content, credentialName, type PlacedOperation, type Scheme } from './document.ts';
import { MemberTable } from './member-table.tsx';
import { listMembers } from './members.ts';

interface Props {
  operation: PlacedOperation;
  schemes: Readonly<Record<string, Scheme>>;
}

export function OperationDetail({ operation, schemes }: Props) {
  const t = words.value;
  const { operationId, parameters, requestBody, responses, security, 'x-access': access } = operation;
  const names = security.flatMap((one) => Object.keys(one)).flatMap((name) => schemes[name] ?? []);
  const answers = Object.entries(responses).filter(([status]) => /^[23]/.test(status));
  const refusals = Object.entries(responses).filter(([, answer]) => answer['x-codes']);
  const body = requestBody?.content['application/json'];
  return (
    <div class="operation">
      {operation.description ? <p lang="en">{operation.description}</p> : null}
      <dl class="facts">
        <div>
          <dt>{t.who}</dt>
          <dd>{describeAccess(access)}</dd>
        </div>
        {names.length === 0 ? null : (
          <div>
            <dt>{t.credential}</dt>
            <dd>{names.map(credentialName).join(t.or)}</dd>
          </div>
        )}
        <div>
          <dt>{t.id}</dt>
          <dd>
            <code>{operationId}</code>
          </dd>
        </div>
      </dl>
      {parameters.length === 0 ? null : (
        <MemberTable
          title={t.parameters}
          rows={parameters.map(({ name, in: where, required, description = '', schema }) => {
            return { above: '', name, isRequired: required, note: t.where[where], schema: { ...schema, description } };
          })}
        />
      )}
      {body?.schema ? <MemberTable title={t.body} rows={listMembers(body.schema)} /> : null}
      {requestBody && !body ? <p>{t.fileBody}</p> : null}
      <Sample title={t.example} value={toCurlCommand(operation)} />
      {answers.map(([status, { content }]) => (
        <Answered key={status} status={status} content={content} />
      ))}
      <h4>{t.refusals}</h4>
      <table class="codes" aria-label={t.refusals}>
        <thead>
          <tr>
            <th scope="col">{t.status}</th>
            <th scope="col">{t.codes}</th>
          </tr>
        </thead>
        <tbody>
          {refusals.map(([status, { 'x-codes': codes = [] }]) => (
            <tr key={status}>
              <th scope="row">{status}</th>
              <td>
                <code>{codes.join(' ')}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Answered({
  status,
  content = {},
}: {
  status: string;
  content?: Readonly<Record<string, Content>> | undefined;
}) {
  const t = words.value;
  const types = Object.keys(content);
  const json = types.length === 1 ? content['application/json'] : undefined;
  if (!json?.schema) {
    return (
      <>
        <h4>{t.answer(status)}</h4>
        <p>{types.length === 0 ? t.noBody : <code>{types.join(', ')}</code>}</p>
      </>
    );
  }
  return (
    <>
      <MemberTable isAnswer title={t.answer(status)} rows={listMembers(json.schema)} />
      <Sample title={t.exampleAnswer(status)} value={JSON.stringify(json.example, null, 2)} />
    </>
  );
}

/** An access rule such as `can(network.read)` in words. */
function describeAccess(access: string): string {
  const t = words.value;
  const [, rule = '', permission = ''] = /^([\w-]+)(?:\((.*)\))?$/.exec(access) ?? [];
  const rules: Readonly<Record<string, (permission: string) => string>> = t.rules;
  return rules[rule]?.(permission) ?? access;
}

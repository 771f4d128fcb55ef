// Exports a conversation as a file. In Markdown, every text is a code block, so that it cannot contain links or tags.
import { describeFailure } from '../ai/failure.ts';
import { formatCost, formatTokens, providerName } from '../ai/provider.ts';
import { ask, type Reply } from '../api/client.ts';
import { visibleText } from '../parts/outside.ts';
import { saveFile } from '../parts/save-file.ts';
import { words } from '../text/ai/words.ts';
import { exact } from '../text/format.ts';

type Conversation = Reply<'GET /api/ai/conversations/:id'>;

/** Rejects with ApiError. */
export async function exportConversation(id: string, format: 'JSON' | 'Markdown'): Promise<void> {
  const whole = await ask('GET /api/ai/conversations/:id', { params: { id } });
  const [text, type, ending] =
    format === 'JSON'
      ? [JSON.stringify(whole, null, 2), 'application/json', 'json']
      : [toMarkdown(whole), 'text/markdown', 'md'];
  saveFile(new Blob([text], { type }), `conversation-${id}.${ending}`);
}

function toMarkdown({ conversation: { rangeFrom, rangeTo }, messages }: Conversation): string {
  const t = words.value;
  return [
    `# ${t.history}: ${exact(rangeFrom)} – ${exact(rangeTo)}`,
    ...messages.flatMap((one) => {
      const bad = one.citations?.filter(({ verified }) => !verified) ?? [];
      return [
        `## ${one.role === 'user' ? t.you : providerName(one.provider)}, ${exact(one.createdAt)}`,
        toCodeBlock(one.body ?? describeFailure(one.errorCode ?? '')),
        ...bad.map(({ text }) => `${t.notInFacts}:\n\n${toCodeBlock(text)}`),
        ...(one.role === 'user' || one.body === null
          ? []
          : [
              `${formatTokens(one.usageInputTokens, one.usageOutputTokens)}, ${formatCost(one.provider, one.estimatedCostUsd)}`,
            ]),
      ];
    }),
  ].join('\n\n');
}

const toCodeBlock = (text: string) => visibleText(text).replace(/^/gm, '    ');

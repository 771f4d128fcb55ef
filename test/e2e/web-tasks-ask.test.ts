// Two tasks with an AI: a provider is set up and asked about the network; an assistant is connected, and asks the hub itself.
import { expect } from 'vitest';
import { tools } from '#mcp/tools.ts';
import { type AiLab, aiModels, findQuestions, makeContact, startAiLab } from '../support/ai-lab.ts';
import { connectClient } from '../support/mcp-clients.ts';
import { root } from '../support/program.ts';
import { type Scene, testTasks } from '../support/tasks.ts';
import { builtWeb } from '../support/web-build.ts';

type Home = AiLab<'home'>;

/** A hub with some connections, and no provider. */
async function startHome(): Promise<Home> {
  const lab = await startAiLab({ routers: { home: 'vendor_a' }, hub: { webFolder: builtWeb() } });
  await makeContact(lab, '192.168.100.31', '198.51.100.10');
  await makeContact(lab, '192.168.100.32', '198.51.100.20');
  return lab;
}

const talks = {
  en: { question: 'Which device talks most?', answer: 'The device 192.168.100.31 talks most.' },
  ja: { question: '最もよく通信している機器はどれですか？', answer: '192.168.100.31 が最もよく通信しています。' },
};

async function askProvider({ lab, person }: Scene<Home>): Promise<void> {
  const { ai: t, settings, language } = person.words;
  const { question, answer } = talks[language];
  await lab.choose('disabled');
  lab.ai.patch({ answer });
  const before = findQuestions(lab).length;
  await person.goTo('settings');
  await person.press(settings.sections.ai);
  await person.pick(t.choices.cloud_a);
  await person.write(t.key(t.providers.cloud_a), lab.ai.keys.cloud_a);
  await person.write(t.model, aiModels.cloud_a);
  await person.tick(t.consent(t.providers.cloud_a));
  await person.press(t.save);
  await person.see(t.saved);
  await person.goTo('insights');
  await person.press(t.views.ask);
  await person.write(t.question, question);
  await person.press(t.send);
  const preview = person.within('dialog', t.preview(t.providers.cloud_a));
  await preview.see(t.leaves(t.providers.cloud_a));
  await preview.see('198.51.100.10');
  expect(findQuestions(lab)).toHaveLength(before);
  await preview.tick(t.confirm(t.providers.cloud_a));
  await preview.press(t.sendTo(t.providers.cloud_a));
  await person.see(`${t.providers.cloud_a} · ${aiModels.cloud_a} · `);
  await person.see(answer);
  await person.see(t.allProven(1, '1'));
  const asked = findQuestions(lab).at(-1);
  expect(asked?.fullPath).toBe('/cloud_a/v1/messages');
  expect(JSON.stringify(JSON.parse(String(asked?.body)))).toContain(question);
  await person.within('region', t.history).see(question);
  const { conversations } = await lab.as.admin.ai.conversations({});
  const [{ conversationId = '' } = {}] = conversations;
  await lab.as.admin.ai.deleteConversation({ params: { id: conversationId } });
}

interface Configuration {
  mcpServers: { gatehouse: { command: string; args: string[]; env: Record<string, string> } };
}

async function connectAssistant({ lab, person, index }: Scene<Home>): Promise<void> {
  const { assistant: t, settings } = person.words;
  const { signIn } = settings;
  const label = `assistant ${index}`;
  await person.goTo('settings');
  await person.press(settings.sections.assistants);
  await person.press(t.makeToken);
  const card = person.within('region', signIn.identities);
  await card.write(signIn.label, label);
  await card.tick(signIn.permissionNames['notes.write']);
  await card.press(signIn.make);
  await card.see(settings.shownOnce);
  const token = await card.read(signIn.token(label));
  await card.write(t.folder, root);
  const { command, args, env } = (JSON.parse(await card.readPart('region', t.clients.desktop)) as Configuration)
    .mcpServers.gatehouse;
  expect([command, env.MONITOR_URL, env.MONITOR_TOKEN]).toEqual(['node', lab.url.origin, token]);
  await using client = await connectClient('v2 auto', { args, env, cwd: root });
  expect((await client.list()).map(({ name }) => name).sort()).toEqual(tools.map(({ name }) => name).sort());
  const { structuredContent } = await client.call('get_devices');
  expect(JSON.stringify(structuredContent)).toContain('192.168.100.31');
}

testTasks(startHome, {
  'a provider of an AI is set up and asked': askProvider,
  'an assistant is connected, and asks the hub': connectAssistant,
});

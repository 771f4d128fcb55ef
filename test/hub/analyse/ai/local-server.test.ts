// The local AI server: what it did not read, and where a name of it leads to.
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { expect } from 'vitest';
import { openAiDesk, smallPrompt } from '../../../support/ai-desk.ts';
import { answerAlways } from '../../../support/answering-server.ts';
import { verifies } from '../../../support/verifies.ts';

/** A prompt of so many bytes and a few more. */
function createPrompt(bytes: number) {
  const rows = '{"ip":"203.0.113.80","n":12},'.repeat(Math.ceil(bytes / 29));
  return { ...smallPrompt, turns: [{ role: 'user' as const, text: rows.slice(0, bytes) }] };
}

verifies.each(
  'rest.ai-provider.cut-prompt',
  [
    { what: 'half of it was read, as the usage shows', fault: 'half-read', value: 4096, bytes: 40_000, isCutOff: true },
    {
      what: 'a bit less than all was read, a round context',
      fault: 'half-read',
      value: 8192,
      bytes: 34_000,
      isCutOff: true,
    },
    { what: 'nothing was left for an answer', fault: 'cut-prompt', value: 4096, bytes: 20_000, isCutOff: true },
    { what: 'all was read', fault: 'half-read', value: 16_384, bytes: 40_000, isCutOff: false },
  ] as const,
  async ({ fault, value, bytes, isCutOff }) => {
    await using desk = await openAiDesk();
    desk.choose('local');
    desk.ai.fail(fault, { value, times: 1 });
    const asked = desk.ask(createPrompt(bytes));
    if (isCutOff) {
      const message = expect.stringMatching(/did not read the whole question.*OLLAMA_CONTEXT_LENGTH.*llama\.cpp/);
      await expect(asked).rejects.toMatchObject({ code: 'ai_prompt_cut', status: 502, message });
      expect(desk.used()).toMatchObject([{ error_code: 'ai_prompt_cut', total_tokens: expect.any(Number) }]);
      expect(desk.ai.requests()).toHaveLength(1);
    } else {
      expect((await asked).answer.truncated).toBe(false);
    }
  },
);

/** Until it is disposed, names ending in `.lan` are at these addresses. */
function named(addresses: () => string[]): Disposable & { asked: string[] } {
  const { lookup } = dns;
  const asked: string[] = [];
  dns.lookup = ((name: string, options: object, done: (error: null, found: object[]) => void) => {
    if (!name.endsWith('.lan')) {
      Reflect.apply(lookup, dns, [name, options, done]);
      return;
    }
    asked.push(name);
    done(
      null,
      addresses().map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  }) as typeof lookup;
  syncBuiltinESMExports();
  return {
    asked,
    [Symbol.dispose]() {
      dns.lookup = lookup;
      syncBuiltinESMExports();
    },
  };
}

verifies(
  'rest.ai-provider.rebinding',
  'a name is resolved once, with every address looked at; the server is asked by its name',
  async () => {
    await using desk = await openAiDesk();
    await using server = await answerAlways({
      body: { choices: [{ message: { content: 'ready' }, finish_reason: 'stop' }] },
    });
    let addresses = ['127.0.0.1'];
    using names = named(() => addresses);
    desk.choose('local', { localEndpoint: `http://ai.lan:${server.port}` });
    expect((await desk.ask()).answer.text).toBe('ready');
    expect(server.hosts).toEqual([`ai.lan:${server.port}`]);
    expect(names.asked).toEqual(['ai.lan']);
    for (const special of ['169.254.169.254', 'fe80::1', '0.0.0.0', '100.100.100.200', '::ffff:169.254.169.254']) {
      addresses = ['127.0.0.1', special];
      desk.choose('local', { localEndpoint: `http://other.lan:${server.port}` });
      await expect(desk.ask()).rejects.toMatchObject({
        code: 'ai_endpoint_rejected',
        message: expect.stringMatching(/^other\.lan is at .*, where the hub sends nothing: correct the address/),
      });
    }
    expect(server.hosts).toHaveLength(1);
  },
);

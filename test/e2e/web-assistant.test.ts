// An AI assistant is connected from the web UI in a real browser: what the page says to copy is run, and it works.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { freePort } from '#kernel/http/listening.ts';
import { tools } from '#mcp/tools.ts';
import { mcpToken, startMcpLab } from '../support/mcp-lab.ts';
import { root } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { builtWeb } from '../support/web-build.ts';
import { openPage, pageWidth, startWebLab, withChromium } from '../support/web-lab.ts';

const names = tools.map(({ name }) => name);
const inspector = `${process.execPath} ${path.join(root, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js')}`;

/** What a shell prints for a command of the page. */
async function run(command: string): Promise<string> {
  using home = temporaryFolder();
  const typed = command.replace('npx @modelcontextprotocol/inspector', inspector);
  const env = { ...process.env, HOME: home.path };
  return (await promisify(execFile)('bash', ['-c', typed], { env })).stdout;
}

const sample = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true });
const textOf = async (page: Page, name: string) => (await sample(page, name).textContent()) ?? '';

withChromium(() => {
  test('beside a new API identity: the configuration starts the program, which reads with its token', async () => {
    await using lab = await startWebLab();
    await using browser = await openPage(lab);
    const { page } = browser;
    await browser.logIn('/settings?section=assistants');
    await page.getByText('Replace TOKEN_OF_THE_IDENTITY by the secret itself.').waitFor();
    await page.getByRole('link', { name: 'Make an API identity' }).click();
    const card = page.getByRole('region', { name: 'API identities' });
    await card.waitFor();
    await page.locator('section:focus').getByRole('heading', { name: 'API identities' }).waitFor();
    await card.getByLabel('What it is for').fill('assistant');
    await card.getByLabel('Write notes on devices').check();
    await card.getByRole('button', { name: 'Make an identity' }).click();
    const token = await card.getByLabel('Token of assistant').inputValue();
    await card.getByLabel('Folder of Gatehouse on that machine').fill(`${root}/`);
    const hub = lab.url.origin;
    const program = path.join(root, 'bin/gatehouse.js');
    expect(JSON.parse(await textOf(page, 'Claude Desktop: claude_desktop_config.json'))).toEqual({
      mcpServers: {
        gatehouse: {
          command: 'node',
          args: [program, 'mcp'],
          env: { MONITOR_URL: hub, MONITOR_TOKEN: token },
        },
      },
    });
    expect((await textOf(page, 'Claude Code: command')).replace(/ \\\n +/g, ' ')).toBe(
      `claude mcp add --scope user gatehouse --env MONITOR_URL=${hub} --env MONITOR_TOKEN=${token} -- node ${program} mcp`,
    );
    expect(await page.getByText(/^Replace TOKEN_/).count()).toBe(0);
    const listed = await run(await textOf(page, 'MCP Inspector: command'));
    expect(names.filter((name) => !listed.includes(name))).toEqual([]);
    const summary = await run(await textOf(page, 'Plain HTTP without MCP: curl asks the API of the hub'));
    expect(JSON.parse(summary)).toMatchObject({ byDst: [] });
    await page.getByRole('button', { name: 'Copy' }).last().click();
    await page
      .getByText(/Copied|selected/i)
      .last()
      .waitFor();
  });

  test('over HTTP: the hub says whether the MCP server answers, and the commands reach it', async () => {
    await using scene = await startMcpLab({ hub: { webFolder: builtWeb() } });
    await using browser = await openPage(scene.lab);
    const { page } = browser;
    await browser.logIn('/settings?section=assistants');
    await page.getByLabel('Over HTTP, with a token').check();
    const address = page.getByLabel('Address of the MCP server');
    expect(await address.inputValue()).toBe('http://127.0.0.1:3001/mcp');
    await address.fill('gatehouse');
    await browser.expecting(/400/, async () => {
      await page.getByRole('button', { name: 'Check the MCP server' }).click();
      await page.getByText('url must be an http or https address').waitFor();
    });
    await address.fill(`http://127.0.0.1:${await freePort()}/mcp`);
    expect(await page.getByText('url must be an http or https address').count()).toBe(0);
    await page.getByRole('button', { name: 'Check the MCP server' }).click();
    await page.getByText('Not reachable: nothing listens there. Start "gatehouse mcp" with MCP_PORT').waitFor();
    await address.fill(scene.url.href);
    await page.getByRole('button', { name: 'Check the MCP server' }).click();
    await page.getByText('Reachable: the MCP server answers the hub.').waitFor();
    const filled = async (name: string) => (await textOf(page, name)).replace('VALUE_OF_MCP_TOKEN', mcpToken);
    const answered = await run(await filled('Plain HTTP: curl asks the MCP server'));
    const listed = await run(await filled('MCP Inspector: command'));
    for (const output of [answered, listed]) {
      expect(names.filter((name) => !output.includes(name))).toEqual([]);
    }
    expect((await textOf(page, 'Claude Code: command')).replace(/ \\\n +/g, ' ')).toBe(
      `claude mcp add --scope user --transport http gatehouse ${scene.url.href} --header 'X-Admin-Token: VALUE_OF_MCP_TOKEN'`,
    );
    await page.getByLabel('Over HTTP, with OAuth').check();
    expect(await textOf(page, 'Claude Desktop: address of a custom connector')).toBe(scene.url.href);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await pageWidth(page)).toBe(390);
  });
});

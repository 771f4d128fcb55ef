// Router commands of the documents: forms that the makers document, and how a person types them.
import type { RouterSimulator } from '#simulators/router/router.ts';
import { openSession } from '../router-session.ts';
import { type Block, formatPlace } from './blocks.ts';

/**
 * Command forms as the makers print them (Yamaha: Command Reference, chapters on users, SSH, console, NAT and IP filters;
 * Cisco: IOS Security and IP Addressing command references). A simulator takes any configuration line of a known first word, so a
 * misspelt one shows here.
 */
const forms: Readonly<Record<'yamaha' | 'ios', readonly RegExp[]>> = {
  yamaha: [
    /^(?:administrator|save|exit)$/,
    /^login user [\w-]{1,32} \S+$/,
    /^user attribute [\w-]{1,32}(?: (?:administrator=(?:on|off|1|2)|connection=\S+|multi-session=(?:on|off)|login-timer=\d+))+$/,
    /^sshd (?:service (?:on|off)|host key generate(?: bit=(?:1024|2048))?|host (?:any|none|lan)|auth method password(?: publickey)?)$/,
    /^console character (?:en\.ascii|ja\.(?:sjis|euc|utf8))$/,
    /^show (?:environment|arp|ipv6 neighbor cache|status dhcp|status user|config(?: \| grep .+)?)$/,
    /^show nat descriptor address(?: \d+ detail)?$/,
    /^show nat descriptor masquerade session \d+ summary$/,
    /^#/,
    /^ip filter \d{1,8} (?:pass|reject|reject-nolog) \* (?:\*|(?:\d{1,3}\.){3}\d{1,3}(?:\/\d{1,2})?)$/,
    /^ipv6 filter \d{1,8} (?:pass|reject|reject-nolog) \* (?:\*|[\da-f:]+(?:\/\d{1,3})?)$/,
    /^ip lan\d+ secure filter (?:in|out)(?: \d+)+$/,
  ],
  ios: [
    /^(?:enable|end|exit|write memory|configure terminal)$/,
    /^hostname [\w.-]{1,63}$/,
    /^ip domain-name \S+$/,
    /^crypto key generate rsa modulus (?:2048|3072|4096)$/,
    /^ip ssh version 2$/,
    /^username \S+(?: privilege \d{1,2})? secret \S+$/,
    /^enable secret \S+$/,
    /^line vty 0 \d+$/,
    /^login local$/,
    /^transport input ssh$/,
    /^show (?:version|clock|users|privilege|ip arp|ipv6 neighbors|ip interface brief|ip nat statistics|ip dhcp binding)$/,
    /^show ip nat translations(?: verbose)?$/,
    /^!/,
    /^(?:no )?ip access-list extended [\w-]+$/,
    /^(?:no )?ipv6 access-list [\w-]+$/,
    /^ \d+ permit ip any any$/,
    /^ \d+ deny ip any (?:host (?:\d{1,3}\.){3}\d{1,3}|(?:\d{1,3}\.){3}\d{1,3} (?:\d{1,3}\.){3}\d{1,3})$/,
    /^ permit ipv6 any any sequence \d+$/,
    /^ deny ipv6 any (?:host [\da-f:]+|[\da-f:]+\/\d{1,3}) sequence \d+$/,
    /^interface [\w/.]+$/,
    /^ ip access-group [\w-]+ (?:in|out)$/,
  ],
};

const refusal = { yamaha: /^(?:Error|エラー)\s*[::]/m, ios: /^% |^Command authorization failed/m };

/** A prompt, a question for a password, or a page that waits for a key. */
const settled = /(?:(?:^|\n)[\w().[\]-]*[>#] ?|assword: |---more---|--More-- )$/;

/** Types the lines of the block, with the router's own secrets where it asks; rejects when one is not understood. */
export async function typeBlock(block: Block, router: RouterSimulator): Promise<string> {
  const kind = block.class as 'yamaha' | 'ios';
  let shown = '';
  await using session = await openSession(router);
  for (const line of block.text.split('\n').filter((typed) => typed.trim() !== '')) {
    if (!forms[kind].some((form) => form.test(line))) {
      throw new Error(`${formatPlace(block)}: "${line}" is none of the documented forms of router-commands.ts`);
    }
    // The last `exit` ends the session.
    const answered = () => Promise.race([session.until(settled), session.closed.then(() => session.text())]);
    session.type(`${line}\r`);
    let answer = await answered();
    for (let last = answer; /(?:assword: |---more---|--More-- )$/.test(last); answer += last) {
      session.type(last.endsWith('assword: ') ? `${router.credentials.enable ?? ''}\r` : ' ');
      last = await answered();
    }
    if (refusal[kind].test(answer)) {
      throw new Error(`${formatPlace(block)}: "${line}" was answered with: ${answer.trim()}`);
    }
    shown += answer;
  }
  return shown;
}

import { spawn } from 'node:child_process';
import type { Invocation } from '../command/command.js';
import { openService } from '../service/connection.js';
import { panelUrl } from '../service/base-url.js';

/** The program that opens an address, by system. */
const OPENERS: Readonly<Record<string, string>> = { darwin: 'open', linux: 'xdg-open' };

export async function run(invocation: Invocation): Promise<void> {
  const { words, terminal, options, settings } = invocation;
  const [name] = words;
  const { url } = openService(invocation);
  const page = panelUrl(url, name === undefined ? '/phones' : `/phones/${encodeURIComponent(name)}`);
  terminal.line(options.flag('json') ? JSON.stringify({ url: page }) : page);
  // The address is printed in any case: on a machine without a browser it is what the caller needs.
  if (options.flag('print')) return;
  const program = OPENERS[process.platform] ?? 'xdg-open';
  await new Promise<void>((resolve) => {
    const child = spawn(program, [page], { stdio: 'ignore', detached: true, env: settings.environment });
    child.once('error', () => {
      terminal.note(`No browser was opened, as there is no ${program}. Open the address yourself.`);
      resolve();
    });
    child.once('spawn', () => {
      child.unref();
      resolve();
    });
  });
}

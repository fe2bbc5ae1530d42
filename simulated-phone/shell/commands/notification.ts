import { CommandFailure, type CommandCall, print } from '../command.js';
import { parseOptions } from '../options.js';

/** `cmd statusbar expand-notifications | expand-settings | collapse`. */
export async function statusbar({ machine }: CommandCall, [command]: readonly string[]): Promise<number> {
  if (command === 'expand-notifications' || command === 'expand-settings') machine.screen.shadeOpen = true;
  else if (command === 'collapse') machine.screen.shadeOpen = false;
  return 0;
}

/** `cmd notification post [-t TITLE] TAG TEXT` and `list`. */
export async function notification(call: CommandCall, [command, ...args]: readonly string[]): Promise<number> {
  const { notifications } = call.machine.screen;
  if (command === 'list') {
    for (const { key } of notifications.list()) await call.stdout.write(`${key}\n`);
    return 0;
  }
  if (command !== 'post' && command !== 'notify') return 0;
  const options = parseOptions(args, {
    flags: ['v', 'verbose', 'h', 'help'],
    values: ['t', 'title', 'i', 'icon', 'I', 'large-icon', 'S', 'style', 'c', 'content-intent'],
  });
  const [tag, ...words] = options.rest;
  if (tag === undefined || words.length === 0) {
    throw new CommandFailure('usage: cmd notification post [flags] <tag> <text>', { bare: true, status: 255 });
  }
  const text = words.join(' ');
  // Without a title, the text is shown as the title too. Android's own command then posts none.
  const title = options.value('t') ?? options.value('title') ?? text;
  notifications.post({ package: 'com.android.shell', tag, title, text });
  return print(call.stdout, 'posting:\n  Notification(channel=shell_cmd contentView=null flags=0x0 vis=PRIVATE)\n');
}

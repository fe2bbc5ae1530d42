import type { Invocation } from '../command/command.js';
import { plainLine, plainText } from '../output/plain-text.js';
import { UsageError } from '../output/usage-error.js';
import { openService } from '../service/connection.js';
import { devicePath, itemsOf, listItems } from '../service/list-items.js';
import type { Schemas } from '../service/types.js';

type Crash = Schemas['Crash'];

/** Lists the crashes of a phone, newest first. With the id of one, it prints that one's trace. */
export async function run(invocation: Invocation): Promise<void> {
  const { words, options, terminal } = invocation;
  const [name = '', id] = words;
  const path = devicePath(name, '/crashes');
  if (id === undefined) {
    await listItems<Crash>(invocation, {
      path,
      field: 'crashes',
      none: 'No crashes.',
      columns: [
        ['ID', (crash) => crash.id],
        ['AT', ({ at }) => at],
        ['KIND', ({ kind }) => kind],
        ['PACKAGE', (crash) => crash.package],
        ['REASON', ({ reason }) => plainLine(reason)],
      ],
    });
    return;
  }
  const crashes = await itemsOf<Crash>(invocation, openService(invocation), { path, field: 'crashes' });
  const crash = crashes.find((one) => one.id === id);
  if (crash === undefined)
    throw new UsageError(`There is no crash ${id} of ${name}. List them: cloudphone crashes ${name}`);
  terminal.line(options.flag('json') ? JSON.stringify(crash, undefined, 2) : plainText(crash.trace));
}

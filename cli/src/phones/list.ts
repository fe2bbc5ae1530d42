import type { Invocation } from '../command/command.js';
import { durationText } from '../output/sizes.js';
import { openService } from '../service/connection.js';
import { itemsOf, listItems } from '../service/list-items.js';
import type { Device } from '../service/types.js';
import { exitText, labelsText } from './device-facts.js';

export async function run(invocation: Invocation): Promise<void> {
  const { options, terminal } = invocation;
  const list = {
    path: '/v1/devices',
    query: { state: options.text('state'), label: options.text('label') },
    field: 'devices',
  };
  if (options.flag('names')) {
    const devices = await itemsOf<Device>(invocation, openService(invocation), list);
    for (const { name } of devices) terminal.line(name);
    return;
  }
  await listItems<Device>(invocation, {
    ...list,
    none: 'No phones. Make one: cloudphone create',
    columns: [
      ['NAME', ({ name }) => name],
      ['STATE', ({ state }) => state],
      ['MODEL', ({ model }) => model],
      ['ANDROID', ({ android }) => android],
      ['EXIT', ({ exit }) => exitText(exit)],
      ['UP', ({ state, uptime }) => (state === 'running' ? durationText(uptime) : undefined)],
      ['LEASED BY', ({ lease }) => lease?.holder.name],
      ['LABELS', ({ labels }) => labelsText(labels)],
    ],
  });
}

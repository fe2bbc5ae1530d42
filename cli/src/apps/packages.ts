import type { Invocation } from '../command/command.js';
import { tableOf } from '../output/columns.js';
import { print } from '../command/print.js';
import { openService } from '../service/connection.js';
import { devicePath, itemsOf } from '../service/list-items.js';
import type { Schemas } from '../service/types.js';

export async function run(invocation: Invocation): Promise<void> {
  const { words, options } = invocation;
  const path = devicePath(words[0] ?? '', '/apps');
  const all = await itemsOf<Schemas['InstalledApp']>(invocation, openService(invocation), { path, field: 'apps' });
  const apps = options.flag('all') ? all : all.filter(({ system }) => !system);
  const table = tableOf(apps, [
    ['PACKAGE', ({ package: id }) => id],
    ['NAME', ({ name }) => name],
    ['VERSION', ({ version }) => version],
  ]);
  print(invocation, { apps }, apps.length === 0 ? 'Only apps of the system are on it; --all lists them.' : table);
}

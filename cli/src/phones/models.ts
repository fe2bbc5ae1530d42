import type { Invocation } from '../command/command.js';
import { listItems } from '../service/list-items.js';
import type { Schemas } from '../service/types.js';

export function run(invocation: Invocation): Promise<void> {
  return listItems<Schemas['Model']>(invocation, {
    path: '/v1/models',
    field: 'models',
    none: 'No host offers a model at present.',
    columns: [
      ['MODEL', ({ model }) => model],
      ['NAME', ({ name }) => name],
      ['ANDROID', ({ android }) => android.join(' ')],
      ['SCREEN', ({ screen }) => `${screen.width}x${screen.height}`],
      ['MEMORY', ({ memory_mb: memory }) => `${memory} MB`],
      ['DRIVER', ({ driver }) => driver],
    ],
  });
}

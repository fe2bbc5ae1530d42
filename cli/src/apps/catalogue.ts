import type { Invocation } from '../command/command.js';
import { sizeText } from '../output/sizes.js';
import { listItems } from '../service/list-items.js';
import type { Schemas } from '../service/types.js';

export function run(invocation: Invocation): Promise<void> {
  return listItems<Schemas['CatalogueApp']>(invocation, {
    path: '/v1/apps',
    field: 'apps',
    none: 'The catalogue is empty. Install files of your own: cloudphone install NAME FILE',
    columns: [
      ['APP', ({ app }) => app],
      ['NAME', ({ name }) => name],
      ['VERSION', ({ version }) => version],
      ['SIZE', ({ size }) => sizeText(size)],
      ['PACKAGE', ({ package: id }) => id],
    ],
  });
}

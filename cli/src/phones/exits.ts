import type { Invocation } from '../command/command.js';
import { listItems } from '../service/list-items.js';
import type { Schemas } from '../service/types.js';

export function run(invocation: Invocation): Promise<void> {
  return listItems<Schemas['NetworkOption']>(invocation, {
    path: '/v1/network/options',
    field: 'options',
    none: 'No exit is on sale.',
    columns: [
      ['TYPE', ({ type }) => type],
      ['COUNTRY', ({ country }) => country],
      ['TIME ZONES', ({ timezones }) => timezones.join(' ')],
      ['NEW ADDRESS', ({ rotates }) => (rotates ? 'yes' : 'no')],
    ],
  });
}

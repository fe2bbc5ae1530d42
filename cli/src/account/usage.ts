import type { Invocation } from '../command/command.js';
import { tableOf } from '../output/columns.js';
import { print } from '../command/print.js';
import { openService } from '../service/connection.js';
import { itemsOf } from '../service/list-items.js';
import type { Schemas } from '../service/types.js';

export async function run(invocation: Invocation): Promise<void> {
  const { options, signal } = invocation;
  const service = openService(invocation);
  const days = { from: options.text('from'), to: options.text('to') };
  const query = { ...(days.from !== undefined && { from: days.from }), ...(days.to !== undefined && { to: days.to }) };
  const devices = await itemsOf<Schemas['DeviceUsage']>(invocation, service, {
    path: '/v1/usage',
    query: days,
    field: 'devices',
  });
  const { from, to, total } = await service.phone.get('/v1/usage', {
    params: { query: { ...query, limit: 1 } },
    signal,
  });
  const rows = [...devices, { device: 'total', plan: '', ...total }];
  const table = tableOf(rows, [
    ['PHONE', ({ device }) => device],
    ['PLAN', ({ plan }) => plan],
    ['MINUTES', ({ minutes }) => minutes],
    ['COST', ({ cost }) => `${cost} USD`],
  ]);
  print(invocation, { from, to, devices, total }, `${from} to ${to}\n${table}`);
}

import type { Invocation } from '../command/command.js';
import { factsOf } from '../output/columns.js';
import { print } from '../command/print.js';
import { sizeText } from '../output/sizes.js';
import { openService } from '../service/connection.js';

export async function run(invocation: Invocation): Promise<void> {
  const { url, name, phone } = openService(invocation);
  const body = await phone.get('/v1/account', { signal: invocation.signal });
  const { email, balance, quotas } = body.account;
  const most = (value: number | undefined, text: (value: number) => string): string =>
    value === undefined ? '' : ` of ${text(value)}`;
  const facts = factsOf([
    ['service', name ?? 'from CLOUDPHONE_URL'],
    ['address', url],
    ['account', email],
    ['balance', `${balance} USD`],
    ['phones', `${quotas.devices.used}${most(quotas.devices.most, String)}`],
    ['storage', `${sizeText(quotas.storage_bytes.used)}${most(quotas.storage_bytes.most, sizeText)}`],
  ]);
  print(invocation, body, facts);
}

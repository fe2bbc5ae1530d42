import type { Invocation } from '../command/command.js';
import { print } from '../command/print.js';
import { openService } from '../service/connection.js';
import { deviceFacts } from './device-facts.js';

export async function run(invocation: Invocation): Promise<void> {
  const [name = ''] = invocation.words;
  const { phone } = openService(invocation);
  const body = await phone.get('/v1/devices/{name}', { params: { path: { name } }, signal: invocation.signal });
  print(invocation, body, deviceFacts(body.device));
}

import type { Invocation } from '../command/command.js';
import { UsageError } from '../output/usage-error.js';
import { print } from '../command/print.js';
import { openService } from '../service/connection.js';
import { findAdb } from './adb-program.js';
import { type ConnectedPhone, connectPhone } from './connected-phone.js';
import { closeRelay } from './open-relay.js';

/** Keeps tunnels open until the program is ended. Throws when one of them cannot come back. */
export async function run(invocation: Invocation): Promise<void> {
  const { words, options, terminal, settings, signal } = invocation;
  const devices = [...new Set(words)];
  const port = options.number('port', { min: 1, max: 65_535 });
  if (port !== undefined && devices.length > 1) throw new UsageError('adb: --port is for one phone. Leave it out.');
  const service = openService(invocation);
  if (options.flag('off')) {
    for (const device of devices)
      print(invocation, await closeRelay(service.phone, device, signal), `The relay of ${device} is off.`);
    return;
  }
  const adb = options.flag('no-connect') ? undefined : findAdb(settings);
  const phones: ConnectedPhone[] = [];
  try {
    for (const device of devices) {
      const phone = await connectPhone(invocation, service, device, adb, port);
      phones.push(phone);
      const { serial } = phone;
      terminal.line(options.flag('json') ? JSON.stringify({ device, serial }) : `${serial} ${device}`);
    }
    terminal.note(
      `Open until this program ends. ${devices.length === 1 ? `Try: adb -s ${phones[0]?.serial ?? ''} shell` : ''}`,
    );
    await Promise.race([...phones.map(({ ended }) => ended), aborted(signal)]);
  } finally {
    await Promise.all(phones.map((phone) => phone.close()));
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = (): void =>
      reject(signal.reason instanceof Error ? signal.reason : new Error('The command was ended.'));
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  });
}

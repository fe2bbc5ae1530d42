import type { Invocation } from '../command/command.js';
import { UsageError } from '../output/usage-error.js';
import { print } from '../command/print.js';
import { baseUrlOf, panelUrl } from '../service/base-url.js';
import { clientOf } from '../service/connection.js';
import { readServices, writeServices } from '../service/services-file.js';
import { askForSecret, readSecret } from './read-secret.js';

/** Asks for a key, verifies it with the service, and stores it. A key that is refused is not stored. */
export async function run(invocation: Invocation): Promise<void> {
  const { words, options, terminal, settings, signal } = invocation;
  const stored = readServices(settings.servicesFile);
  const wanted = options.text('service') ?? (words[0] === undefined ? stored.current : undefined);
  const known = wanted !== undefined && Object.hasOwn(stored.services, wanted) ? stored.services[wanted] : undefined;
  const typed = words[0] ?? known?.url ?? settings.url;
  if (typed === undefined) throw new UsageError('login: URL is missing, such as https://phones.example.com.');
  const url = baseUrlOf(typed);
  const name = wanted ?? new URL(url).host;
  if (!options.flag('key-stdin')) terminal.note(`Make a key in the panel: ${panelUrl(url, '/settings/keys/new')}`);
  const key = options.flag('key-stdin')
    ? await readSecret(terminal, signal)
    : await askForSecret(terminal, 'API key: ', signal);
  if (!/^[\x21-\x7e]+$/.test(key)) throw new UsageError('login: that is not an API key. Keys begin with cp_.');
  const body = await clientOf(url, key).get('/v1/account', { signal });
  writeServices(settings.servicesFile, { current: name, services: { ...stored.services, [name]: { url, key } } });
  print(invocation, body, `Logged in to ${url} as ${body.account.email}. The service has the name "${name}" here.`);
  if (settings.url !== undefined || settings.key !== undefined)
    terminal.note('CLOUDPHONE_URL or CLOUDPHONE_KEY is set, and wins over this login.');
}

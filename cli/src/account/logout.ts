import type { Invocation } from '../command/command.js';
import { UsageError } from '../output/usage-error.js';
import { print } from '../command/print.js';
import { panelUrl } from '../service/base-url.js';
import { readServices, writeServices } from '../service/services-file.js';

/** Forgets the key of a service. The key itself stays good: only a person can revoke it, in the panel. */
export async function run(invocation: Invocation): Promise<void> {
  const { options, settings } = invocation;
  const { current, services } = readServices(settings.servicesFile);
  const name = options.text('service') ?? current;
  const known = name !== undefined && Object.hasOwn(services, name) ? services[name] : undefined;
  if (name === undefined || known === undefined)
    throw new UsageError(`There is no login to forget. Known: ${Object.keys(services).join(', ') || 'none'}.`);
  const others = Object.fromEntries(Object.entries(services).filter(([other]) => other !== name));
  const next = current === name ? Object.keys(others)[0] : current;
  writeServices(settings.servicesFile, { ...(next !== undefined && { current: next }), services: others });
  const keys = panelUrl(known.url, '/settings/keys');
  print(invocation, { service: name }, `The key of ${name} is forgotten here. Revoke it in the panel: ${keys}`);
}

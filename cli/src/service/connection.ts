import { CloudPhone } from '../../../client/src/cloud-phone.js';
import type { Invocation } from '../command/command.js';
import { UsageError } from '../output/usage-error.js';
import { baseUrlOf } from './base-url.js';
import { httpFetch } from './http-fetch.js';
import { isOpenToOthers, readServices } from './services-file.js';

/** The service of a call, with the key. */
export interface Service {
  /** Base URL with /v1. */
  url: string;
  key: string;
  /** Its name among the services that were logged in to. Undefined: the environment has it. */
  name: string | undefined;
  phone: CloudPhone;
}

/** Returns the service of a call. Throws a UsageError when none is known. */
export function openService(invocation: Invocation): Service {
  const found = findService(invocation);
  return { ...found, phone: clientOf(found.url, found.key) };
}

export function clientOf(url: string, key: string): CloudPhone {
  return new CloudPhone({ url, key, userAgent: 'cloudphone-cli', fetch: httpFetch });
}

function findService({ settings, options, terminal }: Invocation): Pick<Service, 'url' | 'key' | 'name'> {
  const wanted = options.text('service');
  const { url: ownUrl, key: ownKey, servicesFile } = settings;
  if (ownUrl !== undefined && ownKey !== undefined) {
    if (wanted !== undefined) terminal.note(`CLOUDPHONE_URL and CLOUDPHONE_KEY are set, and win over --service.`);
    return { url: baseUrlOf(ownUrl), key: ownKey, name: undefined };
  }
  const { current, services } = readServices(servicesFile);
  const name = wanted ?? current;
  const known = name !== undefined && Object.hasOwn(services, name) ? services[name] : undefined;
  if (wanted !== undefined && known === undefined)
    throw new UsageError(`No service has the name "${wanted}". Known: ${Object.keys(services).join(', ') || 'none'}.`);
  if (ownUrl !== undefined) return { ...keyFor(baseUrlOf(ownUrl), services) };
  if (name === undefined || known === undefined)
    throw new UsageError(
      'No service is known. Run "cloudphone login https://phones.example.com", or set CLOUDPHONE_URL and CLOUDPHONE_KEY.',
    );
  if (isOpenToOthers(servicesFile))
    terminal.note(`${servicesFile} has keys, and others can read it. Run: chmod 600 '${servicesFile}'`);
  return { url: known.url, key: ownKey ?? known.key, name };
}

/** Returns the stored key for a URL of the environment. A key is sent to no other service than its own. */
function keyFor(
  url: string,
  services: Readonly<Record<string, { url: string; key: string }>>,
): Pick<Service, 'url' | 'key' | 'name'> {
  const [name, known] = Object.entries(services).find(([, one]) => one.url === url) ?? [];
  if (known === undefined)
    throw new UsageError(`CLOUDPHONE_URL is set, and no key for it is known. Set CLOUDPHONE_KEY, or log in to ${url}.`);
  return { url, key: known.key, name };
}

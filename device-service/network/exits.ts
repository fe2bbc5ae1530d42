import { randomInt } from 'node:crypto';
import { ApiError } from '../../kit/errors.js';
import { randomText } from '../../kit/ids.js';
import type { SecretBox } from '../../kit/secret-box.js';
import type { DeviceExit } from '../store/device-exit.js';
import { isTimezone } from '../timezone.js';
import type { ExitTypeWord, ListedExit } from './exits-file.js';
import { parseProxyUrl } from './proxy-url.js';
import { simulatedAddress, SIMULATED_EXITS } from './simulated-exits.js';
import type { Upstream } from './upstream.js';

/** The exits on sale, by type and country. */
export interface ExitOption {
  type: ExitTypeWord;
  country: string;
  /** IANA names; the first is the default. */
  timezones: readonly string[];
  rotates: boolean;
}

/** The country of a proxy whose place is not known: CLDR's word for an unknown region. */
const UNKNOWN_COUNTRY = 'zz';

/** Letters of an exit tag: the text that replaces `{session}` in a proxy's login, so that a device has an address of its own. */
const TAG_LETTERS = 12;

/**
 * The exits that devices can have: the operator's, or simulated ones where there is no EXITS_FILE, and customers' own proxies. An entry
 * of the file holds at once, also for devices that have an exit of it: a new password is used, and an exit that is listed no longer
 * carries no traffic.
 */
export class Exits {
  readonly #listed: () => readonly ListedExit[] | undefined;
  readonly #box: SecretBox | undefined;

  /**
   * `listed` returns the present content of EXITS_FILE; undefined: there is none. Without a box, customers' proxies are stored as they are.
   */
  constructor(listed: () => readonly ListedExit[] | undefined, box?: SecretBox) {
    this.#listed = listed;
    this.#box = box;
  }

  options(): readonly ExitOption[] {
    const byPlace = new Map<string, ExitOption>();
    for (const { type, country, timezones, rotate } of this.#all) {
      const known = byPlace.get(`${type} ${country}`);
      byPlace.set(`${type} ${country}`, {
        type,
        country,
        timezones: [...new Set([...(known?.timezones ?? []), ...timezones])],
        // All of them, as which one a device gets is not the customer's choice.
        rotates: rotate !== undefined && known?.rotates !== false,
      });
    }
    return [...byPlace.values()];
  }

  /**
   * An exit as chosen; one of several at random. Throws bad_request when it is not on offer. `at` is where the request has the choice:
   * its fields are named so in the error.
   */
  allocate(choice: { type: string; country: string; timezone?: string }, at: 'network.' | '' = 'network.'): DeviceExit {
    const { type, country, timezone } = choice;
    const ofType = this.#all.filter((exit) => exit.type === type);
    const there = ofType.filter((exit) => exit.country === country);
    if (there.length === 0) throw notOnOffer(choice, this.#all, ofType, at);
    const fitting = timezone === undefined ? there : there.filter(({ timezones }) => timezones.includes(timezone));
    const found = fitting[randomInt(fitting.length || 1)];
    if (found === undefined) {
      const zones = [...new Set(there.flatMap(({ timezones }) => timezones))].join(', ');
      throw new ApiError('bad_request', `${at}timezone: "${timezone ?? ''}" is not one of ${zones}`);
    }
    return {
      type: found.type,
      country,
      timezone: timezone ?? found.timezones[0] ?? 'UTC',
      ...(found.name === undefined ? { address: simulatedAddress() } : { source: found.name }),
      ...(found.proxy?.includes('{session}') === true && { session: randomText(TAG_LETTERS) }),
    };
  }

  /** A customer's own proxy for the phone. Throws bad_request when it cannot be one. `timezone`: where none is known. */
  custom(phoneId: string, request: { proxy: string; timezone?: string }, timezone: string): DeviceExit {
    const parsed = parseProxyUrl(request.proxy);
    if ('fault' in parsed) throw new ApiError('bad_request', `proxy ${parsed.fault}`);
    if (request.timezone !== undefined && !isTimezone(request.timezone)) {
      throw new ApiError('bad_request', `timezone: "${request.timezone}" is not an IANA time zone`);
    }
    return {
      type: 'custom',
      country: UNKNOWN_COUNTRY,
      timezone: request.timezone ?? timezone,
      proxy: this.#box?.seal(request.proxy, sealedFor(phoneId)) ?? request.proxy,
    };
  }

  /** The exit of a phone that has a customer's own proxy, for another phone: sealed anew. Throws bad_request when it cannot be opened. */
  passOn(exit: DeviceExit, { from, name, to }: { from: string; name: string; to: string }): DeviceExit {
    const opened = this.#openedProxy(from, exit);
    if ('fault' in parseProxyUrl(opened)) {
      throw new ApiError(
        'bad_request',
        `network: the proxy of "${name}" cannot be read any more. Choose the exit of the new device by network.`,
      );
    }
    // Its address is seen by the new phone itself.
    const { type, country, timezone } = exit;
    return { type, country, timezone, proxy: this.#box?.seal(opened, sealedFor(to)) ?? opened };
  }

  /** Where the traffic of a phone with this exit goes now. */
  upstreamOf(phoneId: string, exit: DeviceExit): Upstream {
    if (exit.type === 'custom') return this.#customUpstream(phoneId, exit);
    const listed = this.#listedFor(exit);
    if (listed === undefined) return nowhere();
    if (listed.proxy !== undefined) return proxyUpstream(withTag(listed.proxy, phoneId, exit), false);
    if (listed.name !== undefined) return { kind: 'straight' };
    return { kind: 'straight', ...(exit.address !== undefined && { pretends: exit.address }) };
  }

  /**
   * Returns the same exit with another address, as far as that is this service's to choose, and the operator's URL that is called for
   * one. Throws bad_request for an exit whose address is fixed.
   */
  rotated(exit: DeviceExit): { exit: DeviceExit; refreshUrl?: string } {
    const rotate = exit.type === 'custom' ? undefined : this.#listedFor(exit)?.rotate;
    if (rotate === undefined) {
      throw new ApiError(
        'bad_request',
        `The address of this device's exit (${exit.type}, ${exit.country}) is fixed. Choose another exit: POST /v1/devices/{name}/network; GET /v1/network/options shows which rotate.`,
      );
    }
    if (rotate === 'simulated') return { exit: { ...exit, address: simulatedAddress(exit.address) } };
    if (rotate === 'session') return { exit: { ...exit, session: randomText(TAG_LETTERS) } };
    return { exit, refreshUrl: rotate.url };
  }

  get #all(): readonly ListedExit[] {
    return this.#listed() ?? SIMULATED_EXITS;
  }

  /** The entry that a device's exit is of; undefined when it is listed no longer, or as something else. */
  #listedFor({ source, type, country }: DeviceExit): ListedExit | undefined {
    // A direct exit without a name was made before there was a file, or for phones with a network of their own.
    const all = source === undefined && type === 'direct' ? SIMULATED_EXITS : this.#all;
    return all.find((one) => one.name === source && one.type === type && one.country === country);
  }

  #customUpstream(phoneId: string, exit: DeviceExit): Upstream {
    return proxyUpstream(this.#openedProxy(phoneId, exit), true);
  }

  /** A customer's proxy; the stored text where it cannot be opened. */
  #openedProxy(phoneId: string, { proxy = '' }: DeviceExit): string {
    return this.#box?.open(proxy, sealedFor(phoneId)) ?? proxy;
  }
}

function proxyUpstream(url: string, guarded: boolean): Upstream {
  const proxy = parseProxyUrl(url);
  return 'fault' in proxy ? nowhere() : { kind: 'proxy', proxy, guarded };
}

/** Also for a proxy that was sealed with another SECRETS_KEY: nothing can be sent there. */
function nowhere(): Upstream {
  return { kind: 'none', reason: 'The exit is not offered any more.' };
}

/** Puts a device's exit tag into a proxy's login. A device that got the exit before the login had a place for one uses its phone's id. */
function withTag(proxy: string, phoneId: string, { session: tag = phoneId.slice(-TAG_LETTERS) }: DeviceExit): string {
  return proxy.replaceAll('{session}', tag);
}

/** The place that the secret box ties the proxy to: copied to another device, it does not open. */
function sealedFor(phoneId: string): string {
  return `${phoneId} exit`;
}

function notOnOffer(
  { type, country }: { type: string; country: string },
  all: readonly ListedExit[],
  ofType: readonly ListedExit[],
  at: string,
): ApiError {
  const [field, value, allowed] =
    ofType.length === 0
      ? ['type', type, all.map((one) => one.type)]
      : ['country', country, ofType.map((one) => one.country)];
  const offer = [...new Set(allowed)].join(', ');
  const of = field === 'country' ? ` for ${type}` : '';
  return new ApiError('bad_request', `${at}${field}: "${value}" is not on offer${of}; on offer are ${offer}`);
}

import { randomInt } from 'node:crypto';
import { ApiError } from '../../../kit/errors/api-error.js';
import { randomText } from '../../../kit/text/ids.js';
import type { SecretBox } from '../../../kit/text/secret-box.js';
import type { DeviceExit, ExitDriver } from '../../store/device-exit.js';
import { isTimezone } from '../../record/timezone.js';
import type { ExitTypeWord, ListedExit } from './exits-file.js';
import { hostExit, type HostPlace, SIMULATED_DRIVER, trueExit, UNKNOWN_COUNTRY, UNKNOWN_PLACE } from './host-exit.js';
import { parseProxyUrl } from './proxy-url.js';
import { isSimulatedAddress, simulatedAddress, SIMULATED_EXITS } from './simulated-exits.js';
import type { Upstream } from './upstream.js';

/** The exits of one type in one country, as customers can choose them. */
export interface ExitOption {
  type: ExitTypeWord;
  country: string;
  /** IANA names; the first is the default. */
  timezones: readonly string[];
  rotates: boolean;
  /** The drivers whose phones can have such an exit. */
  drivers: readonly string[];
}

/** Number of letters of an exit tag. The tag replaces `{session}` in a proxy's login, so that a device has an address of its own. */
const TAG_LETTERS = 12;

/**
 * The exits that devices can have: the operator's, and customers' own proxies. Where there is no EXITS_FILE, simulated phones have
 * simulated exits, and phones of other drivers the host's own connection: nobody is sold an address that sites do not see.
 *
 * A change of an entry in the file takes effect at once, also for devices that have the exit. A new password is used, and an exit that is
 * no longer listed carries no traffic.
 */
export class Exits {
  readonly #listed: () => readonly ListedExit[] | undefined;
  readonly #box: SecretBox | undefined;
  readonly #place: HostPlace;

  /**
   * `listed` returns the present content of EXITS_FILE; undefined when there is none. Without `box`, customers' proxies are stored as
   * they are. `place` is where the hosts are; absent: not known.
   */
  constructor(listed: () => readonly ListedExit[] | undefined, box?: SecretBox, place: HostPlace = UNKNOWN_PLACE) {
    this.#listed = listed;
    this.#box = box;
    this.#place = place;
  }

  /** Returns what phones of these drivers can have. */
  options(drivers: readonly ExitDriver[]): readonly ExitOption[] {
    const byPlace = new Map<string, ExitOption>();
    for (const of of drivers) {
      for (const { type, country, timezones, rotate } of this.#offeredTo(of)) {
        const known = byPlace.get(`${type} ${country}`);
        byPlace.set(`${type} ${country}`, {
          type,
          country,
          timezones: [...new Set([...(known?.timezones ?? []), ...timezones])],
          // The option rotates only if all its exits do, as the customer cannot choose which of them a device gets.
          rotates: rotate !== undefined && known?.rotates !== false,
          drivers: [...new Set([...(known?.drivers ?? []), of.driver])],
        });
      }
    }
    return [...byPlace.values()];
  }

  /**
   * Returns an exit of the chosen type and country, for a phone of the driver; of several, one at random. Throws bad_request when there
   * is none on offer. `at` is the prefix of the choice's fields in the request, for error texts. A simulated exit gets another address than
   * `besides`.
   */
  allocate(
    choice: { type: string; country: string; timezone?: string; besides?: string | undefined },
    { driver, exit: canChoose }: ExitDriver,
    at: 'network.' | '' = 'network.',
  ): DeviceExit {
    const { type, country, timezone } = choice;
    const offered = this.#offeredTo({ driver, exit: canChoose });
    const ofType = offered.filter((exit) => exit.type === type);
    const there = ofType.filter((exit) => exit.country === country);
    if (there.length === 0) throw notOnOffer(choice, offered, ofType, { driver, at });
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
      ...(found.name !== undefined && { source: found.name }),
      ...(found.name === undefined && driver === SIMULATED_DRIVER && { address: simulatedAddress(choice.besides) }),
      ...(found.proxy?.includes('{session}') === true && { session: randomText(TAG_LETTERS) }),
    };
  }

  /**
   * Returns a phone's exit through a customer's own proxy. Throws bad_request for a faulty proxy URL or time zone. `timezone` is used where
   * the request has none.
   */
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

  /**
   * Returns a copy for phone `to` of the exit of phone `from`, which goes through a customer's own proxy. The proxy is encrypted anew for
   * `to`. Throws bad_request when it cannot be decrypted.
   */
  passOn(exit: DeviceExit, { from, name, to }: { from: string; name: string; to: string }): DeviceExit {
    const opened = this.#openedProxy(from, exit);
    if ('fault' in parseProxyUrl(opened)) {
      throw new ApiError(
        'bad_request',
        `network: the proxy of "${name}" cannot be read any more. Choose the exit of the new device by network.`,
      );
    }
    // The address is left out: it is not known until the new phone has seen it.
    const { type, country, timezone } = exit;
    return { type, country, timezone, proxy: this.#box?.seal(opened, sealedFor(to)) ?? opened };
  }

  /** Returns a stored proxy of a customer, encrypted with the first key. Returns undefined for a text that no key opens. */
  sealed(phoneId: string, proxy: string): string | undefined {
    const place = sealedFor(phoneId);
    if (!('fault' in parseProxyUrl(proxy))) return this.#box?.seal(proxy, place);
    return this.#box?.open(proxy, place) === undefined ? undefined : (this.#box.sealAgain(proxy, place) ?? proxy);
  }

  /** Returns where the traffic of a phone with this exit goes now. */
  upstreamOf(phoneId: string, exit: DeviceExit): Upstream {
    if (exit.type === 'custom') return this.#customUpstream(phoneId, exit);
    const listed = this.#listedFor(exit);
    if (listed === undefined) return nowhere();
    if (listed.proxy !== undefined) return proxyUpstream(withTag(listed.proxy, phoneId, exit), false);
    if (listed.name !== undefined) return { kind: 'straight' };
    const { address } = exit;
    return { kind: 'straight', ...(address !== undefined && isSimulatedAddress(address) && { pretends: address }) };
  }

  /** Returns the exit that the device truly has; undefined when its record is true already. See trueExit. */
  corrected(device: { driver: string; exit: DeviceExit }): DeviceExit | undefined {
    return trueExit(device, { place: this.#place, hasFile: this.#listed() !== undefined });
  }

  /**
   * Returns the exit with a new simulated address or a new exit tag. Where only a call of the operator's URL changes the address, returns
   * the exit unchanged with that URL. Throws bad_request for an exit whose address is fixed.
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

  #offeredTo({ driver, exit }: ExitDriver): readonly ListedExit[] {
    const own = driver === SIMULATED_DRIVER ? SIMULATED_EXITS : [hostExit(this.#place)];
    return (this.#listed() ?? own).filter(({ type }) => exit || type === 'direct');
  }

  /** Returns the listed exit that a device has; undefined when it is no longer listed, or has another type or country. */
  #listedFor({ source, type, country, timezone }: DeviceExit): ListedExit | undefined {
    // A direct exit without a name is the host's own connection. The exit stays in use when there is an EXITS_FILE later.
    if (source === undefined && type === 'direct') return hostExit({ country, timezone });
    const all = this.#listed() ?? SIMULATED_EXITS;
    return all.find((one) => one.name === source && one.type === type && one.country === country);
  }

  #customUpstream(phoneId: string, exit: DeviceExit): Upstream {
    return proxyUpstream(this.#openedProxy(phoneId, exit), true);
  }

  /** Returns a customer's proxy; the stored text where it cannot be decrypted. */
  #openedProxy(phoneId: string, { proxy = '' }: DeviceExit): string {
    return this.#box?.open(proxy, sealedFor(phoneId)) ?? proxy;
  }
}

function proxyUpstream(url: string, guarded: boolean): Upstream {
  const proxy = parseProxyUrl(url);
  return 'fault' in proxy ? nowhere() : { kind: 'proxy', proxy, guarded };
}

/** Returns an upstream that refuses all traffic. An exit whose proxy was encrypted with another SECRETS_KEY also gets it. */
function nowhere(): Upstream {
  return { kind: 'none', reason: 'The exit is not offered any more.' };
}

/**
 * Puts a device's exit tag into a proxy's login. A device that got the exit before the login had `{session}` uses the end of its phone's
 * id.
 */
function withTag(proxy: string, phoneId: string, { session: tag = phoneId.slice(-TAG_LETTERS) }: DeviceExit): string {
  return proxy.replaceAll('{session}', tag);
}

/** Returns the place that the proxy's encryption is bound to: the text cannot be decrypted in another device. */
function sealedFor(phoneId: string): string {
  return `${phoneId} exit`;
}

function notOnOffer(
  { type, country }: { type: string; country: string },
  all: readonly ListedExit[],
  ofType: readonly ListedExit[],
  { driver, at }: { driver: string; at: string },
): ApiError {
  if (all.length === 0) {
    return new ApiError('bad_request', `${at}type: no exit is on offer for phones of driver ${driver}`);
  }
  const [field, value, allowed] =
    ofType.length === 0
      ? ['type', type, all.map((one) => one.type)]
      : ['country', country, ofType.map((one) => one.country)];
  const offer = [...new Set(allowed)].join(', ');
  const of = field === 'country' ? ` for ${type}` : '';
  const whose = driver === SIMULATED_DRIVER ? '' : ` with phones of driver ${driver}`;
  return new ApiError('bad_request', `${at}${field}: "${value}" is not on offer${of}${whose}; on offer are ${offer}`);
}

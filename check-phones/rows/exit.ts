import { CloudPhoneError, JobFailedError } from '../../client/src/index.js';
import type { CheckedPhone } from '../checked-phone.js';
import type { CheckedPhones } from '../checked-phones.js';
import { CountingProxy } from '../counting-proxy.js';
import { demand } from '../demand.js';
import { fetchPage, systemProxyOf } from '../phone-requests.js';
import { NotOffered, type Row } from '../row.js';
import { MAIN } from './life.js';

/** Checks that a phone whose exit is a proxy reaches a page only through the proxy, and reaches nothing once the proxy has ended. */
export const exits: Row = {
  name: 'exit by a proxy; nothing leaves once it has ended',
  run: (phones) =>
    withProxyExit(phones, async (phone, proxy, change) => {
      const usual = await requestBothWays(phone, proxy);
      await change();
      const byExit = await requestBothWays(phone, proxy);
      demand(byExit.asApps.seen > 0, 'the phone reached nothing through the proxy');
      demand(byExit.asApps.forwarded > 0, 'the phone reached a page past the proxy');
      await proxy.endProxy();
      const ended = await requestBothWays(phone, proxy);
      demand(ended.asApps.seen === 0, 'without the proxy, the phone reached a page directly');
      return [
        ...(usual.asApps.seen > 0 ? [] : ['a page of this machine was not reached by the usual exit']),
        ...(byExit.systemProxy === undefined ? [] : [`by the HTTP proxy of the phone's system, and not past it`]),
      ].join('; ');
    }),
};

/**
 * Runs `check` with a proxy of this machine, and a function that makes it the exit of the phone. At the end, the phone gets its usual exit
 * back, unless that was a custom one. Throws NotOffered where the exit of such phones cannot be chosen, or the service refuses a proxy at
 * this address.
 */
export async function withProxyExit(
  phones: CheckedPhones,
  check: (phone: CheckedPhone, proxy: CountingProxy, change: () => Promise<void>) => Promise<string>,
): Promise<string> {
  if (!phones.model.exits) throw new NotOffered('"exits" of the model in GET /v1/models is false');
  const phone = phones.get(MAIN);
  const { exit: usual } = await phone.device();
  const proxy = await CountingProxy.start(phones.options.address);
  const change = (): Promise<void> =>
    phone.exit({ proxy: proxy.proxyUrl }).catch((error: unknown) => {
      throw isRefusal(error, proxy) ? new NotOffered(`${error.message} (${proxy.proxyUrl}; --address)`) : error;
    });
  try {
    return await check(phone, proxy, change);
  } finally {
    const { type, country } = usual;
    if (type !== 'custom') await phone.exit({ type, country }).catch(() => undefined);
    await proxy.close();
  }
}

interface Reached {
  /** Requests that reached the page. */
  seen: number;
  /** The requests that went through the proxy of the check. */
  forwarded: number;
}

/**
 * Requests the page as apps of the phone do. Where the system has an HTTP proxy, it also requests the page directly, as an app need not
 * obey that setting. Direct requests must not reach the page.
 */
async function requestBothWays(
  phone: CheckedPhone,
  proxy: CountingProxy,
): Promise<{ asApps: Reached; systemProxy: string | undefined }> {
  const systemProxy = await systemProxyOf(phone);
  const asApps = await countOf(proxy, () => fetchPage(phone, proxy.page, systemProxy));
  if (systemProxy === undefined) return { asApps, systemProxy };
  const directly = await countOf(proxy, () => fetchPage(phone, proxy.page));
  demand(directly.seen === 0, `the phone reached a page past the HTTP proxy of its system (${systemProxy})`);
  return { asApps, systemProxy };
}

async function countOf(proxy: CountingProxy, request: () => Promise<void>): Promise<Reached> {
  const { seen, forwarded } = proxy;
  await request();
  return { seen: proxy.seen - seen, forwarded: proxy.forwarded - forwarded };
}

function isRefusal(error: unknown, { forwarded }: CountingProxy): error is Error {
  if (error instanceof JobFailedError) return forwarded === 0;
  return error instanceof CloudPhoneError && (error.kind === 'bad_request' || error.kind === 'forbidden');
}

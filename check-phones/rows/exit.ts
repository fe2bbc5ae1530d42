import { CloudPhoneError, JobFailedError } from '../../client/src/index.js';
import { CountingProxy } from '../counting-proxy.js';
import type { CheckedPhone } from '../checked-phone.js';
import { demand } from '../demand.js';
import { NotOffered, type Row } from '../row.js';
import { MAIN } from './life.js';

/** A request from the phone that does not come back by then was held back, s. */
const FETCH_S = 10;

export const exits: Row = {
  name: 'exit by a proxy; nothing leaves once it has ended',
  run: async (phones) => {
    const phone = phones.get(MAIN);
    const { exit: usual } = await phone.device();
    const proxy = await CountingProxy.start(phones.options.address);
    try {
      await fetchPage(phone, proxy);
      const isOpen = proxy.seen > 0;
      await phone.exit({ proxy: proxy.proxyUrl }).catch((error: unknown) => {
        throw isRefusal(error, proxy) ? new NotOffered(`${error.message} (${proxy.proxyUrl}; --address)`) : error;
      });
      const [forwarded, seen] = [proxy.forwarded, proxy.seen];
      await fetchPage(phone, proxy);
      demand(proxy.seen > seen, 'the phone reached nothing through the proxy');
      demand(proxy.forwarded > forwarded, 'the phone reached a page past the proxy');
      await proxy.endProxy();
      const before = proxy.seen;
      await fetchPage(phone, proxy);
      demand(proxy.seen === before, 'without the proxy, the phone reached a page directly');
      return isOpen ? '' : 'a page of this machine was not reached directly before either';
    } finally {
      const { type, country } = usual;
      if (type !== 'custom') await phone.exit({ type, country }).catch(() => undefined);
      await proxy.close();
    }
  },
};

/** Whether the exits of such phones cannot be changed, or the service did not try a proxy at this address. */
function isRefusal(error: unknown, { forwarded }: CountingProxy): error is Error {
  if (error instanceof JobFailedError) return forwarded === 0;
  return error instanceof CloudPhoneError && (error.kind === 'bad_request' || error.kind === 'forbidden');
}

/** Has the phone request the page, with the program that its Android has for it. */
async function fetchPage(phone: CheckedPhone, { page: { host, port } }: CountingProxy): Promise<void> {
  const request = `printf 'GET / HTTP/1.0\\r\\nHost: ${host}\\r\\n\\r\\n' | nc -w ${FETCH_S} ${host} ${port}`;
  await phone.shell(
    `if command -v curl >/dev/null; then curl -s -m ${FETCH_S} http://${host}:${port}/; else ${request}; fi`,
  );
}

import { resolve, sep } from 'node:path';
import type { Client } from '@connectrpc/connect';
import { begunAhead } from '../../kit/async/begun-ahead.js';
import type { AdminService, HoldPhoneResponse } from '../../proto/gen/cloudphone/access/v1/admin_service_pb.js';
import type { HoldPhone } from './back-up.js';

/** Returns the function that makes the running service keep a phone still. The phone also goes on when this process is killed. */
export function holder(connect: () => Client<typeof AdminService>, dataDirectory: string): HoldPhone {
  return async (phoneId, use) => {
    const end = new AbortController();
    const responses = connect().holdPhone({ phoneId }, { signal: end.signal })[Symbol.asyncIterator]();
    const first: IteratorResult<HoldPhoneResponse, unknown> = await responses.next();
    const files = first.done === true ? [] : first.value.files;
    const over = { early: false };
    const noteEnd = (): void => {
      over.early = !end.signal.aborted;
    };
    const ended = begunAhead(responses.next().then(noteEnd, noteEnd));
    try {
      if (files.length === 0) throw new Error('the service named no files of the phone');
      for (const { path } of files)
        if (!resolve(path).startsWith(`${resolve(dataDirectory)}${sep}`))
          throw new Error(`the service keeps the phone elsewhere than in ${dataDirectory} (DATA_DIR)`);
      await use(files.map(({ place, path }) => ({ at: place, from: path })));
      if (over.early) throw new Error('the phone went on while it was copied');
    } finally {
      end.abort();
      await ended;
    }
  };
}

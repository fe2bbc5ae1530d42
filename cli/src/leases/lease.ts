import type { Invocation } from '../command/command.js';
import { print } from '../command/print.js';
import { UsageError } from '../output/usage-error.js';
import { plainLine } from '../output/plain-text.js';
import { openService } from '../service/connection.js';
import { listItems } from '../service/list-items.js';
import { endTermsOf, TTL_S, WAIT_S } from './lease-terms.js';
import { type Lease, takeLease } from './take-lease.js';

export const take = {
  run: async (invocation: Invocation): Promise<void> => {
    const { words, options } = invocation;
    const [device] = words;
    const wanted = { device, label: options.text('label'), pool: options.text('pool') };
    const given = Object.entries(wanted).filter(([, value]) => value !== undefined);
    if (given.length !== 1) throw new UsageError('lease: give one of DEVICE, --label and --pool.');
    const ttlS = options.seconds('ttl', TTL_S);
    const note = options.text('note');
    const body = {
      ...Object.fromEntries(given),
      ...(ttlS !== undefined && { ttl_s: ttlS }),
      ...endTermsOf(options),
      ...(note !== undefined && { note }),
    };
    const waitS = options.seconds('wait', WAIT_S) ?? 0;
    const taken = await takeLease(invocation, openService(invocation).phone, body, waitS);
    print(invocation, taken, leaseLine(taken.lease));
  },
};

export const renew = {
  run: async (invocation: Invocation): Promise<void> => {
    const { words, options, signal } = invocation;
    const [id = ''] = words;
    const ttlS = options.seconds('ttl', TTL_S);
    const body = ttlS === undefined ? {} : { ttl_s: ttlS };
    const { phone } = openService(invocation);
    const renewed = await phone.post('/v1/leases/{id}/renew', { params: { path: { id } }, body, signal });
    print(invocation, renewed, leaseLine(renewed.lease));
  },
};

export const end = {
  run: async (invocation: Invocation): Promise<void> => {
    const { words, signal } = invocation;
    const [id = ''] = words;
    const { phone } = openService(invocation);
    await phone.delete('/v1/leases/{id}', { params: { path: { id } }, signal });
    print(invocation, {}, `${plainLine(id)} has ended.`);
  },
};

export const list = {
  run: (invocation: Invocation): Promise<void> =>
    listItems<Lease>(invocation, {
      path: '/v1/leases',
      field: 'leases',
      none: 'No phone is leased.',
      columns: [
        ['PHONE', ({ device }) => device],
        ['ID', ({ id }) => id],
        ['BY', ({ holder }) => holder.name],
        ['UNTIL', ({ expires_at: until }) => until],
        ['AT END', ({ at_end: atEnd }) => atEnd],
        ['POOL', ({ pool }) => pool],
        ['NOTE', ({ note }) => note],
      ],
    }),
};

/** Returns the line about a lease that has begun. It begins with the phone, so that a shell can read it into variables. */
function leaseLine({ id, device, expires_at: until }: Lease): string {
  return `${device}  ${id}  ${until}`;
}

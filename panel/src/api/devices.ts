import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { pollWithoutEvents } from './account-events.ts';
import { allOf } from './all-of.ts';
import { api, type Device, type DeviceState, take } from './client.ts';

const IN_TRANSIT: readonly DeviceState[] = ['creating', 'starting', 'stopping', 'deleting'];

/** Returns whether a phone's state is changing. */
export function isInTransit({ state, job }: Device): boolean {
  return IN_TRANSIT.includes(state) || job !== undefined;
}

/** How often phones are polled while no events come, ms. They are polled more often while the state of one changes. */
const BUSY_POLL_MS = 1_000;
const POLL_MS = 4_000;

/**
 * How often a phone that is handed over is polled while its page is open, ms, with events too: none comes when a person takes the phone.
 */
const HANDOVER_POLL_MS = 3_000;

/** All phones of the account, kept up to date while they are shown. */
export const devicesQuery = queryOptions({
  queryKey: ['devices'],
  queryFn: () => allOf('/v1/devices', 'devices'),
  refetchInterval: ({ state }) => pollWithoutEvents(state.data?.some(isInTransit) === true ? BUSY_POLL_MS : POLL_MS),
});

/** Returns a phone, kept up to date while it is shown. At first, the phone is shown as the list had it, so that its page need not wait. */
export function useDevice(name: string) {
  const client = useQueryClient();
  return useQuery({
    queryKey: ['devices', name],
    queryFn: async () => (await take(api.GET('/v1/devices/{name}', { params: { path: { name } } }))).device,
    placeholderData: () => client.getQueryData(devicesQuery.queryKey)?.find((device) => device.name === name),
    refetchInterval: ({ state: { data } }) => {
      if (data?.handover !== undefined) return HANDOVER_POLL_MS;
      return pollWithoutEvents(data !== undefined && isInTransit(data) ? BUSY_POLL_MS : POLL_MS);
    },
  });
}

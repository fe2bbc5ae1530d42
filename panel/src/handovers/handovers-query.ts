import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { pollWithoutEvents } from '../api/account-events.ts';
import { allOf } from '../api/all-of.ts';
import { cancelHandover, type Handover, readHandover, takeHandover } from './handover-requests.ts';

/** How often the phones are polled, ms, while none is handed over and no events come. */
const POLL_MS = 15_000;
/** How often they are polled while one is handed over, ms. There is no event for a person who takes a phone. */
const OPEN_POLL_MS = 5_000;

/** The hand-overs of the account that have not ended, with at most one of each phone. They are part of the phones. */
const handoversQuery = queryOptions({
  queryKey: ['handovers'],
  queryFn: async () =>
    (await allOf('/v1/devices', 'devices')).flatMap(({ handover }) => (handover === undefined ? [] : [handover])),
});

/** Returns the hand-overs that have not ended; undefined before they are known. */
export function useOpenHandovers(): readonly Handover[] | undefined {
  return useQuery(handoversQuery).data;
}

/** Returns the same, and keeps them up to date for all parts of the panel. */
export function useWatchedHandovers(): readonly Handover[] | undefined {
  const refetchInterval = ({ state }: { state: { data?: readonly Handover[] | undefined } }): number =>
    (state.data ?? []).length > 0 ? OPEN_POLL_MS : pollWithoutEvents(POLL_MS);
  return useQuery({ ...handoversQuery, refetchInterval }).data;
}

/** The query of one hand-over, which may have ended. */
export function handoverQuery(device: string, id: string) {
  return queryOptions({
    queryKey: ['handovers', device, id],
    queryFn: () => readHandover({ device, id }),
  });
}

/** Returns the function that reads again what a change of a hand-over changes. */
export function useReadAgain(): () => Promise<unknown> {
  const client = useQueryClient();
  return () => Promise.all([['devices'], ['handovers']].map((queryKey) => client.invalidateQueries({ queryKey })));
}

/** Returns what a signed-in person can do with a hand-over besides giving the phone back. */
export function useHandover({ device, id }: Pick<Handover, 'device' | 'id'>) {
  const readAgain = useReadAgain();
  // The lists are read again after a refusal too, as the hand-over may have ended meanwhile.
  const take = useMutation({ mutationFn: () => takeHandover({ device, id }), onSettled: readAgain });
  const cancel = useMutation({ mutationFn: () => cancelHandover({ device, id }), onSettled: readAgain });
  return { take, cancel };
}

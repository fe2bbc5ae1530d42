import { infiniteQueryOptions } from '@tanstack/react-query';
import { api, type Schemas, take } from '../../../api/client.ts';

export type Entry = Schemas['TimelineEntry'];
type Page = Schemas['ListTimelineResult'];
export type Kind = Entry['kind'];

/** The number of entries that are fetched at a time; older ones come on request. */
const PAGE = 50;

/** How often the timeline is polled, ms. Entries come a moment after their events. */
const POLL_MS = 3_000;

/** The entries of a phone, newest first. */
export function timelineQuery(name: string, kind: Kind | undefined) {
  return infiniteQueryOptions({
    queryKey: ['devices', name, 'timeline', kind],
    initialPageParam: '',
    queryFn: async ({ pageParam }): Promise<Page> => {
      const page = await take(
        api.GET('/v1/devices/{name}/timeline', {
          params: {
            path: { name },
            query: { limit: PAGE, ...(kind !== undefined && { kind }), ...(pageParam !== '' && { cursor: pageParam }) },
          },
        }),
      );
      // The response is text only where that is requested.
      return page as Page;
    },
    getNextPageParam: ({ next_cursor }) => next_cursor,
    refetchInterval: POLL_MS,
  });
}

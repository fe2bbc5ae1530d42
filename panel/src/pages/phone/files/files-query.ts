import { infiniteQueryOptions } from '@tanstack/react-query';
import { api, type Schemas, take } from '../../../api/client.ts';

export type FileEntry = Schemas['FileEntry'];

/** The directory of a phone that is shown first, and the other one that can be reached. */
export const ROOTS = ['/sdcard', '/data/local/tmp'] as const;

/** The number of entries that are fetched at a time; more come on request. */
const PAGE = 200;

/** The entries of a directory of a phone. */
export function filesQuery(name: string, path: string) {
  return infiniteQueryOptions({
    queryKey: ['devices', name, 'files', path],
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      take(
        api.GET('/v1/devices/{name}/files', {
          params: { path: { name }, query: { path, limit: PAGE, ...(pageParam !== '' && { cursor: pageParam }) } },
        }),
      ),
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
}

/** Returns the address of a file's content. */
export function contentUrl(name: string, path: string): string {
  return `/v1/devices/${encodeURIComponent(name)}/files/content?path=${encodeURIComponent(path)}`;
}

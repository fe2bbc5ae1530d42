import { queryOptions } from '@tanstack/react-query';
import { allOf } from '../../../api/all-of.ts';
import type { Schemas } from '../../../api/client.ts';

export type Recording = Schemas['Recording'];

/** How often recordings are polled while one goes on, ms. Each request counts against the limit of the phone, which all callers share. */
const POLL_MS = 5_000;

/** The recordings of a phone, newest first. */
export const recordingsQuery = (name: string) =>
  queryOptions({
    queryKey: ['recordings', name],
    queryFn: () => allOf('/v1/devices/{name}/recordings', 'recordings', { name }),
    refetchInterval: ({ state }) => (state.data?.some((one) => one.state === 'recording') === true ? POLL_MS : false),
  });

/** Returns the address of a file of a recording. */
export function contentUrl({ device, id }: Recording, segment: number): string {
  return `/v1/devices/${encodeURIComponent(device)}/recordings/${encodeURIComponent(id)}/content?segment=${segment}`;
}

/** Returns the numbers of the files of a recording. */
export function segmentsOf({ segments }: Recording): number[] {
  return Array.from({ length: segments }, (_, segment) => segment);
}

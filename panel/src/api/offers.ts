import { queryOptions } from '@tanstack/react-query';
import { allOf } from './all-of.ts';

/** The offer changes seldom. */
const staleTime = 60_000;

/** The models that phones can be created from. */
export const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: () => allOf('/v1/models', 'models'),
  staleTime,
});

/** The network exits on sale. */
export const exitsQuery = queryOptions({
  queryKey: ['network', 'options'],
  queryFn: () => allOf('/v1/network/options', 'options'),
  staleTime,
});

/** The apps of the catalogue. */
export const catalogueQuery = queryOptions({
  queryKey: ['catalogue'],
  queryFn: () => allOf('/v1/apps', 'apps'),
  staleTime,
});

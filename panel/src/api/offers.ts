import { queryOptions } from '@tanstack/react-query';
import { allOf } from './all-of.ts';

/** The offer changes seldom. */
const staleTime = 60_000;

/** How often templates are polled while one is being saved, ms. */
const SAVING_POLL_MS = 1_000;

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

/** The templates of the account, by name. */
export const templatesQuery = queryOptions({
  queryKey: ['templates'],
  queryFn: () => allOf('/v1/templates', 'templates'),
  refetchInterval: ({ state }) => (state.data?.some((one) => one.state === 'saving') === true ? SAVING_POLL_MS : false),
});

/** The apps of the account's library, by name. */
export const libraryQuery = queryOptions({
  queryKey: ['library'],
  queryFn: () => allOf('/v1/library/apps', 'apps'),
});

/** The apps of the catalogue. */
export const catalogueQuery = queryOptions({
  queryKey: ['catalogue'],
  queryFn: () => allOf('/v1/apps', 'apps'),
  staleTime,
});

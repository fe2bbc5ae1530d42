import type { components, paths } from '../../../client/src/openapi.js';

/** The objects of the API, by their names in its reference. */
export type Schemas = components['schemas'];
export type Device = Schemas['Device'];
export type Job = Schemas['Job'];

/** The body of a POST to a path of the API. */
export type PostBody<P extends keyof paths> = paths[P] extends {
  post: { requestBody: { content: { 'application/json': infer Body } } };
}
  ? Body
  : never;

/** A step of POST /v1/devices/{name}/act. */
export type Step = NonNullable<PostBody<'/v1/devices/{name}/act'>['steps']>[number];

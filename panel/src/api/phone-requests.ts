import type { Client } from 'openapi-fetch';
import type { paths } from '../../gen/api.ts';
import type { Schemas } from './client.ts';

/** A client of the API, which sends each request or only notes it. These requests are both sent and shown as code to copy. */
type Api = Client<paths>;

export const createPhone = (api: Api, body: Schemas['CreateDeviceBody'], idempotencyKey: string) =>
  api.POST('/v1/devices', { params: { header: { 'Idempotency-Key': idempotencyKey } }, body });

export const startPhone = (api: Api, name: string) => api.POST('/v1/devices/{name}/start', at(name));
export const stopPhone = (api: Api, name: string) => api.POST('/v1/devices/{name}/stop', at(name));
export const restartPhone = (api: Api, name: string) => api.POST('/v1/devices/{name}/restart', at(name));
export const deletePhone = (api: Api, name: string) => api.DELETE('/v1/devices/{name}', at(name));

/** Requests the screen as a PNG with every pixel of the phone. */
export const takePicture = (api: Api, name: string) =>
  api.GET('/v1/devices/{name}/screenshot', { ...at(name), parseAs: 'blob' });

/** Requests the elements on the screen. */
export const readElements = (api: Api, name: string) =>
  api.GET('/v1/devices/{name}/observe', { params: { path: { name }, query: { screenshot: 'none' } } });

/** Requests a snapshot. `label`: empty for none. */
export const takeSnapshot = (api: Api, name: string, label: string) =>
  api.POST('/v1/devices/{name}/snapshots', { ...at(name), body: label === '' ? {} : { label } });

function at(name: string) {
  return { params: { path: { name } } };
}

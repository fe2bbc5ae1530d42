import type { CloudPhone } from '../../client/src/cloud-phone.js';

/** A service and a key of it. */
export interface Service {
  phone: CloudPhone;
  /** Base URL, with /v1. */
  url: string;
  key: string;
}

export { CloudPhone, type CloudPhoneOptions, type Method, type RawRequest } from './cloud-phone.js';
export { CloudPhoneError, type ErrorFacts, type ErrorKind } from './errors.js';
export { type Job, JobFailedError, type JobWait } from './jobs.js';
export type { components, paths } from './openapi.js';
export { verifyWebhook } from './webhooks.js';

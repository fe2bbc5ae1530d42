export {
  type ActOptions,
  type ActResult,
  Agent,
  type Decide,
  type LoopOptions,
  type Observation,
  type Step,
  type View,
} from './agent.js';
export { CloudPhone, type CloudPhoneOptions, type RawRequest } from './cloud-phone.js';
export { applyChanges } from './element-lines.js';
export { CloudPhoneError, type ErrorFacts, type ErrorKind } from './errors.js';
export type { CloudPhoneEvent, EventOptions } from './events.js';
export { type Job, JobFailedError, type JobWait } from './jobs.js';
export type { FollowOptions, LogEvent, LogLine } from './logs.js';
export type { Method } from './method.js';
export type { components, paths } from './openapi.js';
export { verifyWebhook } from './webhooks.js';

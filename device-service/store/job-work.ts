/**
 * What a job does on a running phone, where it changes something else than its power. It says all that is to be done, so that any
 * process of the phone's host can do it, or do it again after a crash. A new kind is a member here, a row in `transitions`, in the
 * limits and in the metrics, and a worker (jobs/worker.ts) in its own room.
 */
export type JobWork = { kind: 'uninstall'; package: string };

export type WorkKindWord = JobWork['kind'];

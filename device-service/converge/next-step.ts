import type { PhoneEndpoint, PhoneStatus } from '../../phone/driver.js';
import type { DeviceDocument } from '../store/devices.js';

/** One bounded thing that is done to a phone for a job, or the end of the job. */
export type Step =
  | { do: 'create' | 'clone' | 'restore' | 'start' | 'stop' | 'delete' }
  /** The job's work on the phone (jobs/worker.ts); then the job is done. `endpoint` undefined: the phone is off, as it is wanted. */
  | { do: 'work'; endpoint: PhoneEndpoint | undefined }
  /** The phone is as wanted. */
  | { do: 'finish'; endpoint?: PhoneEndpoint }
  /** The phone can never be as wanted. */
  | { do: 'fail'; problem: { kind: string; message: string } };

/**
 * Returns what to do next for the device's job, where `observed` is the present state of its phone. A function of these two alone, so that
 * it makes no difference whether the same process goes on or another one after a crash.
 *
 * A phone is created only for a device whose phone was never made: one that is gone later has lost its data, and an empty one in its
 * place would hide that.
 */
export function nextStep(device: DeviceDocument, observed: PhoneStatus): Step {
  if (device.job?.work !== undefined) return workStep(device, observed);
  if (isToBeRestored(device)) return restoreStep(device, observed);
  if (device.wanted === 'gone') return observed.state === 'absent' ? { do: 'finish' } : { do: 'delete' };
  switch (observed.state) {
    case 'absent':
      return device.made === true ? { do: 'fail', problem: dataLost(device) } : { do: makingStep(device) };
    case 'broken':
      return { do: 'fail', problem: { kind: 'broken', message: observed.problem } };
    case 'stopped':
      return { do: device.wanted === 'running' ? 'start' : 'finish' };
    case 'starting':
      return { do: device.wanted === 'running' ? 'start' : 'stop' };
    case 'running': {
      const over = observed.endpoint.identity === endedIdentity(device);
      return device.wanted === 'stopped' || over ? { do: 'stop' } : { do: 'finish', endpoint: observed.endpoint };
    }
  }
}

/**
 * Work needs a running phone, except for saving one that is off. One that ended is brought back, or reported, once the job is over
 * (idle-device.ts).
 */
function workStep({ name, wanted, job }: DeviceDocument, observed: PhoneStatus): Step {
  if (observed.state === 'running') return { do: 'work', endpoint: observed.endpoint };
  if (job?.kind === 'snapshot' && wanted === 'stopped' && observed.state === 'stopped') {
    return { do: 'work', endpoint: undefined };
  }
  const message =
    `The phone stopped running before the ${job?.kind} was done. ` +
    `Send the request again once GET /v1/devices/${name} shows that it runs.`;
  return { do: 'fail', problem: { kind: 'not_running', message } };
}

/** Whether the phone does not hold the content of the job's snapshot yet. From then on the job is that of starting it. */
export function isToBeRestored({ job }: DeviceDocument): boolean {
  return job?.kind === 'restore' && job.restored !== true;
}

/** A phone that lost its files, or some, gets them back. */
function restoreStep(device: DeviceDocument, observed: PhoneStatus): Step {
  if (observed.state === 'absent') return { do: 'fail', problem: dataLost(device) };
  return { do: observed.state === 'running' || observed.state === 'starting' ? 'stop' : 'restore' };
}

function makingStep({ job }: DeviceDocument): 'create' | 'clone' {
  return job?.kind === 'clone' ? 'clone' : 'create';
}

/**
 * Returns the start of the phone that a restart is to end: the recorded one, which stays recorded until the next one is. A phone that
 * is found in another start has been restarted.
 */
export function endedIdentity({ job, endpoint }: DeviceDocument): string | undefined {
  return job?.kind === 'restart' ? endpoint?.identity : undefined;
}

/**
 * Returns the state of the phone according to the device's document, which a new job begins with. Undefined when the document does not
 * show it: a create that failed may have made the phone.
 */
export function recordedStatus({ made, endpoint, job }: DeviceDocument): PhoneStatus | undefined {
  if (endpoint !== undefined) return { state: 'running', endpoint };
  if (made === true) return { state: 'stopped' };
  return job?.kind === 'create' || job?.kind === 'clone' ? { state: 'absent' } : undefined;
}

export function dataLost({ name }: DeviceDocument): { kind: string; message: string } {
  return {
    kind: 'data_lost',
    message:
      `The phone's data is not on its host any more. If the host's storage comes back, so does the phone; ` +
      `else delete the device: DELETE /v1/devices/${name}.`,
  };
}

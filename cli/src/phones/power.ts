import type { CloudPhone } from '../../../client/src/cloud-phone.js';
import type { Implementation } from '../command/command.js';
import { openService } from '../service/connection.js';
import type { Job } from '../service/types.js';
import { waitForJob } from '../service/wait-for-job.js';

type Begin = (phone: CloudPhone, name: string, signal: AbortSignal) => Promise<{ job: Job }>;

/** Returns a command that does one thing with each of the phones that it is called with. The jobs of all run at the same time. */
function onEach(begin: Begin): Implementation {
  return {
    run: async (invocation) => {
      const { words, options, signal, terminal } = invocation;
      const { phone } = openService(invocation);
      const begun: Job[] = [];
      const jobs: Job[] = [];
      const faults: unknown[] = [];
      // One that is refused does not hold up the others; the first refusal is reported at the end.
      for (const name of new Set(words)) {
        try {
          begun.push((await begin(phone, name, signal)).job);
        } catch (error) {
          faults.push(error);
        }
      }
      for (const one of begun) {
        try {
          const job = await waitForJob(invocation, phone, one);
          jobs.push(job);
          if (!options.flag('json')) terminal.line(`${job.device}: ${job.kind} ${job.state}`);
        } catch (error) {
          faults.push(error);
        }
      }
      // One phone has the API's own response; several have their jobs in a list, as in GET /v1/jobs.
      const [job] = jobs;
      const body = words.length > 1 ? { jobs } : { job };
      if (options.flag('json') && job !== undefined) terminal.line(JSON.stringify(body, undefined, 2));
      if (faults.length > 0) throw faults[0];
    },
  };
}

export const start = onEach((phone, name, signal) =>
  phone.post('/v1/devices/{name}/start', { params: { path: { name } }, signal }),
);

export const stop = onEach((phone, name, signal) =>
  phone.post('/v1/devices/{name}/stop', { params: { path: { name } }, signal }),
);

export const restart = onEach((phone, name, signal) =>
  phone.post('/v1/devices/{name}/restart', { params: { path: { name } }, signal }),
);

export const remove = onEach((phone, name, signal) =>
  phone.delete('/v1/devices/{name}', { params: { path: { name } }, signal }),
);

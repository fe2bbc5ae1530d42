import { CommandFailure, type Command, print } from '../../command.js';
import { DUMP_SERVICES } from './dump-services.js';

/** `dumpsys [-l] [SERVICE [ARGS]]` */
export const dumpsys: Command = async ({ args, machine, stdout, stderr }) => {
  const words = args.filter((word, at) => !/^-(t|T)$/.test(word) && !/^-(t|T)$/.test(args[at - 1] ?? ''));
  const [service, ...rest] = words;
  if (service === undefined || service === '-l') {
    return print(stdout, `Currently running services:\n${Object.keys(DUMP_SERVICES).map((name) => `  ${name}\n`).join('')}`); // prettier-ignore
  }
  const dump = Object.hasOwn(DUMP_SERVICES, service) ? DUMP_SERVICES[service] : undefined;
  if (!dump) {
    await stderr.write(`Can't find service: ${service}\n`);
    return 0;
  }
  if (machine.properties.get('init.svc.bootanim') === '') throw new CommandFailure(`Can't find service: ${service}`, { bare: true, status: 0 }); // prettier-ignore
  return print(stdout, await dump(machine, rest));
};

import { EXIT_FAULT_STATUS, type ExitFaultWord } from '../../phone/exit-fault.js';

/** The error when the forwarder of the phone's exit sent nothing out; `code` names the reason, as browsers do. */
export class ExitFault extends Error {
  override name = 'ExitFault';
  readonly code: string;

  constructor(word: string, options?: ErrorOptions) {
    super(`the exit of the phone carries no traffic (${word})`, options);
    this.code = `EXIT_${word.toUpperCase()}`;
  }
}

/** Returns the fault for an error of a request by a forwarder; undefined for an error that is not the forwarder's. */
export function exitFaultIn(error: unknown): ExitFault | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ExitFault) return cause;
    // The phone reaches sites only through the forwarder. So this error is about the forwarder's socket: it is gone, or no process listens
    // on it.
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return new ExitFault('none', { cause: error });
    const status = Number(/^Proxy response \((\d+)\)/.exec(cause.message)?.[1]);
    const word = WORDS.find((one) => EXIT_FAULT_STATUS[one] === status);
    if (word !== undefined) return new ExitFault(word, { cause: error });
  }
  return undefined;
}

const WORDS = Object.keys(EXIT_FAULT_STATUS) as ExitFaultWord[];

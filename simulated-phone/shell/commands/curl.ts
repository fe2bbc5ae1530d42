import { type Command, pathOf } from '../command.js';
import { PhoneFileError } from '../../files/file-error.js';
import { exitFaultIn } from '../../network/exit-fault.js';
import { parseOptions } from '../options.js';
import { Cancellation } from '../../../kit/async/within.js';

/** Most bytes of a page. */
const MAX_BYTES = 1024 * 1024;

const HELP = 'Usage: curl [-fsSLi] [-m SECONDS] [-o FILE] [-x HOST:PORT] URL\n';

/** `host:port` of an HTTP proxy, the only kind that `-x` takes here. */
const PROXY = /^(?:http:\/\/)?([\w.-]+:\d{1,5}|\[[\da-f:.]+\]:\d{1,5})\/?$/i;

/**
 * The command `curl`, which sends GET requests through the phone's exit. `-L` follows redirects, `-f` fails on an HTTP error, `-i` prints
 * the status before the page, and `-x` sends the request to an HTTP proxy. As on Android, it ignores the proxy of the system's settings.
 */
export const curl: Command = async (call) => {
  const options = parseOptions(call.args, {
    flags: ['f', 'i', 'L', 's', 'S', 'k', 'fail', 'include', 'location', 'silent', 'show-error', 'help'],
    values: ['m', 'o', 'x', 'max-time', 'output', 'proxy'],
  });
  const [typed] = options.rest;
  if (options.has('help') || typed === undefined) {
    await call.stdout.write(HELP);
    return options.has('help') ? 0 : 2;
  }
  const url = /^[a-z]+:\/\//i.test(typed) ? typed : `http://${typed}`;
  const seconds = Number(options.value('m') ?? options.value('max-time') ?? 15);
  const isQuiet = (options.has('s') || options.has('silent')) && !options.has('S') && !options.has('show-error');
  const fail = async (status: number, text: string): Promise<number> => {
    if (!isQuiet) await call.stderr.write(`curl: (${status}) ${text}\n`);
    return status;
  };
  const typedProxy = options.value('x') ?? options.value('proxy');
  const proxy = PROXY.exec(typedProxy ?? '')?.[1];
  if (typedProxy !== undefined && proxy === undefined)
    return fail(5, `Unsupported proxy syntax in '${typedProxy}': http://HOST:PORT is supported`);
  const onTimeout = (): Error => new Error('timed out');
  const limit = new Cancellation([call.signal], { clock: call.machine.clock, timeoutMs: seconds * 1000, onTimeout });
  try {
    const { signal } = limit;
    const maxRedirects = options.has('L') || options.has('location') ? 10 : 0;
    const page = await call.machine.network.fetchText(url, {
      ...{ maxBytes: MAX_BYTES, signal, maxRedirects },
      ...(proxy !== undefined && { proxy }),
    });
    if (page.status >= 400 && (options.has('f') || options.has('fail')))
      return await fail(22, `The requested URL returned error: ${page.status}`);
    const head = options.has('i') || options.has('include') ? `HTTP/1.1 ${page.status}\r\ncontent-type: ${page.type}\r\n\r\n` : ''; // prettier-ignore
    const file = options.value('o') ?? options.value('output');
    if (file === undefined) await call.stdout.write(head + page.text);
    else await call.machine.shellFiles.write(pathOf(call, file), head + page.text);
    return 0;
  } catch (error) {
    if (call.signal.aborted || error instanceof PhoneFileError) throw error;
    if (limit.endedBy !== undefined) return await fail(28, `Operation timed out after ${seconds * 1000} milliseconds`);
    return await fail(...reasonOf(error));
  } finally {
    limit.end();
  }
};

/** Returns curl's exit status and text for an error. */
function reasonOf(error: unknown): [status: number, text: string] {
  const fault = exitFaultIn(error);
  if (fault?.code === 'EXIT_NONE') return [97, 'proxy: could not be reached'];
  if (fault?.code === 'EXIT_LOGIN') return [97, 'proxy: login refused'];
  const text = error instanceof Error ? error.message : String(error);
  return [7, `Failed to connect: ${text}`];
}

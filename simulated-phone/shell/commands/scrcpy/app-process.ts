import { once } from 'node:events';
import { BrokenPipe } from '../../../../phone/adb/device/broken-pipe.js';
import { Cancellation } from '../../../../kit/async/within.js';
import type { LocalConnection } from '../../../streams/local-sockets.js';
import { Controller } from './controller.js';
import { ControlReader } from './control-reader.js';
import { ScreenVideo } from './screen-video.js';
import { failure, parseServerOptions, SERVER_VERSION, type ServerOptions } from './server-options.js';
import { absolutePath } from '../../../files/phone-path.js';
import { type Command, type CommandCall, CommandFailure } from '../../command.js';

const SERVER_CLASS = 'com.genymobile.scrcpy.Server';
const DEVICE_NAME_BYTES = 64;
/** The codec of an audio stream that does not exist: four zeros. */
const NO_AUDIO = Buffer.alloc(4);

/** `app_process DIRECTORY CLASS ARGUMENT…` with a CLASSPATH. The only program of this kind that the phone runs is scrcpy's server. */
export const appProcess: Command = async (call) => {
  const [, name = '', version = '', ...words] = call.args;
  const file = call.environment.get('CLASSPATH') ?? '';
  if (name !== SERVER_CLASS || file === '' || !(await call.machine.shellFiles.exists(absolutePath(file, call.cwd)))) {
    throw new CommandFailure(`Error: could not find or load main class ${name}\nAborted`, { bare: true, status: 134 });
  }
  if (version !== SERVER_VERSION) {
    throw failure(`The server version (${SERVER_VERSION}) does not match the client (${version})`);
  }
  const options = parseServerOptions(words);
  const { name: model, android } = { ...call.machine.identity, name: call.machine.identity.model.name };
  await call.stdout.write(`[server] INFO: Device: [Simulated] Cloudphone ${model} (Android ${android})\n`);
  const life = new Cancellation([call.signal]);
  try {
    await serve(call, options, life);
  } finally {
    life.abort();
  }
  return 0;
};

async function serve(call: CommandCall, options: ServerOptions, life: Cancellation): Promise<void> {
  const { machine } = call;
  const { videoEncoders } = machine;
  if (options.video && videoEncoders === undefined) throw failure('Could not create default video encoder for h264');
  const video =
    options.video && videoEncoders ? new ScreenVideo(machine, videoEncoders, options, life.signal) : undefined;
  const control = async (client: LocalConnection): Promise<void> => {
    const parts = { videoSize: () => video?.size, onReset: () => video?.reset() };
    const controller = new Controller(machine, client, parts);
    const messages = new ControlReader(client);
    try {
      for (let message = await messages.next(); message; message = await messages.next()) {
        await controller.perform(message);
      }
    } finally {
      controller.release();
    }
  };
  const streams: ((client: LocalConnection) => Promise<void>)[] = [
    ...(video === undefined ? [] : [(client: LocalConnection) => video.send(client)]),
    ...(options.audio ? [(client: LocalConnection) => client.write(NO_AUDIO).then(() => untilClosed(client))] : []),
    ...(options.control ? [control] : []),
  ];
  await serveStreams(call, options, streams, life);
}

/** Gives each client that connects the next stream. Returns when one of the streams has ended. */
async function serveStreams(
  { machine }: CommandCall,
  options: ServerOptions,
  streams: readonly ((client: LocalConnection) => Promise<void>)[],
  life: Cancellation,
): Promise<void> {
  const { signal } = life;
  let fault: unknown;
  let connected = 0;
  let stop: () => void = () => undefined;
  const end = (error?: unknown): void => {
    if (!(error instanceof BrokenPipe)) fault ??= error;
    life.abort();
  };
  try {
    stop = machine.sockets.listen(options.socket, async (client) => {
      const stream = streams[connected++];
      if (connected >= streams.length) stop();
      if (stream === undefined) return;
      // The real server does this, too: its clients wait for the name before they open the next stream.
      if (connected === 1) {
        if (options.sendDummyByte) await client.write(Buffer.alloc(1));
        if (options.sendDeviceMeta) await client.write(deviceName(machine.identity.model.name));
      }
      const close = new Cancellation([signal, client.closed]);
      try {
        await Promise.race([stream(client), untilAborted(close.signal)]);
        end();
      } catch (error) {
        end(error);
      } finally {
        close.end();
      }
    });
  } catch (error) {
    throw failure(`Address already in use: ${String(error)}`);
  }
  try {
    await untilAborted(signal);
  } finally {
    stop();
  }
  if (fault instanceof CommandFailure) throw fault;
  if (fault !== undefined) throw failure(fault instanceof Error ? fault.message : 'the client broke off');
}

function deviceName(name: string): Buffer {
  const field = Buffer.alloc(DEVICE_NAME_BYTES);
  field.write(name, 0, DEVICE_NAME_BYTES - 1);
  return field;
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

function untilClosed({ closed }: LocalConnection): Promise<void> {
  return untilAborted(closed);
}

import { WakeSignal } from '../../../kit/async/wake-signal.js';
import { layout, u32, u8 } from '../../../phone/adb/layout.js';
import { Cancellation } from '../../../kit/async/within.js';
import type { LocalConnection } from '../../streams/local-sockets.js';
import type { Machine } from '../../machine/machine.js';
import { CommandFailure, type Command, type CommandCall, print } from '../command.js';
import { absolutePath } from '../../files/phone-path.js';
import { parseOptions } from '../options.js';
import { BrokenPipe } from '../../../phone/adb/device/broken-pipe.js';

/** The first data on the socket. `orientation` counts quarter turns. */
const minicapBanner = layout<{
  version: number;
  sizeBytes: number;
  pid: number;
  realWidth: number;
  realHeight: number;
  virtualWidth: number;
  virtualHeight: number;
  orientation: number;
  quirks: number;
}>({
  version: u8,
  sizeBytes: u8,
  pid: u32,
  realWidth: u32,
  realHeight: u32,
  virtualWidth: u32,
  virtualHeight: u32,
  orientation: u8,
  quirks: u8,
});

/** The header in front of each JPEG. */
const minicapFrame = layout<{ length: number }>({ length: u32 });

/** Frames are upright whatever the rotation; unchanged ones are not sent. */
const QUIRK_ALWAYS_UPRIGHT = 2;

interface Projection {
  realWidth: number;
  realHeight: number;
  virtualWidth: number;
  virtualHeight: number;
  /** Degrees. */
  orientation: number;
}

/**
 * `minicap -P WxH@wxh/DEGREES [-Q quality] [-n socket] [-S] [-r fps]`, and `-t`, `-i`, `-s`. Serves one client at a time and
 * sends a frame when the screen has changed. It does not follow a turned screen: clients end minicap and start it again.
 */
export const minicap: Command = async (call) => {
  await requireLibrary(call);
  const { machine, stderr, stdout } = call;
  const options = parseOptions(call.args, { flags: ['S', 's', 't', 'i', 'h'], values: ['P', 'Q', 'n', 'r', 'd'] });
  await stderr.write(`PID: ${call.pid}\n`);
  if (options.has('i')) {
    const { width, height, density, rotation } = machine.screen;
    const size = Math.hypot(width / density, height / density).toFixed(2);
    await stdout.write(
      `{\n    "id": 0,\n    "width": ${width},\n    "height": ${height},\n    "xdpi": ${density}.00,\n    "ydpi": ${density}.00,\n` +
        `    "size": ${size},\n    "density": ${(density / 160).toFixed(2)},\n    "fps": 60.00,\n    "secure": true,\n    "rotation": ${rotation * 90}\n}\n`,
    );
    return 0;
  }
  const projection = parseProjection(options.value('P') ?? '');
  // Frames of more than four times the screen's pixels are refused: they show no more, and take much memory.
  if (projection.virtualWidth * projection.virtualHeight > 4 * machine.screen.width * machine.screen.height)
    throw new CommandFailure('ERROR: projection out of range', { bare: true });
  const quality = Number(options.value('Q') ?? 80);
  const fps = Number(options.value('r') ?? 0);
  const capture = (): Promise<Buffer> => frameOf(machine, projection, quality, call.signal);
  await stderr.write(`INFO: Using projection ${options.value('P') ?? ''}\n`);
  if (options.has('t')) {
    await capture();
    return print(stdout, 'OK\n');
  }
  if (options.has('s')) {
    return print(stdout, await capture());
  }
  const name = `localabstract:${options.value('n') ?? 'minicap'}`;
  let isBusy = false;
  let stop: () => void;
  try {
    stop = machine.sockets.listen(name, async (client) => {
      // The real minicap leaves a second client waiting in the socket's queue, and serves it when the first is gone.
      while (isBusy) {
        if (client.closed.aborted || call.signal.aborted) return;
        await machine.clock.sleep(QUEUE_POLL_MS, client.closed).catch(() => undefined);
      }
      isBusy = true;
      try {
        await client.write(banner(call.pid, projection));
        await sendFrames(machine, client, { capture, signal: call.signal, minGapMs: fps > 0 ? 1_000 / fps : 0 });
      } catch (error) {
        if (!(error instanceof BrokenPipe) && !client.closed.aborted && !call.signal.aborted) throw error;
      } finally {
        isBusy = false;
      }
    });
  } catch {
    throw new CommandFailure(`ERROR: Unable to start server on namespace '${options.value('n') ?? 'minicap'}'`, { bare: true }); // prettier-ignore
  }
  try {
    await new Promise<void>((resolve) => {
      if (call.signal.aborted) resolve();
      else call.signal.addEventListener('abort', () => resolve(), { once: true });
    });
  } finally {
    stop();
  }
  return 143;
};

const QUEUE_POLL_MS = 50;

function banner(pid: number, projection: Projection): Buffer {
  return minicapBanner.write({
    version: 1,
    sizeBytes: minicapBanner.sizeBytes,
    pid,
    realWidth: projection.realWidth,
    realHeight: projection.realHeight,
    virtualWidth: projection.virtualWidth,
    virtualHeight: projection.virtualHeight,
    orientation: projection.orientation / 90,
    quirks: QUIRK_ALWAYS_UPRIGHT,
  });
}

/** Sends the first frame at once, then one for each change. Changes while a frame is on its way become one frame. */
async function sendFrames(
  machine: Machine,
  client: LocalConnection,
  { capture, signal, minGapMs }: { capture: () => Promise<Buffer>; signal: AbortSignal; minGapMs: number },
): Promise<void> {
  const news = new WakeSignal();
  const unsubscribe = machine.screen.onChange(() => news.wake());
  const life = new Cancellation([signal, client.closed]);
  const end = life.signal;
  try {
    let sent = -1;
    while (!end.aborted) {
      const { revision } = machine.screen;
      if (revision === sent) {
        await news.wait({ signal: end });
        continue;
      }
      const begun = machine.clock.monotonicMs();
      const jpeg = await capture();
      sent = revision;
      await client.write(Buffer.concat([minicapFrame.write({ length: jpeg.length }), jpeg]));
      const left = minGapMs - (machine.clock.monotonicMs() - begun);
      if (left > 0) await machine.clock.sleep(left, end);
    }
  } finally {
    unsubscribe();
    life.end();
  }
}

async function frameOf(
  machine: Machine,
  projection: Projection,
  quality: number,
  signal: AbortSignal,
): Promise<Buffer> {
  if (machine.faults.captureDelayMs > 0) await machine.clock.sleep(machine.faults.captureDelayMs, signal);
  const turned = projection.orientation % 180 === 90;
  const [width, height] = turned ? [projection.virtualHeight, projection.virtualWidth] : [projection.virtualWidth, projection.virtualHeight]; // prettier-ignore
  return machine.screen.captureJpeg({ width, height, quality });
}

function parseProjection(text: string): Projection {
  const match = /^(\d{1,5})x(\d{1,5})@(\d{1,5})x(\d{1,5})\/(0|90|180|270)$/.exec(text);
  if (!match)
    throw new CommandFailure('ERROR: invalid format for -P, need <w>x<h>@<w>x<h>/{0|90|180|270}', { bare: true });
  const [realWidth = 0, realHeight = 0, virtualWidth = 0, virtualHeight = 0, orientation = 0] = match
    .slice(1)
    .map(Number);
  if (
    Math.min(realWidth, realHeight, virtualWidth, virtualHeight) < 1 ||
    Math.max(virtualWidth, virtualHeight) > MAX_SIDE
  )
    throw new CommandFailure('ERROR: projection out of range', { bare: true });
  return { realWidth, realHeight, virtualWidth, virtualHeight, orientation };
}

const MAX_SIDE = 8_192;

/** Checks the library for the phone's version. Throws when it is missing: then the linker refuses to start the program. */
async function requireLibrary(call: CommandCall): Promise<void> {
  for (const folder of (call.environment.get('LD_LIBRARY_PATH') ?? '').split(':'))
    if (folder !== '' && (await call.machine.shellFiles.exists(absolutePath(`${folder}/minicap.so`)))) return;
  throw new CommandFailure(`CANNOT LINK EXECUTABLE "${call.name}": library "minicap.so" not found: needed by main executable`, { bare: true }); // prettier-ignore
}
